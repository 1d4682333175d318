import { bareId, bareIdOf, type EventIds, idsOf } from "#contracts/seismic-event/public-ids.ts";
import type { SeismicEventRecord } from "#contracts/seismic-event/seismic-event.ts";
import { areSameBytes, createTextBytes, hashOfBytes, withRoomFor } from "../texts.ts";

/** The event of the catalogue that a submitted one corresponds to. */
export type Identified<K extends KnownEvent> =
  | { readonly outcome: "known"; readonly event: K }
  /** It has one of the other ids; `sourceId` is the `source_id` that it has from now on. */
  | { readonly outcome: "renamed"; readonly event: K; readonly sourceId: string }
  /** Not in the catalogue; `sourceId` is the `source_id` under which to add it. */
  | { readonly outcome: "new"; readonly sourceId: string | null }
  /** Its ids match several events of the catalogue, or one that was matched before. */
  | { readonly outcome: "unclear" };

export type EventIdentifier = ReturnType<typeof createEventIdentifier>;

/**
 * Distinguishes the events of one import or submission (infra/decisions/0024).
 * Lookups show the catalogue before the first event, so later changes are tracked here. At most one
 * submitted event matches an event of the catalogue.
 */
export function createEventIdentifier() {
  const settled = createSettledIds();
  return {
    /**
     * Registers an event; null for a repetition: the same public id came before, or the same
     * `source_id` and one of the two events has no public id.
     */
    take: settled.take,
    /** Called once for each registered event, in the same order. */
    identify<K extends KnownEvent>(ids: StoredIds, known: KnownEvents<K>): Identified<K> {
      const { sourceId, publicId } = ids;
      if (publicId !== null) return identifyPublic(settled, ids, publicId, known);
      if (sourceId !== null) return identifyBare(settled, ids, sourceId, known);
      return { outcome: "new", sourceId: null };
    },
  };
}

function identifyPublic<K extends KnownEvent>(
  settled: SettledIds,
  ids: StoredIds,
  publicId: string,
  known: KnownEvents<K>,
): Identified<K> {
  if (settled.hasMetPublic(ids)) return { outcome: "unclear" };
  const same = known.withPublicId(publicId);
  if (same !== undefined) return meet(settled, same, ids);
  const bare = bareIdOf(ids);
  const namesake = bare === null ? undefined : known.withSourceId(bare);
  if (namesake?.publicId === null && !settled.isMet(namesake)) return meet(settled, namesake, ids);
  const sourceId = freeSourceId(settled, ids, publicId, known);
  const renamed = meetFormer(settled, ids, sourceId, known);
  if (renamed !== null) return renamed;
  settled.settle(sourceId, publicId, ids);
  return { outcome: "new", sourceId };
}

/** The event's own `source_id`, else its public id; null when another event has that too. */
function freeSourceId(
  settled: SettledIds,
  ids: StoredIds,
  publicId: string,
  known: KnownEvents<KnownEvent>,
): string | null {
  const { sourceId } = ids;
  if (sourceId === null) return null;
  const isOwnFree = !settled.hasTakenSource(ids) && known.withSourceId(sourceId) === undefined;
  if (isOwnFree) return sourceId;
  const isFree = !settled.isTaken(publicId) && known.withSourceId(publicId) === undefined;
  return isFree ? publicId : null;
}

function identifyBare<K extends KnownEvent>(
  settled: SettledIds,
  ids: StoredIds,
  sourceId: string,
  known: KnownEvents<K>,
): Identified<K> {
  const namesake = known.withSourceId(sourceId);
  const others = known.underPublicId(sourceId);
  if (namesake !== undefined) {
    const isOneOfSeveral = others.length > 0 || settled.hasBorneSource(ids);
    if (namesake.publicId !== null && isOneOfSeveral) return { outcome: "unclear" };
    return meet(settled, namesake, ids);
  }
  const [only, ...further] = others.filter((event) => !settled.isMet(event));
  if (settled.hasTakenSource(ids) || further.length > 0) return { outcome: "unclear" };
  if (only !== undefined) return meet(settled, only, ids);
  const renamed = meetFormer(settled, ids, sourceId, known);
  if (renamed !== null) return renamed;
  settled.settle(sourceId, null, ids);
  return { outcome: "new", sourceId };
}

