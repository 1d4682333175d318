import type { Kind } from "#contracts/bulletin/field.ts";
import type { TypeName } from "#contracts/bulletin/quakeml-types.ts";
import { referencePlanOf } from "#contracts/bulletin/reference-plan.ts";

type Json = Readonly<Record<string, unknown>>;

/** A reference of an object: the member that holds it, and the kind and id that it names. */
export type Reference = { readonly member: string; readonly to: Kind; readonly id: string };

/** Whether objects of a type, or those inside them, refer to a kind. */
export function referencesLead(type: TypeName, to: Kind): boolean {
  const { references, parts } = referencePlanOf(type);
  return (
    references.some((one) => one.to === to) || parts.some((part) => referencesLead(part.type, to))
  );
}

/** Every reference of an object and of those inside it; none is followed. */
export function* referencesIn(type: TypeName, object: object): Generator<Reference> {
  const { references, referring } = referencePlanOf(type);
  for (const { member, to } of references) {
    const id = (object as Json)[member];
    if (typeof id === "string") yield { member, to, id };
  }
  for (const { member, type: inner } of referring) {
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
  const { references, referring } = referencePlanOf(type);
  let result: Json = object as Json;
  for (const { member, type: inner } of referring) {
    const value = result[member];
    if (value === undefined) continue;
    const after = Array.isArray(value)
      ? rewrittenList(inner, value, rewrite)
      : rewritten(inner, value as object, rewrite);
    if (after === value) continue;
    const { [member]: _, ...rest } = result;
    result = after === undefined ? rest : { ...rest, [member]: after };
  }
  for (const { member, to } of references) {
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
