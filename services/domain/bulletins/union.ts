import { OWN_NAMESPACE, withGivenId, withGivenReference } from "#contracts/bulletin/own-members.ts";
import type {
  Bulletin,
  Foreign,
  Kind,
  QuakemlObject,
  TypeName,
} from "#contracts/bulletin/quakeml.ts";
import { bulletinOfRow, withMember } from "#contracts/bulletin/row.ts";
import { EVENT_ID_PATH, OWN_AUTHORITY } from "#contracts/seismic-event/ids.ts";
import { movePoint } from "#contracts/seismic-event/names.ts";
import { idsOf } from "#contracts/seismic-event/public-ids.ts";
import type { GivenGroup, SeismicEventRecord } from "#contracts/seismic-event/seismic-event.ts";
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
  nestedLists,
  PREFERABLE,
  type PreferredChange,
  referencesLead,
  rewritten,
  sameJson,
  shownBy,
  solutionsIn,
  TOP_LISTS,
  type ViewedName,
  withList,
  withPreferred,
  withUnsaid,
} from "./view.ts";

/** A member of a merged event: its bulletin, if it has one, and its row. */
export type BulletinMember = {
  readonly bulletin: Bulletin | null;
  readonly record: SeismicEventRecord;
  readonly eventId: string;
  /** Stands for `eventId`, which who reads the merged catalogue alone is not told; 32 digits. */
  readonly pseudonym: string;
};

/** A merged event's row, and how it came from its members. */
export type MergedRow = {
  readonly record: SeismicEventRecord;
  /** Index of the chosen member. */
  readonly chosen: number;
  /** Whether the origin is computed from the members' and is none of theirs. */
  readonly ownOrigin: boolean;
  /** Ids of the members whose solutions it shows, where each was chosen by itself. */
  readonly givers?: { readonly [G in GivenGroup]: string | null } | undefined;
  /** For ids of the service. */
  readonly pseudonym: string;
};

/** The method of origins that are means of their members'. */
const AVERAGE_METHOD = `${OWN_AUTHORITY}merge/average`;

/**
 * The bulletin of a merged event: all that its members' bulletins have, for one without what its row
 * says. The merged row is its view. Null where no member has one.
 * @param members in the order of `source_events`
 */
export function unitedBulletin(
  members: readonly BulletinMember[],
  row: MergedRow,
  view: BulletinView,
): Bulletin | null {
  if (members.every(({ bulletin }) => bulletin === null)) return null;
  const sources = members.map(unionMember);
  const united = unitedObjects(sources);
  const chosen = sources[row.chosen]?.bulletin;
  if (chosen === undefined) throw new RangeError(`no member ${row.chosen}`);
  let result = eventOf(chosen, sources, members[row.chosen]?.record, row);
  for (const [kind, objects] of united.lists) result = withList(result, kind, objects);
  result = withPreferredOf(result, { members, sources, united }, row, view);
  if (row.ownOrigin) result = withOwnOrigin(result, row);
  return withUnsaid(result, row.record, view);
}

/** What a member says; no id of the service names its event. */
function unionMember({ bulletin, record, eventId, pseudonym }: BulletinMember): UnionMember {
  const given = bulletin ?? bulletinOfRow({ ...record, id: pseudonym });
  const text = JSON.stringify(given);
  const compact = eventId.replaceAll("-", "");
  const isNamed = text.includes(compact) || text.includes(eventId);
  if (!isNamed) return { bulletin: given, pseudonym };
  const other = text.replaceAll(compact, pseudonym).replaceAll(eventId, pseudonym);
  return { bulletin: JSON.parse(other) as Bulletin, pseudonym };
}

/** The event's own members: the chosen one's, then descriptions and comments of the others. */
function eventOf(
  chosen: Bulletin,
  sources: readonly UnionMember[],
  chosenRecord: SeismicEventRecord | undefined,
  { record, pseudonym }: MergedRow,
): Bulletin {
  const { publicID, typeCertainty, creationInfo } = chosen;
  const others = sources.map(({ bulletin }) => bulletin).filter((one) => one !== chosen);
  const description = united(
    chosen.description,
    others.map((one) => one.description),
  );
  const comment = united(
    chosen.comment,
    others.map((one) => one.comment),
  );
  const foreign = unitedForeign(
    chosen.foreign,
    others.map((one) => one.foreign),
  );
  const event: Bulletin = {
    publicID,
    ...(description.length > 0 && { description }),
    ...(comment.length > 0 && { comment }),
    ...(record.event_type !== null && { type: record.event_type }),
    ...(typeCertainty !== undefined && { typeCertainty }),
    ...(creationInfo !== undefined && { creationInfo }),
    ...(foreign.length > 0 && { foreign }),
  };
  // Another event of the merged catalogue has the public id; the row keeps it in `extra`.
  const isLost = idsOf(record).publicId !== (chosenRecord && idsOf(chosenRecord).publicId);
  return isLost ? { ...event, publicID: EVENT_ID_PATH + pseudonym } : event;
}