/** The first event that the catalogue has under another id than the event's own. */
function meetFormer<K extends KnownEvent>(
  settled: SettledIds,
  ids: StoredIds,
  sourceId: string | null,
  known: KnownEvents<K>,
): Identified<K> | null {
  if (sourceId === null) return null;
  for (const id of ids.others ?? []) {
    const event = known.withSourceId(id) ?? known.withPublicId(id);
    if (event === undefined || settled.isMet(event)) continue;
    settled.settle(event.sourceId, event.publicId, ids);
    settled.settle(sourceId, ids.publicId, ids);
    return { outcome: "renamed", event, sourceId };
  }
  return null;
}

function meet<K extends KnownEvent>(settled: SettledIds, event: K, ids: StoredIds): Identified<K> {
  if (settled.isMet(event)) return { outcome: "unclear" };
  settled.settle(event.sourceId, event.publicId, ids);
  return { outcome: "known", event };
}

/** An event that a catalogue has; `id` is ours. */
export type KnownEvent = EventIds & { readonly id: string };

/** Events of a catalogue by their ids. */
export type KnownEvents<K extends KnownEvent> = {
  readonly withSourceId: (sourceId: string) => K | undefined;
  readonly withPublicId: (publicId: string) => K | undefined;
  /** Events whose `source_id` is a public id, by the bare id in it. */
  readonly underPublicId: (bareId: string) => readonly K[];
};

export function knownEvents<K extends KnownEvent>(events: Iterable<K>): KnownEvents<K> {
  const bySourceId = new Map<string, K>();
  const byPublicId = new Map<string, K>();
  const byBareId = new Map<string, K[]>();
  for (const event of events) {
    const { sourceId, publicId } = event;
    if (sourceId !== null) bySourceId.set(sourceId, event);
    if (publicId === null) continue;
    byPublicId.set(publicId, first(byPublicId.get(publicId), event));
    if (sourceId !== publicId) continue;
    const bareId = bareIdOf(event) ?? publicId;
    byBareId.set(bareId, [...(byBareId.get(bareId) ?? []), event]);
  }
  return {
    withSourceId: (sourceId) => bySourceId.get(sourceId),
    withPublicId: (publicId) => byPublicId.get(publicId),
    underPublicId: (bareId) => byBareId.get(bareId) ?? [],
  };
}

export const NOTHING_KNOWN: KnownEvents<never> = knownEvents([]);

/**
 * Chooses between two events with one public id, which older versions of this service accepted:
 * always the same one, in any order, and preferably one with a `source_id`.
 */
function first<K extends KnownEvent>(one: K | undefined, other: K): K {
  if (one === undefined) return other;
  if ((one.sourceId === null) !== (other.sourceId === null)) {
    return one.sourceId === null ? other : one;
  }
  return one.id < other.id ? one : other;
}

/** The given data of an event that its agency calls otherwise from now on. @param publicId null for none */
export function takeIdentity(
  data: SeismicEventRecord,
  { sourceId, publicId }: EventIds,
): SeismicEventRecord {
  const { public_id: _, ...others } = data.extra ?? {};
  const extra = publicId === null ? others : { ...others, public_id: publicId };
  return { ...data, source_id: sourceId, extra: Object.keys(extra).length === 0 ? null : extra };
}

/**
 * The given data of an event that the catalogue has, with its ids there: its `source_id` stays, and
 * so does its public id if none is given.
 */
export function keepIdentity(
  data: SeismicEventRecord,
  { sourceId, publicId }: EventIds,
): SeismicEventRecord {
  const present = idsOf(data).publicId ?? publicId;
  const record = data.source_id === sourceId ? data : { ...data, source_id: sourceId };
  if (idsOf(record).publicId === present) return record;
  return { ...record, extra: { ...record.extra, public_id: present } };
}

/** The ids of an event, and those that its agency says they replaced or stand beside, the nearest first. */
export type GivenIds = EventIds & { readonly others?: readonly string[] | undefined };

