import type { Bulletin, QuakemlObject } from "#contracts/bulletin/bulletin.ts";
import type { Field, Kind } from "#contracts/bulletin/field.ts";
import { QUAKEML_TYPES, type TypeName } from "#contracts/bulletin/quakeml-types.ts";
import type { Inclusion } from "#contracts/fdsn/inclusion.ts";
import {
  type BulletinObject,
  LISTED_KINDS,
  type ListedKind,
  listOf,
  objectsById,
  TYPE_OF,
} from "./objects-by-id.ts";
import type { Preferred } from "./preferred.ts";

/** What was left out of closed answers: how many references of a name, how many objects of a type. */
export type LeftOut = { readonly references: Tally; readonly objects: Tally };
type Tally = Map<string, number>;

/** What an answer has in any case: what the row shows, and the magnitude by which the event was found. */
export type Shown = Preferred & { readonly matched?: QuakemlObject<"Magnitude"> | undefined };

export function nothingLeftOut(): LeftOut {
  return { references: new Map(), objects: new Map() };
}

/**
 * The part of a bulletin that an answer of the event service has: what the row shows, with all
 * mechanisms, and what is wanted beside it, in the bulletin's order. Answers are closed, since some
 * clients refuse a whole one otherwise: a reference brings its object, and one that leads nowhere is
 * left out, with the object if that needs it (an arrival without pick). Nothing is followed twice, so
 * circles end.
 * @param leftOut is added to
 */
export function closedAnswer(
  bulletin: Bulletin,
  shown: Shown,
  inclusion: Inclusion,
  leftOut: LeftOut,
): Bulletin {
  const find = objectsById(bulletin);
  /** Of each object in the answer what the answer has of it; null while it waits, or for nothing. */
  const copies = new Map<BulletinObject, BulletinObject | null>();
  const waiting: [ListedKind, BulletinObject][] = [];

  function bring(kind: ListedKind, object: BulletinObject | undefined): void {
    if (object === undefined || copies.has(object)) return;
    copies.set(object, null);
    waiting.push([kind, object]);
  }

  function isThere(kind: Kind, id: string): boolean {
    const object = find(kind, id);
    bring(kind as ListedKind, object);
    return object !== undefined;
  }

  for (const [kind, objects] of wantedOf(bulletin, shown, inclusion)) {
    for (const object of objects) bring(kind, object);
  }
  const copying: Copying = { inclusion, isThere, leftOut };
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const [kind, object] = next;
    copies.set(object, copyOf(object, TYPE_OF[kind], copying));
  }
  const inAnswer = (kind: ListedKind) =>
    listOf(bulletin, kind).flatMap((object) => copies.get(object) ?? []);
  const lists = Object.fromEntries(LISTED_KINDS.map((kind) => [kind, inAnswer(kind)]));
  return eventOf(bulletin, shown, lists as Record<ListedKind, BulletinObject[]>, copying);
}

/** The objects that are wanted for themselves. */
function wantedOf(
  bulletin: Bulletin,
  { origin, magnitude, matched }: Shown,
  wanted: Inclusion,
): [ListedKind, readonly (BulletinObject | undefined)[]][] {
  const all = (kind: ListedKind, isWanted: boolean): [ListedKind, readonly BulletinObject[]] => [
    kind,
    isWanted || wanted.everything ? listOf(bulletin, kind) : [],
  ];
  return [
    ["origin", [origin]],
    ["magnitude", [magnitude, matched]],
    all("focalMechanism", true),
    all("origin", wanted.allOrigins),
    all("magnitude", wanted.allMagnitudes),
    all("stationMagnitude", wanted.stationMagnitudes),
    all("amplitude", wanted.amplitudes),
    all("pick", wanted.picks),
  ];
}

type Copying = {
  readonly inclusion: Inclusion;
  /** Whether a reference leads to an object, which then is in the answer. */
  readonly isThere: (kind: Kind, id: string) => boolean;
  readonly leftOut: LeftOut;
};

/** The event itself, naming as preferred what the row shows. */
function eventOf(
  bulletin: Bulletin,
  { origin, magnitude, focalMechanism }: Preferred,
  lists: Readonly<Record<ListedKind, readonly BulletinObject[]>>,
  copying: Copying,
): Bulletin {
  const without = Object.fromEntries(LISTED_KINDS.map((kind) => [kind, undefined]));
  const preferred = {
    preferredOriginID: origin?.publicID,
    preferredMagnitudeID: magnitude?.publicID,
    preferredFocalMechanismID: focalMechanism?.publicID,
  };
  const own = copyOf({ ...bulletin, ...without, ...preferred }, "Event", copying);
  const filled = Object.entries(lists).filter(([, { length }]) => length > 0);
  return { ...own, ...Object.fromEntries(filled) } as Bulletin;
}

/** What the answer has of an object; null where a reference that it needs leads nowhere. */
function copyOf(object: BulletinObject, type: TypeName, copying: Copying): BulletinObject | null {
  const { inclusion, isThere, leftOut } = copying;
  const copy: Record<string, unknown> = {};
  for (const [name, field] of Object.entries<Field>(QUAKEML_TYPES[type])) {
    const value = object[name];
    if (value === undefined || !isWanted(field, inclusion)) continue;
    const closed = field.many ? listed(value as unknown[], field) : closedValue(value, field);
    if (closed !== undefined) copy[name] = closed;
    else if (field.required === true) return leaveOut(leftOut.objects, type);
    else if (field.to !== undefined) leaveOut(leftOut.references, name);
  }
  if (inclusion.everything && object["foreign"] !== undefined) copy["foreign"] = object["foreign"];
  return copy;

  function closedValue(value: unknown, { to, type: inner }: Field): unknown {
    if (to !== undefined) return isThere(to, value as string) ? value : undefined;
    if (inner === undefined) return value;
    return copyOf(value as BulletinObject, inner as TypeName, copying) ?? undefined;
  }

  function listed(values: readonly unknown[], field: Field): unknown {
    const closed = values.flatMap((value) => closedValue(value, field) ?? []);
    return closed.length > 0 ? closed : undefined;
  }
}

/** Whether an answer has such members; what is no member of QuakeML stands beside foreign elements. */
function isWanted({ type, xml }: Field, inclusion: Inclusion): boolean {
  if (inclusion.everything) return true;
  switch (type) {
    case "Comment":
      return inclusion.comments;
    case "Arrival":
      return inclusion.arrivals;
    case "StationMagnitudeContribution":
      return inclusion.stationMagnitudes;
    default:
      return xml !== "own";
  }
}

function leaveOut(tally: Tally, name: string): null {
  tally.set(name, (tally.get(name) ?? 0) + 1);
  return null;
}