/** Each value as often as the list that has it most often; those of `first` in their order before. */
function united<T>(first: readonly T[] = [], others: readonly (readonly T[] | undefined)[]): T[] {
  const all = [...first];
  for (const list of others) {
    const left = [...all];
    for (const value of list ?? []) {
      const place = left.findIndex((other) => sameJson(other, value));
      if (place < 0) all.push(value);
      else left.splice(place, 1);
    }
  }
  return all;
}

/** Of attributes of one name the first; what the service says of other members' rows is theirs. */
function unitedForeign(
  first: readonly Foreign[] = [],
  others: readonly (readonly Foreign[] | undefined)[],
): Foreign[] {
  const isAttribute =
    ({ ns, name, at }: Foreign) =>
    (other: Foreign) =>
      other.attribute && other.ns === ns && other.name === name && other.at === at;
  const all = united(
    first,
    others.map((list) => list?.filter(({ ns }) => ns !== OWN_NAMESPACE)),
  );
  return all.filter((one, i) => !one.attribute || all.findIndex(isAttribute(one)) === i);
}

/**
 * Prefers what the members prefer from which the row has its origin, magnitude and mechanisms, and by
 * name what they show, where the union would show something else.
 */
function withPreferredOf(
  bulletin: Bulletin,
  {
    members,
    sources,
    united,
  }: {
    readonly members: readonly BulletinMember[];
    readonly sources: readonly UnionMember[];
    readonly united: ReturnType<typeof unitedObjects>;
  },
  { record, chosen, givers }: MergedRow,
  view: BulletinView,
): Bulletin {
  const shown = shownBy(view);
  return PREFERABLE.reduce((result, { kind, member, names }) => {
    const giver = givers?.[GROUP_OF[kind as keyof typeof GROUP_OF]] ?? null;
    const from =
      giver === null
        ? memberWith(members, record, chosen, names)
        : members.findIndex(({ eventId }) => eventId === giver);
    const source = sources[from]?.bulletin;
    if (source === undefined) return result;
    const given = source[member];
    const isThere = listOf(result, kind).some(({ publicID }) => publicID === given);
    const named = given && (united.idOf(from, kind, given) ?? (isThere ? undefined : given));
    const preferring = withMember(result, member, named ?? null);
    const showOf = shown[kind as keyof typeof shown];
    const solution = showOf(source);
    const id = solution && united.idOf(from, kind, solution.publicID);
    return id === undefined || showOf(preferring)?.publicID === id
      ? preferring
      : withMember(preferring, member, id);
  }, bulletin);
}

/** What of a row the solutions of a kind give. */
const GROUP_OF = {
  origin: "location",
  magnitude: "magnitude",
  focalMechanism: "mechanism",
} as const satisfies Partial<Record<Kind, GivenGroup>>;

/** The member that has these attributes of the row: the chosen one, if it does. */
function memberWith(
  members: readonly BulletinMember[],
  row: SeismicEventRecord,
  chosen: number,
  names: readonly ViewedName[],
): number {
  const has = (one: BulletinMember | undefined) =>
    one !== undefined && names.every((name) => sameJson(one.record[name], row[name]));
  if (has(members[chosen])) return chosen;
  const other = members.findIndex(has);
  return other < 0 ? chosen : other;
}

function withOwnOrigin(bulletin: Bulletin, { record, pseudonym }: MergedRow): Bulletin {
  const [origin] = bulletinOfRow({ ...record, extra: null, id: pseudonym }).origin ?? [];
  if (origin === undefined) return bulletin;
  const own: QuakemlObject<"Origin"> = { ...origin, methodID: AVERAGE_METHOD };
  const origins = [...listOf(bulletin, "origin"), own as unknown as Identified];
  return { ...withList(bulletin, "origin", origins), preferredOriginID: own.publicID };
}

/** What does not stand in every id. */
const UNSAFE = /[^\w.-]/g;

/**
 * An object of a member with references to what they mean in the union. One that leads nowhere and whose
 * id another member has gets an id that nothing has, and keeps the given one beside it.
 * @param meaning the id of the union for a reference; null where it leads nowhere in the member, but here
 */
function withMeaning(
  type: TypeName,
  object: Identified,
  meaning: (to: Kind, id: string) => string | null,
): Identified {
  const result = rewritten(type, object, (holder, { member, to, id }) => {
    const present = meaning(to, id);
    if (present === id) return holder;
    if (present !== null) return { ...holder, [member]: present };
    const nothing = `${OWN_AUTHORITY}${to}/none/${id.replaceAll(UNSAFE, "-")}`;
    return withGivenReference({ ...holder, [member]: nothing }, member, id);
  });
  return result ?? object;
}

/** A bulletin of a union, and what stands for its event in ids of the service. */
type UnionMember = { readonly bulletin: Bulletin; readonly pseudonym: string };

/** An object of the union; `given` is as members have it, but for references. */
type United = { readonly given: Identified; readonly publicID: string; readonly members: number[] };