/** The ids of an event that came for the first time, and where they are stored. */
export type StoredIds = GivenIds & {
  readonly sourcePlace: MarkPlace | null;
  readonly publicPlace: MarkPlace | null;
};

/**
 * Marks of ids that were given: as a public id, as `source_id` beside one, as `source_id` without
 * one.
 */
const PUBLIC = 1;
const BESIDE_PUBLIC = 2;
const ALONE = 4;
/**
 * Marks of ids that a matched or added event has: as `source_id`, as public id, or as bare id
 * without being its `source_id`.
 */
const TAKEN = 8;
const MET = 16;
const BORNE = 32;

/** What has become of the ids of one import or submission, and of the events that they met. */
type SettledIds = ReturnType<typeof createSettledIds>;

function createSettledIds() {
  const marks = createIdMarks();
  const has = (place: MarkPlace | null, mark: number) =>
    place !== null && (marks.at(place) & mark) !== 0;
  const isTaken = (sourceId: string) => has(marks.ofSourceId(sourceId), TAKEN);

  return {
    /** Stores ids; null for a repetition. */
    take({ sourceId, publicId, others }: GivenIds): StoredIds | null {
      const sourcePlace = sourceId === null ? null : marks.ofSourceId(sourceId);
      const publicPlace = publicId === null ? null : marks.ofPublicId(publicId);
      const isAlone = publicPlace === null;
      if (has(publicPlace, PUBLIC)) return null;
      if (has(sourcePlace, isAlone ? ALONE | BESIDE_PUBLIC : ALONE)) return null;
      if (publicPlace !== null) marks.add(publicPlace, PUBLIC);
      if (sourcePlace !== null) marks.add(sourcePlace, isAlone ? ALONE : BESIDE_PUBLIC);
      return { sourceId, publicId, others, sourcePlace, publicPlace };
    },
    isTaken,
    hasTakenSource: ({ sourcePlace }: StoredIds) => has(sourcePlace, TAKEN),
    hasMetPublic: ({ publicPlace }: StoredIds) => has(publicPlace, MET),
    hasBorneSource: ({ sourcePlace }: StoredIds) => has(sourcePlace, BORNE),
    /** Whether an event of the catalogue has been matched, or added, before. */
    isMet: ({ sourceId, publicId }: EventIds) =>
      (sourceId !== null && isTaken(sourceId)) ||
      (publicId !== null && has(marks.ofPublicId(publicId), MET)),
    /** Records the ids that an event has from now on, which these stored ones met or made. */
    settle(sourceId: string | null, publicId: string | null, stored: StoredIds): void {
      if (sourceId !== null) {
        const isStored = sourceId === stored.sourceId && stored.sourcePlace !== null;
        marks.add(isStored ? stored.sourcePlace : marks.ofSourceId(sourceId), TAKEN);
      }
      if (publicId === null) return;
      // Its own public id is stored, and not looked up again.
      if (stored.publicId === null) marks.add(marks.ofPublicId(publicId), MET);
      if (publicId === sourceId) marks.add(marks.ofSourceId(bareId(publicId)), BORNE);
    },
  };
}

/** An index in the table of source ids; below 0, one in the table of public ids. */
export type MarkPlace = number;

/**
 * An agency's ids share one or a few prefixes; distinct prefixes for every event would fill the
 * memory.
 */
const MAX_BEGINNINGS = 1_000;

/**
 * Marks of source ids and public ids: bits of one byte that both share.
 *
 * Most public ids are a prefix shared by many, followed by the source id. The marks of such an id
 * are stored with those of its last part, together with the prefix's number, so both ids need one
 * entry. A public id gets an entry of its own only when another public id uses that one.
 */
