import type { Field, Kind } from "#contracts/bulletin/field.ts";
import { QUAKEML_TYPES, type TypeName } from "#contracts/bulletin/quakeml-types.ts";

type Json = Readonly<Record<string, unknown>>;

/** A reference of an object: the member that holds it, and the kind and id that it names. */
export type Reference = { readonly member: string; readonly to: Kind; readonly id: string };

/** Where references of a type are: in its own members, and in objects inside it. */
type Plan = {
  readonly own: readonly { readonly member: string; readonly to: Kind }[];
  readonly inside: readonly { readonly member: string; readonly type: TypeName }[];
};

/** Made in order: no type holds itself, so each is complete after those inside it. */
const PLANS = new Map<TypeName, Plan>();

function planOf(type: TypeName): Plan {
  const known = PLANS.get(type);
  if (known !== undefined) return known;
  const fields = Object.entries<Field>(QUAKEML_TYPES[type]);
  const plan: Plan = {
    own: fields.flatMap(([member, { to }]) => (to === undefined ? [] : [{ member, to }])),
    inside: fields.flatMap(([member, { type: inner }]) =>
      inner !== undefined && hasReferences(inner as TypeName)
        ? [{ member, type: inner as TypeName }]
        : [],
    ),
  };
  PLANS.set(type, plan);
  return plan;
}

function hasReferences(type: TypeName): boolean {
  const { own, inside } = planOf(type);
  return own.length > 0 || inside.length > 0;
}

/** Whether objects of a type, or those inside them, refer to a kind. */
export function referencesLead(type: TypeName, to: Kind): boolean {
  const { own, inside } = planOf(type);
  return own.some((one) => one.to === to) || inside.some((one) => referencesLead(one.type, to));
}

/** Every reference of an object and of those inside it; none is followed. */
export function* referencesIn(type: TypeName, object: object): Generator<Reference> {
  const { own, inside } = planOf(type);
  for (const { member, to } of own) {
    const id = (object as Json)[member];
    if (typeof id === "string") yield { member, to, id };
  }
  for (const { member, type: inner } of inside) {
    for (const item of itemsOf((object as Json)[member])) yield* referencesIn(inner, item);
  }
}

/** What becomes of one object that holds a reference: itself, another one, or undefined for none. */
export type Rewrite = (holder: Json, reference: Reference, type: TypeName) => Json | undefined;

/**
 * The object after `rewrite` of each reference in it, those inside first; the same object where
 * nothing changes. Lists lose what becomes undefined, and are left out when empty.
 */
export function rewritten<T extends object>(
  type: TypeName,
  object: T,
  rewrite: Rewrite,
): T | undefined {
  const { own, inside } = planOf(type);
  let result: Json = object as Json;
  for (const { member, type: inner } of inside) {
    const value = result[member];
    if (value === undefined) continue;
    const after = Array.isArray(value)
      ? rewrittenList(inner, value, rewrite)
      : rewritten(inner, value as object, rewrite);
    if (after === value) continue;
    const { [member]: _, ...rest } = result;
    result = after === undefined ? rest : { ...rest, [member]: after };
  }
  for (const { member, to } of own) {
    const id = result[member];
    if (typeof id !== "string") continue;
    const after = rewrite(result, { member, to, id }, type);
    if (after === undefined) return undefined;
    result = after;
  }
  return result as T;
}

function rewrittenList(type: TypeName, list: object[], rewrite: Rewrite): object[] | undefined {
  const items = list.map((item) => rewritten(type, item, rewrite));
  if (items.every((item, i) => item === list[i])) return list;
  const left = items.filter((item) => item !== undefined);
  return left.length === 0 ? undefined : left;
}

function itemsOf(value: unknown): readonly object[] {
  if (value === undefined) return [];
  return Array.isArray(value) ? value : [value as object];
}
