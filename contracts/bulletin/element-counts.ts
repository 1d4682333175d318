import type { BulletinCounts } from "../seismic-event/bulletin-counts.ts";
import type { Bulletin } from "./bulletin.ts";

/** The kinds of elements that readers count, by QuakeML's names of them. */
export const ELEMENT_KINDS = [
  "event",
  "origin",
  "magnitude",
  "stationMagnitude",
  "amplitude",
  "pick",
  "arrival",
  "focalMechanism",
  "comment",
] as const;

export type ElementKind = (typeof ELEMENT_KINDS)[number];

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
  return {
    origin: counts.origins,
    magnitude: counts.magnitudes,
    stationMagnitude: counts.station_magnitudes,
    amplitude: counts.amplitudes,
    pick: counts.picks,
    arrival: counts.arrivals,
    focalMechanism: counts.focal_mechanisms,
    comment: counts.comments,
  };
}

type Commented = { readonly comment?: readonly unknown[] };

function countComments(bulletin: Bulletin): number {
  const { origin = [], focalMechanism = [] } = bulletin;
  const lists: (readonly Commented[] | undefined)[] = [
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
