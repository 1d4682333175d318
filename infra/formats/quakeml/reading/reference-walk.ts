import type { Kind } from "#contracts/bulletin/field.ts";
import { type ReferencePlan, referencePlanOf } from "#contracts/bulletin/reference-plan.ts";
import type { OpenObject } from "./foreign-of-object.ts";

const EVENT_PLAN = referencePlanOf("Event");

export type ReferenceVisitor = {
  /** An object with an id; its kind is the name of its element. */
  readonly object?: (kind: Kind, object: OpenObject) => void;
  readonly reference?: (to: Kind, object: OpenObject, member: string) => void;
};

/** Visits an event's objects and references, in the order of the table, without following any. */
export function walkReferences(event: OpenObject, visitor: ReferenceVisitor): void {
  visit(EVENT_PLAN, event, null, visitor);
}

function visit(
  plan: ReferencePlan,
  object: OpenObject,
  kind: Kind | null,
  visitor: ReferenceVisitor,
): void {
  if (kind !== null && plan.hasId) visitor.object?.(kind, object);
  for (const { member, to } of plan.references) {
    if (object[member] !== undefined) visitor.reference?.(to, object, member);
  }
  for (const { member, many, plan: inner } of plan.parts) {
    const value = object[member];
    if (value === undefined) continue;
    if (!many) visit(inner, value as OpenObject, member as Kind, visitor);
    else for (const item of value as OpenObject[]) visit(inner, item, member as Kind, visitor);
  }
}

/** How many references lead nowhere, and how many ids are another's of the kind, by kind. */
export type ReferenceFaults = {
  readonly dangling: ReadonlyMap<Kind, number>;
  readonly repeated: ReadonlyMap<Kind, number>;
};

/** One look-up for each reference. A reference that is empty, because it is missing, counts as none. */
export function referenceFaults(event: OpenObject): ReferenceFaults {
  const ids = new Map<Kind, Set<string>>();
  const repeated = new Map<Kind, number>();
  const dangling = new Map<Kind, number>();
  walkReferences(event, {
    object(kind, { publicID }) {
      const present = ids.get(kind);
      if (present === undefined) ids.set(kind, new Set([publicID as string]));
      else if (present.has(publicID as string)) add(repeated, kind);
      else present.add(publicID as string);
    },
  });
  walkReferences(event, {
    reference(to, object, member) {
      const id = object[member] as string;
      if (id !== "" && ids.get(to)?.has(id) !== true) add(dangling, to);
    },
  });
  return { dangling, repeated };
}

function add(counts: Map<Kind, number>, kind: Kind): void {
  counts.set(kind, (counts.get(kind) ?? 0) + 1);
}
