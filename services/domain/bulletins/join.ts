import type { Bulletin, Kind, QuakemlObject } from "#contracts/bulletin/quakeml.ts";
import { withMember } from "#contracts/bulletin/row.ts";
import { movePoint } from "#contracts/seismic-event/names.ts";
import {
  fractionDigits,
  parseTime,
  timeToMicros,
  timeToMilliseconds,
} from "#contracts/seismic-event/time.ts";
import { KILOMETRES_TO_METRES } from "#contracts/units.ts";
import {
  type BulletinView,
  type Identified,
  listOf,
  PREFERABLE,
  type PreferredChange,
  sameJson,
  shownBy,
  TOP_LISTS,
  withList,
  withPreferred,
} from "./view.ts";

type Unplaced<T extends "FocalMechanism"> = Omit<QuakemlObject<T>, "momentTensor"> & {
  readonly momentTensor?: readonly Omit<QuakemlObject<"MomentTensor">, "derivedOriginID">[];
};

/** What a row of a table says of an event; ids follow from what is said, not from the event. */
export type JoinedRow = {
  readonly origin?: QuakemlObject<"Origin">;
  /** Where the moment tensor is; its time may be to the minute. */
  readonly centroid?: QuakemlObject<"Origin">;
  /** The first is the row's own. */
  readonly magnitude?: readonly QuakemlObject<"Magnitude">[];
  readonly focalMechanism?: readonly Unplaced<"FocalMechanism">[];
  /** Each with its arrival at the origin that the event shows. */
  readonly picks?: readonly {
    readonly pick: QuakemlObject<"Pick">;
    readonly arrival?: QuakemlObject<"Arrival">;
  }[];
};

/** What is to be added to an event: all solutions of a bulletin, or what a row says. */
export type Joined = { readonly bulletin: Bulletin } | { readonly row: JoinedRow };

/** Those that rows say of picks, by the pick. */
type Arrivals = Map<string, QuakemlObject<"Arrival">>;

type Joining = {
  readonly lists: ReturnType<typeof createJoinedLists>;
  readonly view: BulletinView;
  readonly arrivals: Arrivals;
  /** The origin that the event shows before. */
  readonly shown: QuakemlObject<"Origin"> | undefined;
};

/**
 * A bulletin with the solutions that a file has for its event; those that it has already are not added
 * again. What the row shows stays, unless it shows nothing of the kind or `preferred` says that what is
 * added, of several the last, is to be shown.
 * @returns the same object where nothing is new
 */
export function joinedBulletin(
  before: Bulletin,
  additions: Iterable<Joined>,
  preferred: boolean,
  view: BulletinView,
): Bulletin {
  const lists = createJoinedLists(before);
  const arrivals: Arrivals = new Map();
  const joining = { lists, view, arrivals, shown: view.origin(before) };
  let wanted: PreferredChange = {};
  for (const addition of additions) {
    const shown =
      "row" in addition ? joinRow(joining, addition.row) : joinBulletin(joining, addition.bulletin);
    wanted = { ...wanted, ...shown };
  }
  const joined = lists.bulletin();
  const chosen = preferred ? unlessShown(joined, wanted, view) : {};
  const result = withPreferred(joined, chosen);
  const staying = { ...wanted, ...shownIn(before, view), ...(preferred && wanted) };
  const ids = unlessShown(result, staying, view);
  // It names what it is to show; what is said of the row besides stays.
  const named = PREFERABLE.reduce((bulletin, { of, member }) => {
    const id = ids[of];
    return id === undefined ? bulletin : withMember(bulletin, member, id);
  }, result);
  return withArrivals(named, arrivals, view);
}

/** The bulletin with arrivals at the origin that it shows, but for picks that have one there. */
function withArrivals(bulletin: Bulletin, arrivals: Arrivals, view: BulletinView) {
  const shown = arrivals.size === 0 ? undefined : view.origin(bulletin);
  const before = shown?.arrival ?? [];
  const known = new Set(before.map(({ pickID }) => pickID));
  const added = [...arrivals.values()].filter(({ pickID }) => !known.has(pickID));
  if (shown === undefined || added.length === 0) return bulletin;
  const { origin = [] } = bulletin;
  const place = origin.indexOf(shown);
  return { ...bulletin, origin: origin.with(place, { ...shown, arrival: [...before, ...added] }) };
}

function joinBulletin({ lists, view }: Joining, given: Bulletin): PreferredChange {
  for (const [kind] of TOP_LISTS) {
    for (const object of listOf(given, kind)) lists.put(kind, object);
  }
  return shownIn(given, view);
}

