import type { Field, Kind } from "./field.ts";
import { QUAKEML_TYPES, type TypeName } from "./quakeml-types.ts";

/** Where a type has ids and references: in its own members, and in the objects inside it. */
export type ReferencePlan = {
  readonly references: readonly { readonly member: string; readonly to: Kind }[];
  /** The members with objects that have an id or a reference, or hold such. */
  readonly parts: readonly ReferencePart[];
  /** Those of them that have a reference, or hold one. */
  readonly referring: readonly ReferencePart[];
  readonly hasId: boolean;
};

export type ReferencePart = {
  readonly member: string;
  readonly type: TypeName;
  readonly many: boolean;
  readonly plan: ReferencePlan;
};

const PLANS = new Map<TypeName, ReferencePlan>();

/** A type's plan, made once: no type holds itself. */
export function referencePlanOf(type: TypeName): ReferencePlan {
  const known = PLANS.get(type);
  if (known !== undefined) return known;
  const fields = Object.entries<Field>(QUAKEML_TYPES[type]);
  const references = fields.flatMap(([member, { to }]) =>
    to === undefined ? [] : [{ member, to }],
  );
  const parts = fields.flatMap(([member, { type: inner, many = false }]): ReferencePart[] => {
    if (inner === undefined) return [];
    const part = inner as TypeName;
    const plan = referencePlanOf(part);
    const isSeen = plan.hasId || plan.references.length > 0 || plan.parts.length > 0;
    return isSeen ? [{ member, type: part, many, plan }] : [];
  });
  const plan: ReferencePlan = {
    references,
    parts,
    referring: parts.filter((part) => refers(part.plan)),
    hasId: "publicID" in QUAKEML_TYPES[type],
  };
  PLANS.set(type, plan);
  return plan;
}

function refers({ references, referring }: ReferencePlan): boolean {
  return references.length > 0 || referring.length > 0;
}