export function createIdMarks() {
  const sourceIds = createIdTable();
  const publicIds = createIdTable();
  const beginnings = new Map<string, number>();

  /** From 1; 0 when there are too many prefixes. */
  function numberOf(beginning: string): number {
    const known = beginnings.get(beginning);
    if (known !== undefined) return known;
    if (beginnings.size === MAX_BEGINNINGS) return 0;
    beginnings.set(beginning, beginnings.size + 1);
    return beginnings.size;
  }

  return {
    /** A permanent reference to the marks of an id. */
    ofSourceId: (id: string): MarkPlace => sourceIds.place(id),
    ofPublicId(id: string): MarkPlace {
      const end = id.lastIndexOf("/") + 1;
      const number = numberOf(id.slice(0, end));
      if (number === 0) return ~publicIds.place(id);
      const place = sourceIds.place(id.slice(end));
      if (sourceIds.number(place) === 0) sourceIds.setNumber(place, number);
      return sourceIds.number(place) === number ? place : ~publicIds.place(id);
    },
    at: (place: MarkPlace): number =>
      place < 0 ? publicIds.marks(~place) : sourceIds.marks(place),
    add(place: MarkPlace, marks: number): void {
      if (place < 0) publicIds.mark(~place, marks);
      else sourceIds.mark(place, marks);
    },
  };
}

const FIRST_SLOTS = 1024;
const LENGTH_BYTES = 4;
const MARKS = LENGTH_BYTES;
const NUMBER = MARKS + 1;
const HEAD_BYTES = NUMBER + 2;

/**
 * An exact and compact set of well-formed strings, each with a byte of marks and a two-byte number, both
 * initially 0: the bytes of all ids in one buffer, each after
 * its length and marks, and an open-addressing hash table of their offsets. A million ids of an
 * agency take 30 MiB outside the garbage-collected heap; a `Map` of them takes more than 60.
 */
export function createIdTable() {
  /** Offset of an id plus one; 0 is a free slot. */
  let slots = new Uint32Array(FIRST_SLOTS);
  let bytes = createTextBytes();
  let end = 0;
  let count = 0;
  /** Lookups often repeat the last id. */
  let last = { id: "", place: -1 };

  function growTable(): void {
    const before = slots;
    slots = new Uint32Array(2 * before.length);
    for (const entry of before) if (entry !== 0) slots[slotOf(slots, bytes, entry - 1)] = entry;
  }

  /** Appends an id's bytes, which stay there when the id is new. */
  function placeOf(id: string): number {
    bytes = withRoomFor(id, HEAD_BYTES, bytes, end);
    const length = bytes.write(id, end + HEAD_BYTES);
    bytes.writeUInt32LE(length, end);
    const slot = slotOf(slots, bytes, end);
    const entry = slots[slot];
    if (entry) return entry - 1;
    const place = end;
    bytes.fill(0, place + MARKS, place + HEAD_BYTES);
    slots[slot] = place + 1;
    end += HEAD_BYTES + length;
    count += 1;
    if (4 * count > 3 * slots.length) growTable();
    return place;
  }

  return {
    /** The permanent index of an id, which is added when it is new. */
    place(id: string): number {
      if (last.place === -1 || last.id !== id) last = { id, place: placeOf(id) };
      return last.place;
    },
    marks: (place: number): number => bytes[place + MARKS] as number,
    mark(place: number, marks: number): void {
      bytes[place + MARKS] = (bytes[place + MARKS] as number) | marks;
    },
    number: (place: number): number => bytes.readUInt16LE(place + NUMBER),
    setNumber: (place: number, number: number): void => {
      bytes.writeUInt16LE(number, place + NUMBER);
    },
  };
}

/** The slot of the id at that offset, or the free slot for it. */
function slotOf(slots: Uint32Array, bytes: Buffer, start: number): number {
  const mask = slots.length - 1;
  let slot = hashOfBytes(bytes, start + HEAD_BYTES, bytes.readUInt32LE(start)) & mask;
  for (let entry = slots[slot]; entry; entry = slots[slot]) {
    if (isSame(bytes, entry - 1, start)) break;
    slot = (slot + 1) & mask;
  }
  return slot;
}

function isSame(bytes: Buffer, one: number, other: number): boolean {
  const length = bytes.readUInt32LE(one);
  if (length !== bytes.readUInt32LE(other)) return false;
  return areSameBytes(bytes, one + HEAD_BYTES, other + HEAD_BYTES, length);
}