function joinRow({ lists, arrivals, shown }: Joining, row: JoinedRow): PreferredChange {
  const add = (kind: Kind, object: object) => lists.add(kind, object as Identified);
  const originID = row.origin && add("origin", row.origin);
  const centroidID = row.centroid && add("origin", atTimeOf(row.centroid, shown));
  const placeID = centroidID ?? originID;
  const magnitudes = (row.magnitude ?? []).map((magnitude) => {
    const of = isMoment(magnitude) ? placeID : originID;
    return { magnitude, id: add("magnitude", of ? { ...magnitude, originID: of } : magnitude) };
  });
  const momentMagnitudeID = magnitudes.find(({ magnitude }) => isMoment(magnitude))?.id;
  const mechanisms = (row.focalMechanism ?? []).map((mechanism) => {
    const derivedOriginID = placeID ?? shown?.publicID ?? "";
    const tensors = mechanism.momentTensor?.map((tensor) => ({
      ...tensor,
      derivedOriginID,
      ...(momentMagnitudeID && { momentMagnitudeID }),
    }));
    return add("focalMechanism", { ...mechanism, ...(tensors && { momentTensor: tensors }) });
  });
  for (const { pick, arrival } of row.picks ?? []) {
    const pickID = add("pick", pick);
    if (arrival && !arrivals.has(pickID)) arrivals.set(pickID, { ...arrival, pickID });
  }
  // Of several magnitudes that one which the event does not have from elsewhere.
  const [first] = magnitudes;
  const own = magnitudes.find(({ magnitude, id }) => magnitude.publicID === id) ?? first;
  return {
    ...(originID && { originID }),
    ...(own && { magnitudeID: own.id }),
    ...(mechanisms.length > 0 && { focalMechanismID: mechanisms[0] }),
  };
}

function isMoment({ type = "" }: QuakemlObject<"Magnitude">): boolean {
  return /^mw/i.test(type);
}

const MINUTE_MS = 60_000;

/** A centroid whose table has the minute alone takes the seconds of the event. */
function atTimeOf(centroid: QuakemlObject<"Origin">, shown: QuakemlObject<"Origin"> | undefined) {
  const [given, known] = [parseTime(centroid.time.value), parseTime(shown?.time.value ?? "")];
  if (given === null || known === null) return centroid;
  const [start, time] = [timeToMilliseconds(given), timeToMilliseconds(known)];
  const isWithin = start % MINUTE_MS === 0 && time >= start && time < start + MINUTE_MS;
  return isWithin ? { ...centroid, time: { value: shown?.time.value ?? "" } } : centroid;
}

/** The ids of what a bulletin shows. */
function shownIn(bulletin: Bulletin, view: BulletinView): PreferredChange {
  const { origin, magnitude, focalMechanism } = shownBy(view);
  const originID = origin(bulletin)?.publicID;
  const magnitudeID = magnitude(bulletin)?.publicID;
  const focalMechanismID = focalMechanism(bulletin)?.publicID;
  return {
    ...(originID && { originID }),
    ...(magnitudeID && { magnitudeID }),
    ...(focalMechanismID && { focalMechanismID }),
  };
}

/** Those of the ids that the bulletin does not show. */
function unlessShown(bulletin: Bulletin, ids: PreferredChange, view: BulletinView) {
  const shown = shownIn(bulletin, view);
  const others = PREFERABLE.flatMap(({ of }) =>
    ids[of] === undefined || ids[of] === shown[of] ? [] : [[of, ids[of]]],
  );
  return Object.fromEntries(others);
}

/** With how many solutions of a kind a table's is compared: what tables gave has ids by which it is known. */
const MAX_COMPARED = 1_000;

type List = {
  readonly objects: Identified[];
  readonly places: Map<string, number>;
  /** What was there before anything was added. */
  readonly before: readonly Identified[];
  /** Of picks: those that were there before, by station and time. */
  readonly byKey: ReadonlyMap<string, readonly Identified[]> | null;
  isChanged: boolean;
};

