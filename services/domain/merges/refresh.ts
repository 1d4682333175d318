/**
 * What a refresh of a merge needs: which event goes on in which group, what may be near to what
 * changed, rows by their ids.
 */

import { greatCircleKm } from "#contracts/geometry/globe.ts";
import { at, type TextColumn, type Thresholds } from "./grouping/thresholds.ts";

export const NO_GROUP = -1;
export const NO_EVENT = -1;

/** An event of a merged catalogue before a refresh, and where its members are now. */
export type FormerEvent = {
  /** The group of the member that was chosen when the event was made; NO_GROUP where that is no more. */
  readonly founder: number;
  /** The group of each of its members that is still there. */
  readonly members: readonly number[];
  /** How many members it had. */
  readonly size: number;
};

/**
 * The heir of an event (infra/decisions/0047): the group of its founder, else the one with more than half of its
 * members; null for none.
 */
export function heirOf({ founder, members, size }: FormerEvent) {
  const shared = (group: number) => members.filter((one) => one === group).length;
  if (founder !== NO_GROUP) return { group: founder, shared: shared(founder) };
  for (const group of new Set(members)) {
    const count = shared(group);
    if (2 * count > size) return { group, shared: count };
  }
  return null;
}

/**
 * Which event each group goes on with. Of several whose heir it is, the one with most members in it; of these
 * the oldest, which is offered first.
 * @param groups how many there are
 */
export function createHeirs(groups: number) {
  const eventOf = new Int32Array(groups).fill(NO_EVENT);
  const sharedWith = new Int32Array(groups);
  return {
    /** @param event its place in the order of the ids, in which events are offered */
    offer(event: number, former: FormerEvent): void {
      const heir = heirOf(former);
      if (heir === null) return;
      const { group, shared } = heir;
      const isFirst = at(eventOf, group) === NO_EVENT;
      if (!isFirst && shared <= at(sharedWith, group)) return;
      eventOf[group] = event;
      sharedWith[group] = shared;
    },
    /** NO_EVENT for a group that is new. */
    eventOf: (group: number): number => at(eventOf, group),
  };
}

/** Seconds since 1970, and degrees. */
export type Place = {
  /** Index of the source. */
  readonly source: number;
  readonly seconds: number;
  readonly latitude: number;
  readonly longitude: number;
};

/** Beyond the rounding of seconds as numbers, back to the year 1000. */
const MARGIN_SECONDS = 0.001;
const MARGIN_KM = 1e-6;
const MICROS_PER_SECOND = 1_000_000;

/** Thrown when so many places are near in time that merging everything again takes no longer. */
export class TooManyNear extends Error {
  override readonly name = "TooManyNear";
}

/**
 * What may be a candidate of one of some events: no fewer than are.
 * @param places of the events
 * @param most pairs that are compared
 */
export function nearPlaces(
  places: readonly Place[],
  { micros, kilometres }: Thresholds,
  most: number,
) {
  const inTime = places.toSorted((a, b) => a.seconds - b.seconds);
  const reach = micros / MICROS_PER_SECOND + MARGIN_SECONDS;
  let compared = 0;

  function firstFrom(seconds: number): number {
    let [first, end] = [0, inTime.length];
    while (first < end) {
      const middle = (first + end) >>> 1;
      if ((inTime[middle]?.seconds ?? 0) < seconds) first = middle + 1;
      else end = middle;
    }
    return first;
  }

  return {
    /** Windows of time, apart from each other, in which the events of a source are to be looked for. */
    windows(source: number): { from: number; to: number }[] {
      const windows: { from: number; to: number }[] = [];
      for (const place of inTime) {
        if (place.source === source) continue;
        const [from, to] = [place.seconds - reach, place.seconds + reach];
        const last = windows.at(-1);
        if (last !== undefined && from <= last.to) last.to = to;
        else windows.push({ from, to });
      }
      return windows;
    },
    /** @throws TooManyNear */
    isNear(event: Place): boolean {
      const end = event.seconds + reach;
      for (let i = firstFrom(event.seconds - reach); i < inTime.length; i += 1) {
        const place = inTime[i];
        if (place === undefined || place.seconds > end) return false;
        compared += 1;
        if (compared > most) throw new TooManyNear();
        if (place.source === event.source) continue;
        if (greatCircleKm(place, event) <= kilometres + MARGIN_KM) return true;
      }
      return false;
    },
  };
}

const FNV_OFFSET = 0x811c_9dc5;
const FNV_PRIME = 0x0100_0193;

/**
 * A function that gives the row of an id, −1 for none. As a `Map`, the ids of a million events would be 100 MB of
 * the garbage-collected heap; this is 8 MB beside the column.
 * @param ids different ones, in `length` rows
 */
export function rowsById(ids: TextColumn, length: number): (id: string) => number {
  const bits = Math.max(4, Math.ceil(Math.log2(2 * length + 1)));
  const mask = 2 ** bits - 1;
  /** A row plus one; 0 is a free slot. */
  const slots = new Int32Array(2 ** bits);

  function slotOf(id: string): number {
    let slot = hashOf(id) & mask;
    for (let entry = slots[slot]; entry; entry = slots[slot]) {
      if (ids.textOf(entry - 1) === id) break;
      slot = (slot + 1) & mask;
    }
    return slot;
  }

  for (let row = 0; row < length; row += 1) slots[slotOf(ids.textOf(row) ?? "")] = row + 1;
  return (id) => (slots[slotOf(id)] ?? 0) - 1;
}

function hashOf(id: string): number {
  let hash = FNV_OFFSET;
  for (let i = 0; i < id.length; i += 1) hash = Math.imul(hash ^ id.charCodeAt(i), FNV_PRIME);
  hash ^= hash >>> 15;
  return Math.imul(hash, 0x85eb_ca6b) >>> 0;
}