/** Kinds in an order in which references lead to earlier ones: what they mean is known then. */
const IN_ORDER = inOrderOfReference();

function inOrderOfReference(): (typeof TOP_LISTS)[number][] {
  const ordered: (typeof TOP_LISTS)[number][] = [];
  while (ordered.length < TOP_LISTS.length) {
    const left = TOP_LISTS.filter((list) => !ordered.includes(list));
    const next = left.filter(([, type]) => !left.some(([kind]) => referencesLead(type, kind)));
    if (next.length === 0) throw new RangeError("references of kinds are in a circle");
    ordered.push(...next);
  }
  return ordered;
}

/**
 * Unites the objects of bulletins in their order. Objects of one kind and id that are equal, and whose
 * references mean the same, are one. An id that stands for something else already is replaced by one of
 * the service, and its member's references follow: no reference changes its meaning, and one that leads
 * nowhere goes on to do so.
 */
function unitedObjects(members: readonly UnionMember[]) {
  const solutions = members.flatMap(({ bulletin }) => [...solutionsIn(bulletin)]);
  const defined = new Set(solutions.map(({ kind, object }) => keyOf(kind, object.publicID)));
  const names = members.map(() => new Map<string, string>());
  const withNestedNames = createNestedNames(defined);
  const lists = new Map<Kind, Identified[]>();
  for (const [kind, type] of IN_ORDER) {
    const united = createUnitedList(kind, defined);
    for (const [i, member] of members.entries()) {
      const meaning = (to: Kind, id: string) =>
        names[i]?.get(keyOf(to, id)) ?? (defined.has(keyOf(to, id)) ? null : id);
      for (const [place, { member: _, ...object }] of listOf(member.bulletin, kind).entries()) {
        const given = withMeaning(type, object as Identified, meaning);
        const key = keyOf(kind, given.publicID);
        const isFirst = !names[i]?.has(key);
        const { publicID } = united.add(given, i, isFirst, `${member.pseudonym}/${place + 1}`);
        if (isFirst) names[i]?.set(key, publicID);
      }
    }
    lists.set(
      kind,
      united.objects().map((one) => withNestedNames(type, one, members)),
    );
  }
  /** The id under which the union has what an id means in a member. */
  const idOf = (member: number, kind: Kind, publicID: string) =>
    names[member]?.get(keyOf(kind, publicID));
  return { lists, idOf };
}

function createUnitedList(kind: Kind, defined: ReadonlySet<string>) {
  const all: United[] = [];
  const byId = new Map<string, United[]>();

  return {
    objects: (): readonly United[] => all,
    /** @param isFirst whether references of its member mean it */
    add(given: Identified, member: number, isFirst: boolean, place: string): United {
      const { publicID: id } = given;
      const namesakes = byId.get(id) ?? [];
      byId.set(id, namesakes);
      const equal = namesakes.find(
        (one) =>
          !one.members.includes(member) &&
          (!isFirst || namesakes.find(({ publicID }) => publicID === one.publicID) === one) &&
          sameJson(one.given, given),
      );
      if (equal !== undefined) {
        equal.members.push(member);
        return equal;
      }
      const isTaken = namesakes.some(({ members: [first] }) => first !== member);
      const publicID = isTaken ? freeId(kind, place, defined) : id;
      const added: United = { given, publicID, members: [member] };
      namesakes.push(added);
      all.push(added);
      return added;
    },
  };
}

/** Gives an object its id and its members; ids inside it that another member's have are replaced. */
function createNestedNames(defined: ReadonlySet<string>) {
  const takenBy = new Map<string, number>();
  return (type: TypeName, one: United, members: readonly UnionMember[]): Identified => {
    const { given, publicID, members: has } = one;
    const [first = 0] = has;
    const pseudonym = members[first]?.pseudonym ?? "";
    let result = publicID === given.publicID ? given : renamed(given, publicID);
    for (const [kind] of nestedLists(type)) {
      const list = result[kind] as readonly Identified[] | undefined;
      if (list === undefined) continue;
      const inside = list.map((object, i) => {
        const key = keyOf(kind, object.publicID);
        const owner = takenBy.get(key) ?? first;
        takenBy.set(key, owner);
        if (owner === first) return object;
        const place = `${pseudonym}/${takenBy.size}.${i + 1}`;
        return renamed(object, freeId(kind, place, defined));
      });
      result = { ...result, [kind]: inside };
    }
    return { ...result, member: has };
  };
}

function renamed(object: Identified, publicID: string): Identified {
  return { ...withGivenId(object, object.publicID), publicID };
}

/** An id of the service that no member has. */
function freeId(kind: Kind, place: string, defined: ReadonlySet<string>): string {
  let id = `${OWN_AUTHORITY}${kind}/merged/${place}`;
  while (defined.has(keyOf(kind, id))) id += "+";
  return id;
}

function keyOf(kind: Kind, publicID: string): string {
  return `${kind} ${publicID}`;
}

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
