/** What runs of a schedule know of an agency's listing, and what of it they ask for in full. */

import { areSameBytes, createTextBytes, hashOfBytes, withRoomFor } from "../texts.ts";

/** The first byte; another one stands before a form that this does not read. */
const FORM = 2;
const TIME = 1;
const COUNT = TIME + 8;
const PARTS_DONE = COUNT + 4;
const PARTS_TO = PARTS_DONE + 1;
const HEAD_BYTES = PARTS_TO + 8;
/** The form before: without parts. */
const WITHOUT_PARTS = 1;
const NO_PARTS: WindowParts = { done: 0, toMs: 0 };

/** Of an entry: the fingerprint, the length of the id in UTF-8, its bytes. */
const LENGTH = 8;
const ID = LENGTH + 4;

const FIRST_SLOTS = 1024;

/**
 * What an agency's listing said of each event when it was last read: eight bytes by its id, in a packed form
 * that is stored as it stands. A million of GeoNet's ids take 22 MB.
 * @param packed what `pack` gave; null, or another form, for nothing known
 */
export function openKnownFingerprints(packed: Uint8Array | null) {
  const given = packed && inPresentForm(packed);
  const time = given?.readDoubleLE(TIME) ?? Number.NaN;
  let bytes: Buffer = given ?? createTextBytes();
  let end = given?.length ?? HEAD_BYTES;
  let count = given?.readUInt32LE(COUNT) ?? 0;
  /** Offsets of entries; 0 is a free slot, since the head stands there. */
  let slots = filledSlots(bytes, end, count);

  /** Writes an id behind the last entry, which makes it one when it is new. */
  function slotFor(id: string): number {
    bytes = withRoomFor(id, ID, bytes, end);
    bytes.writeUInt32LE(bytes.write(id, end + ID), end + LENGTH);
    return slotOf(slots, bytes, end);
  }

  return {
    /** When everything in the window was last asked for in full, milliseconds since 1970; null for never. */
    thoroughMs: Number.isNaN(time) ? null : time,
    /** What has been asked for in full since. */
    parts: given
      ? { done: given.readUInt8(PARTS_DONE), toMs: given.readDoubleLE(PARTS_TO) }
      : NO_PARTS,
    /** Ids that have been put in. */
    size: () => count,
    /** 0 for an unknown id. */
    get(id: string): bigint {
      const entry = slots[slotFor(id)];
      return entry ? bytes.readBigUInt64LE(entry) : 0n;
    },
    /** @param fingerprint unsigned, 64 bits; 0 as if the id were unknown */
    put(id: string, fingerprint: bigint): void {
      const slot = slotFor(id);
      const entry = slots[slot] || end;
      bytes.writeBigUInt64LE(fingerprint, entry);
      if (entry !== end) return;
      slots[slot] = end;
      end += ID + bytes.readUInt32LE(end + LENGTH);
      count += 1;
      if (4 * count > 3 * slots.length) slots = filledSlots(bytes, end, 2 * count);
    },
    pack(thoroughMs: number | null, { done, toMs }: WindowParts = NO_PARTS): Uint8Array {
      bytes[0] = FORM;
      bytes.writeDoubleLE(thoroughMs ?? Number.NaN, TIME);
      bytes.writeUInt32LE(count, COUNT);
      bytes.writeUInt8(done, PARTS_DONE);
      bytes.writeDoubleLE(toMs, PARTS_TO);
      return Uint8Array.from(bytes.subarray(0, end));
    },
  };
}

function inPresentForm(packed: Uint8Array): Buffer | null {
  if (packed[0] === FORM) return Buffer.from(packed);
  if (packed[0] !== WITHOUT_PARTS) return null;
  const added = new Uint8Array(HEAD_BYTES - PARTS_DONE);
  return Buffer.concat([packed.subarray(0, PARTS_DONE), added, packed.subarray(PARTS_DONE)]);
}

/** A hash table of the entries, with open addressing, for at least so many. */
function filledSlots(bytes: Buffer, end: number, atLeast: number): Uint32Array {
  let length = FIRST_SLOTS;
  while (3 * length <= 4 * atLeast) length *= 2;
  const slots = new Uint32Array(length);
  for (let entry = HEAD_BYTES; entry < end; entry += ID + bytes.readUInt32LE(entry + LENGTH)) {
    slots[slotOf(slots, bytes, entry)] = entry;
  }
  return slots;
}

