/**
 * Parts of a bulletin: the solutions that its row shows, the kinds of objects that are asked
 * for, and answers that are closed.
 */

import { chosenMagnitude, chosenOrigin } from "#contracts/bulletin/preferred.ts";
import {
  type Bulletin,
  type Field,
  type Kind,
  QUAKEML_TYPES,
  type QuakemlObject,
  type TypeName,
} from "#contracts/bulletin/quakeml.ts";
import type { Inclusion } from "#contracts/fdsn/query.ts";
import type { BulletinPart } from "#contracts/seismic-event/bulletin-objects.ts";
import { parseTime } from "#contracts/seismic-event/time.ts";
import { decimalNumber } from "../written-values.ts";
import { childOf, childrenOf, isOwnEvent, type Members, numberOf, textOf } from "./members.ts";

/** The solutions of a bulletin that the event's row shows. */
export type Preferred = {
  readonly origin?: QuakemlObject<"Origin"> | undefined;
  readonly magnitude?: QuakemlObject<"Magnitude"> | undefined;
  readonly focalMechanism?: QuakemlObject<"FocalMechanism"> | undefined;
};

/** What the row shows, by the same rules; each is the bulletin's own object. */
export function shownSolutions(bulletin: Bulletin): Preferred {
  const { origin: origins = [], magnitude: magnitudes = [], focalMechanism = [] } = bulletin;
  const origin = preferredOrigin(bulletin, origins, focalMechanism);
  const magnitude = origin && preferredMagnitude(bulletin, magnitudes, origin, () => {});
  return {
    origin,
    magnitude,
    focalMechanism: preferredFirst(bulletin, focalMechanism)[0],
  } as Preferred;
}

/** The preferred origin of an event (`chosenOrigin`). */
export function preferredOrigin(
  event: Members,
  origins: readonly Members[],
  mechanisms: readonly Members[],
): Members | undefined {
  const centroids = new Set(
    mechanisms.flatMap((mechanism) =>
      childrenOf(mechanism, "momentTensor").map((tensor) => textOf(tensor, "derivedOriginID")),
    ),
  );
  const choices = origins.map((origin) => ({
    of: origin,
    publicID: textOf(origin, "publicID"),
    evaluationStatus: textOf(origin, "evaluationStatus"),
    created: () => parseTime(textOf(childOf(origin, "creationInfo"), "creationTime") ?? ""),
  }));
  return chosenOrigin(choices, textOf(event, "preferredOriginID"), centroids);
}

/**
 * The preferred magnitude of an event (`chosenMagnitude`). One that is no number, as SeisComP writes, is
 * chosen only without another. An event that our writer made names the one that its row had, or had none.
 */
export function preferredMagnitude(
  event: Members,
  all: readonly Members[],
  origin: Members,
  warn: (message: string) => void,
): Members | undefined {
  const id = textOf(event, "preferredMagnitudeID");
  if (id === undefined && isOwnEvent(event)) return undefined;
  const numbers = all.filter(isKnown);
  const magnitudes = numbers.length > 0 ? numbers : all;
  if (withId(magnitudes, id) === undefined && withId(all, id) !== undefined) {
    warn("the preferred magnitude is not a number; another of the event's is taken");
  }
  const choices = magnitudes.map((magnitude) => ({
    of: magnitude,
    publicID: textOf(magnitude, "publicID"),
    originID: textOf(magnitude, "originID"),
    type: textOf(magnitude, "type"),
    stations: Number(textOf(magnitude, "stationCount")) || 0,
  }));
  return chosenMagnitude(choices, id, textOf(origin, "publicID"));
}

function isKnown(magnitude: Members): boolean {
  const value = numberOf(childOf(magnitude, "mag"), "value");
  if (typeof value !== "string") return value !== undefined;
  return Number.isFinite(decimalNumber(value, 0));
}

/** The focal mechanisms, with the preferred one first and the others in document order. */
export function preferredFirst(event: Members, mechanisms: readonly Members[]): readonly Members[] {
  const preferred = withId(mechanisms, textOf(event, "preferredFocalMechanismID"));
  if (preferred === undefined || preferred === mechanisms[0]) return mechanisms;
  return [preferred, ...mechanisms.filter((mechanism) => mechanism !== preferred)];
}

function withId(nodes: readonly Members[], id: string | undefined): Members | undefined {
  return id === undefined ? undefined : nodes.find((node) => textOf(node, "publicID") === id);
}

/**
 * A bulletin with objects of the given kinds only; references stay as they are. Arrivals stand in
 * origins, which they bring.
 */
export function selectedParts(bulletin: Bulletin, parts: ReadonlySet<BulletinPart>): Bulletin {
  const wanted = parts.has("arrival") ? new Set([...parts, "origin"]) : parts;
  const rest: Record<string, unknown> = { ...bulletin };
  for (const kind of LISTED_KINDS) if (!wanted.has(kind)) delete rest[kind];
  if (!parts.has("arrival") && wanted.has("origin") && bulletin.origin !== undefined) {
    rest["origin"] = bulletin.origin.map(({ arrival: _, ...origin }) => origin);
  }
  return rest as Bulletin;
}

export type LeftOut = ReturnType<typeof nothingLeftOut>;

/** What was left out of closed answers: how many references of a name, how many objects of a type. */
export function nothingLeftOut() {
  return { references: new Map<string, number>(), objects: new Map<string, number>() };
}

/** What an answer has in any case: what the row shows, and the magnitude by which the event was found. */
type Shown = Preferred & { readonly matched?: QuakemlObject<"Magnitude"> | undefined };

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

function leaveOut(tally: Map<string, number>, name: string): null {
  tally.set(name, (tally.get(name) ?? 0) + 1);
  return null;
}

/** An object of a bulletin, of a type that its place tells. */
export type BulletinObject = Readonly<Record<string, unknown>>;

/** The kinds of objects that stand beside each other in an event, in the order of its members. */
const LISTED_KINDS = Object.entries<Field>(QUAKEML_TYPES.Event).flatMap(([name, field]) =>
  field.many === true && "publicID" in QUAKEML_TYPES[field.type as keyof typeof QUAKEML_TYPES]
    ? [name as ListedKind]
    : [],
);

type ListedKind = Exclude<Kind, "arrival" | "momentTensor">;

/** Their types by QuakeML's names. */
const TYPE_OF = Object.fromEntries(
  LISTED_KINDS.map((kind) => [kind, (QUAKEML_TYPES.Event[kind] as Field).type]),
) as { readonly [K in ListedKind]: (typeof QUAKEML_TYPES.Event)[K]["type"] };

/**
 * Looks up a bulletin's objects by kind and publicID. Of several with one id the first is meant. An
 * object whose required reference leads nowhere is not there: without it the object says nothing.
 */
function objectsById(bulletin: Bulletin) {
  const byKind = new Map<Kind, Map<string, BulletinObject>>();
  const find = (kind: Kind, id: string): BulletinObject | undefined => byKind.get(kind)?.get(id);
  // Those that others need come first, so that one pass tells which stand.
  for (const kind of [...LISTED_KINDS].sort((a, b) => NEEDS[a].length - NEEDS[b].length)) {
    const objects = new Map<string, BulletinObject>();
    byKind.set(kind, objects);
    for (const object of listOf(bulletin, kind)) {
      const id = object["publicID"] as string;
      const isWhole = NEEDS[kind].every(({ name, to }) => find(to, object[name] as string));
      if (!objects.has(id) && isWhole) objects.set(id, object);
    }
  }
  return find;
}

function listOf(bulletin: Bulletin, kind: ListedKind): readonly BulletinObject[] {
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
