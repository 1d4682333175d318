import type { BulletinCounts } from "../seismic-event/bulletin-counts.ts";
import { COUNTED_OBJECTS } from "../seismic-event/counted-objects.ts";

/** A bulletin's identity and size, which stand in the event's row. `sha256` is of its RFC 8785 form. */
export type BulletinSummary = { readonly sha256: string; readonly counts: BulletinCounts };

/** A row's knowledge of its bulletin in the log. */
export type BulletinReference = BulletinSummary & {
  /** The revision in which the bulletin was written; null for the revision that names it. */
  readonly revision: number | null;
};

/** The order in which counts are stored: it never changes. */
const STORED_COUNTS: readonly (keyof BulletinCounts)[] = [...COUNTED_OBJECTS, "comments", "bytes"];

/** The place of a count in its stored list, from 0. */
export function placeOfCount(name: keyof BulletinCounts): number {
  return STORED_COUNTS.indexOf(name);
}

export function storedCounts(counts: BulletinCounts): number[] {
  return STORED_COUNTS.map((name) => counts[name]);
}

/** @throws RangeError for another number of counts */
export function countsStored(list: readonly number[]): BulletinCounts {
  if (list.length !== STORED_COUNTS.length) throw new RangeError("not the counts of a bulletin");
  return Object.fromEntries(STORED_COUNTS.map((name, i) => [name, list[i]])) as BulletinCounts;
}