/** The slot of the id at that entry, or the free slot for it. */
function slotOf(slots: Uint32Array, bytes: Buffer, entry: number): number {
  const mask = slots.length - 1;
  const length = bytes.readUInt32LE(entry + LENGTH);
  let slot = hashOfBytes(bytes, entry + ID, length) & mask;
  for (let other = slots[slot]; other; other = slots[slot]) {
    if (isSame(bytes, other, entry, length)) break;
    slot = (slot + 1) & mask;
  }
  return slot;
}

function isSame(bytes: Buffer, one: number, other: number, length: number): boolean {
  if (bytes.readUInt32LE(one + LENGTH) !== length) return false;
  return areSameBytes(bytes, one + ID, other + ID, length);
}

/** How far runs have come that read a window in parts. */
export type WindowParts = {
  /** Parts that have been read since all of them had been. */
  readonly done: number;
  /** The last instant of these, milliseconds since 1970. */
  readonly toMs: number;
};

const PARTS = 3;
/** A part has at least so many events: fewer are one request whatever is left out. */
const LEAST = 50;

/**
 * The next part of a window's events, in order of time: a third, or all that is left for the third run.
 * @param listed about how many events the window has
 */
export function createWindowPart({ done, toMs }: WindowParts, listed: number) {
  const fromMs = done === 0 ? Number.NEGATIVE_INFINITY : toMs;
  const isLast = done >= PARTS - 1;
  let left = isLast ? Number.POSITIVE_INFINITY : Math.max(LEAST, Math.ceil(listed / PARTS));
  let lastMs = fromMs;
  let isCut = false;

  return {
    /** @param times of further events of the window, milliseconds since 1970; those of earlier calls are older */
    extend(times: readonly number[]): void {
      for (const time of times.toSorted((a, b) => a - b)) {
        if (time <= lastMs) continue;
        if (left === 0) {
          isCut = true;
          return;
        }
        left -= 1;
        lastMs = time;
      }
    },
    /** Whether an event of that time is in it. */
    has: (time: number): boolean => time > fromMs && time <= lastMs,
    /** Once all events were told of: whether with this part all of the window was read. */
    isLast: (): boolean => !isCut,
    /** What is left for the next run. */
    after: (): WindowParts => ({ done: isCut ? done + 1 : 0, toMs: lastMs }),
  };
}

/** A span of time, both ends inclusive, in milliseconds since 1970. */
export type MillisecondSpan = { readonly from: number; readonly to: number };

/** Times in listings may be rounded to the second. */
const MARGIN_MS = 2_000;
/** Events that are read once more rather than asking twice. */
const NEAR = 10;
/** Most requests for what moved, as long as none of them has too many events. */
const MAX_SPANS = 40;

/**
 * Short spans around the events that moved, in order of time, for which they are asked in full. Near ones are
 * joined, and so are those with the fewest other events between them while there are too many.
 * @param moved times of the events that moved, milliseconds since 1970
 * @param listed times of all that were listed
 */
export function spansOfMoved(
  moved: readonly number[],
  listed: readonly number[],
): readonly MillisecondSpan[] {
  const times = Float64Array.from(moved).sort();
  const all = Float64Array.from(listed).sort();
  const gaps = gapsBetween(times, all)
    .filter(({ between, length }) => between > NEAR && length > 2 * MARGIN_MS)
    .sort((a, b) => b.between - a.between)
    .slice(0, MAX_SPANS - 1)
    .sort((a, b) => a.after - b.after);
  const spans: MillisecondSpan[] = [];
  let first = 0;
  for (const last of [...gaps.map(({ after }) => after), times.length - 1]) {
    const [from, to] = [times[first], times[last]];
    if (from === undefined || to === undefined) break;
    spans.push({ from: from - MARGIN_MS, to: to + MARGIN_MS });
    first = last + 1;
  }
  return spans;
}

type Gap = { readonly after: number; readonly between: number; readonly length: number };

/** The gaps between neighbours, and how many other events lie in each; one way through both lists. */
function gapsBetween(times: Float64Array, all: Float64Array): Gap[] {
  const gaps: Gap[] = [];
  let place = 0;
  for (let after = 0; after + 1 < times.length; after += 1) {
    const [time, next] = [times[after] as number, times[after + 1] as number];
    while (place < all.length && (all[place] as number) <= time) place += 1;
    const begin = place;
    while (place < all.length && (all[place] as number) < next) place += 1;
    gaps.push({ after, between: place - begin, length: next - time });
  }
  return gaps;
}
