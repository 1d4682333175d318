import type { Bulletin } from "#contracts/bulletin/bulletin.ts";
import type { Field, Kind } from "#contracts/bulletin/field.ts";
import { QUAKEML_TYPES } from "#contracts/bulletin/quakeml-types.ts";

/** An object of a bulletin, of a type that its place tells. */
export type BulletinObject = Readonly<Record<string, unknown>>;

/** The kinds of objects that stand beside each other in an event, in the order of its members. */
export const LISTED_KINDS = Object.entries<Field>(QUAKEML_TYPES.Event).flatMap(([name, field]) =>
  field.many === true && "publicID" in QUAKEML_TYPES[field.type as keyof typeof QUAKEML_TYPES]
    ? [name as ListedKind]
    : [],
);

export type ListedKind = Exclude<Kind, "arrival" | "momentTensor">;

/** Their types by QuakeML's names. */
export const TYPE_OF = Object.fromEntries(
  LISTED_KINDS.map((kind) => [kind, (QUAKEML_TYPES.Event[kind] as Field).type]),
) as { readonly [K in ListedKind]: (typeof QUAKEML_TYPES.Event)[K]["type"] };

export type ObjectsById = (kind: Kind, id: string) => BulletinObject | undefined;

/**
 * Looks up a bulletin's objects by kind and publicID. Of several with one id the first is meant. An
 * object whose required reference leads nowhere is not there: without it the object says nothing.
 */
export function objectsById(bulletin: Bulletin): ObjectsById {
  const byKind = new Map<Kind, Map<string, BulletinObject>>();
  const find: ObjectsById = (kind, id) => byKind.get(kind)?.get(id);
  // Those that others need come first, so that one pass tells which stand.
  for (const kind of [...LISTED_KINDS].sort(byNeeds)) {
    const objects = new Map<string, BulletinObject>();
    byKind.set(kind, objects);
    for (const object of listOf(bulletin, kind)) {
      const id = object["publicID"] as string;
      if (!objects.has(id) && hasWhatItNeeds(object, kind, find)) objects.set(id, object);
    }
  }
  return find;
}

export function listOf(bulletin: Bulletin, kind: ListedKind): readonly BulletinObject[] {
  return bulletin[kind] ?? [];
}

/** The required references of a kind's own members: their names and what they lead to. */
const NEEDS = Object.fromEntries(
  LISTED_KINDS.map((kind) => [
    kind,
    Object.entries<Field>(QUAKEML_TYPES[TYPE_OF[kind]]).flatMap(([name, { required, to }]) =>
      required === true && to !== undefined ? [{ name, to }] : [],
    ),
  ]),
) as unknown as Readonly<Record<ListedKind, readonly { name: string; to: Kind }[]>>;

function byNeeds(a: ListedKind, b: ListedKind): number {
  return NEEDS[a].length - NEEDS[b].length;
}

function hasWhatItNeeds(object: BulletinObject, kind: ListedKind, find: ObjectsById): boolean {
  return NEEDS[kind].every(({ name, to }) => find(to, object[name] as string) !== undefined);
}
