import { areSameBytes, createTextBytes, hashOfBytes, withRoomFor } from "../texts/text-bytes.ts";

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
