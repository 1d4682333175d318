import type { Field, Kind } from "#contracts/bulletin/field.ts";
import { QUAKEML_TYPES, type TypeName } from "#contracts/bulletin/quakeml-types.ts";
import type { OpenObject } from "./foreign-of-object.ts";

/** The members of a type by which objects are referred to, or that hold such. */
type Walk = {
  readonly references: readonly { readonly member: string; readonly to: Kind }[];
  readonly parts: readonly {
    readonly member: string;
    readonly many: boolean;
    readonly walk: Walk;
  }[];
  readonly hasId: boolean;
};

/** Walks of all types that refer to something, or hold an object that does. */
const EVENT_WALK = walkOf("Event");

function walkOf(type: TypeName): Walk {
  const fields = Object.entries(QUAKEML_TYPES[type] as Readonly<Record<string, Field>>);
  const parts = fields.flatMap(([member, { kind, type: part, many = false }]) => {
    if (kind !== "object") return [];
    const walk = walkOf(part as TypeName);
    return walk.hasId || walk.references.length + walk.parts.length > 0
      ? [{ member, many, walk }]
      : [];
  });
  return {
    references: fields.flatMap(([member, { to }]) => (to === undefined ? [] : [{ member, to }])),
    parts,
    hasId: "publicID" in QUAKEML_TYPES[type],
  };
}

export type ReferenceVisitor = {
  /** An object with an id; its kind is the name of its element. */
  readonly object?: (kind: Kind, object: OpenObject) => void;
  readonly reference?: (to: Kind, object: OpenObject, member: string) => void;
};

/** Visits an event's objects and references, in the order of the table, without following any. */
export function walkReferences(event: OpenObject, visitor: ReferenceVisitor): void {
  visit(EVENT_WALK, event, null, visitor);
}

function visit(walk: Walk, object: OpenObject, kind: Kind | null, visitor: ReferenceVisitor): void {
  if (kind !== null && walk.hasId) visitor.object?.(kind, object);
  for (const { member, to } of walk.references) {
    if (object[member] !== undefined) visitor.reference?.(to, object, member);
  }
  for (const { member, many, walk: part } of walk.parts) {
    const value = object[member];
    if (value === undefined) continue;
    if (!many) visit(part, value as OpenObject, member as Kind, visitor);
    else for (const item of value as OpenObject[]) visit(part, item, member as Kind, visitor);
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
