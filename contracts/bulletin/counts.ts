/** How many objects a bulletin has: counted, told in answers, and stored with the event. */

import type { BulletinCounts } from "../seismic-event/bulletin-counts.ts";
import {
  COUNTED_OBJECTS,
  ELEMENT_OF,
  type ElementKind,
} from "../seismic-event/bulletin-objects.ts";
import type { Bulletin } from "./quakeml.ts";

/** How many elements of a kind a file had, how many were kept, and how many were not. */
export type ElementTally = { read: number; kept: number; dropped: number };

/** Kinds that a file did not have are left out. */
export type ElementTallies = { [K in ElementKind]?: ElementTally };

/** The elements of one event by kind; comments of every level. Zeros stand. */
export type ElementCounts = { readonly [K in Exclude<ElementKind, "event">]: number };

/** How many elements of each kind a bulletin has. */
export function countElements(bulletin: Bulletin): ElementCounts {
  const origins = bulletin.origin ?? [];
  return {
    origin: origins.length,
    magnitude: bulletin.magnitude?.length ?? 0,
    stationMagnitude: bulletin.stationMagnitude?.length ?? 0,
    amplitude: bulletin.amplitude?.length ?? 0,
    pick: bulletin.pick?.length ?? 0,
    arrival: origins.reduce((sum, { arrival = [] }) => sum + arrival.length, 0),
    focalMechanism: bulletin.focalMechanism?.length ?? 0,
    comment: countComments(bulletin),
  };
}

/** The counts that answers tell of a bulletin, by kind. */
export function elementsOfCounts(counts: BulletinCounts): ElementCounts {
  const ofObjects = COUNTED_OBJECTS.map((name) => [ELEMENT_OF[name], counts[name]]);
  return Object.fromEntries([...ofObjects, ["comment", counts.comments]]) as ElementCounts;
}

function countComments(bulletin: Bulletin): number {
  const { origin = [], focalMechanism = [] } = bulletin;
  const lists: (readonly { readonly comment?: readonly unknown[] }[] | undefined)[] = [
    [bulletin],
    origin,
    ...origin.map(({ arrival }) => arrival),
    bulletin.magnitude,
    bulletin.stationMagnitude,
    bulletin.amplitude,
    bulletin.pick,
    focalMechanism,
    ...focalMechanism.map(({ momentTensor }) => momentTensor),
  ];
  let comments = 0;
  for (const list of lists) {
    for (const { comment } of list ?? []) comments += comment?.length ?? 0;
  }
  return comments;
}

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