/** The lists of a bulletin to which solutions are added. */
function createJoinedLists(bulletin: Bulletin) {
  const lists = new Map<Kind, List>();

  function listFor(kind: Kind): List {
    const known = lists.get(kind);
    if (known !== undefined) return known;
    const before = listOf(bulletin, kind);
    const places = new Map<string, number>();
    for (const [place, { publicID }] of before.entries()) {
      if (!places.has(publicID)) places.set(publicID, place);
    }
    const byKey = kind === "pick" ? Map.groupBy(before, pickKey) : null;
    const list = { objects: [...before], places, before, byKey, isChanged: false };
    lists.set(kind, list);
    return list;
  }

  function push(list: List, object: Identified): void {
    list.places.set(object.publicID, list.objects.length);
    list.objects.push(object);
    list.isChanged = true;
  }

  return {
    /** Adds an object of a file with ids of its own, or gives the one of that id its members. */
    put(kind: Kind, object: Identified): void {
      const list = listFor(kind);
      const place = list.places.get(object.publicID);
      const present = place === undefined ? undefined : list.objects[place];
      if (place === undefined || present === undefined) {
        push(list, object);
        return;
      }
      const after = { ...present, ...object };
      if (sameJson(after, present)) return;
      list.objects[place] = after;
      list.isChanged = true;
    },
    /**
     * Adds an object that a table gives, unless it has come before or the event has the like.
     * @returns the public id under which the event has it
     */
    add(kind: Kind, object: Identified): string {
      const list = listFor(kind);
      if (list.places.has(object.publicID)) return object.publicID;
      const compared = list.byKey?.get(pickKey(object)) ?? (list.byKey ? [] : list.before);
      const same = compared
        .slice(0, MAX_COMPARED)
        .find((present) => isSameSolution(kind, object, present));
      if (same !== undefined) return same.publicID;
      push(list, object);
      return object.publicID;
    },
    /** The bulletin with what was added; the same object where nothing was. */
    bulletin: (): Bulletin =>
      [...lists].reduce(
        (result, [kind, { objects, isChanged }]) =>
          isChanged ? withList(result, kind, objects) : result,
        bulletin,
      ),
  };
}

function pickKey({ time: picked, waveformID }: Identified): string {
  const { value } = picked as { readonly value: string };
  const { stationCode } = waveformID as { readonly stationCode: string };
  const time = parseTime(value);
  return `${stationCode} ${time === null ? value : timeToMicros(time)}`;
}

type Json = Readonly<Record<string, unknown>>;

/** Who made a solution, and what it belongs to, does not make it another one. */
const ASIDE: ReadonlySet<string> = new Set([
  "publicID",
  "creationInfo",
  "foreign",
  "member",
  "originID",
  "derivedOriginID",
  "momentMagnitudeID",
  "triggeringOriginID",
]);
const OF_PLACE = ["time", "latitude", "longitude", "depth"] as const;
const PLACE: ReadonlySet<string> = new Set([...ASIDE, ...OF_PLACE]);

/**
 * Whether a solution that a table gives is one that an event has: all that the table says of it is there.
 * Places and times of origins are compared in the digits that the table has.
 */
function isSameSolution(kind: Kind, given: Identified, present: Identified): boolean {
  if (kind !== "origin") return agrees(given, present, ASIDE);
  return (
    isSamePlace(given as unknown as Origin, present as unknown as Origin) &&
    agrees(given, present, PLACE)
  );
}

type Origin = QuakemlObject<"Origin">;

function isSamePlace(given: Origin, present: Origin): boolean {
  const isNear = (member: "latitude" | "longitude") =>
    isRounded(given[member].value, present[member].value, 1);
  return (
    isSameTime(given.time.value, present.time.value) &&
    isNear("latitude") &&
    isNear("longitude") &&
    (given.depth === undefined ||
      (present.depth !== undefined &&
        isRounded(inKilometres(given.depth.value), inKilometres(present.depth.value), 0))) &&
    OF_PLACE.every((member) =>
      agrees(given[member] ?? {}, present[member] ?? {}, new Set(["value"])),
    )
  );
}

function inKilometres(metres: number): number {
  return movePoint(metres, -KILOMETRES_TO_METRES) as number;
}

/** Rounded or cut off to the digits of the given one. */
function isSameTime(given: string, present: string): boolean {
  const [one, other] = [parseTime(given), parseTime(present)];
  if (one === null || other === null) return given === present;
  const difference = Math.abs(timeToMilliseconds(one) - timeToMilliseconds(other));
  return difference === 0 || difference < 1000 * 10 ** -fractionDigits(one);
}

/**
 * Whether a number is another one in fewer digits.
 * @param fewest digits after the point with which a number can be a rounded one: a whole number may have
 * lost its zeros
 */
function isRounded(given: number, present: number, fewest: number): boolean {
  if (given === present) return true;
  const [, { length: digits } = ""] = /\.(\d+)$/.exec(String(given)) ?? [];
  return digits >= fewest && Math.abs(given - present) <= 0.5000001 * 10 ** -digits;
}

/** Whether every member of an object, but for some, is in another with the same value. */
function agrees(given: object, present: object, aside: ReadonlySet<string>): boolean {
  return Object.entries(given).every(
    ([member, value]) => aside.has(member) || hasValue((present as Json)[member], value),
  );
}

function hasValue(present: unknown, given: unknown): boolean {
  if (given === present) return true;
  if (Array.isArray(given)) {
    return (
      Array.isArray(present) &&
      given.length === present.length &&
      given.every((item, i) => hasValue(present[i], item))
    );
  }
  const areObjects = isObject(given) && isObject(present);
  return areObjects && agrees(given, present, ASIDE);
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
