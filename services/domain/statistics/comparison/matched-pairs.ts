import { type Coordinates, greatCircleKm } from "#contracts/seismic-event/great-circle.ts";
import { at } from "../../merge/columns.ts";
import { groupEvents } from "../../merge/grouping/group-events.ts";
import { membersOf, sizeOf } from "../../merge/grouping/grouping.ts";
import type { Origins } from "../../merge/origins.ts";
import type { Thresholds } from "../../merge/thresholds.ts";

const MICROS_PER_SECOND = 1_000_000;

/** The same earthquakes in two catalogues, by input row, in order of the earlier of their times. */
export type MatchedPairs = {
  readonly count: number;
  /** Rows of the source 0. */
  readonly a: Int32Array;
  /** Rows of the source 1, as many. */
  readonly b: Int32Array;
};

/**
 * Pairs the events of two catalogues as a merge of them would: nearest first, each event once.
 * @param origins of the sources 0 and 1
 * @throws TooManyCandidates
 */
export function matchedPairs(origins: Origins, thresholds: Thresholds): MatchedPairs {
  const grouping = groupEvents(origins, { thresholds });
  const count = grouping.members.length - grouping.count;
  const pairs = { count, a: new Int32Array(count), b: new Int32Array(count) };
  let pair = 0;
  for (let group = 0; group < grouping.count; group++) {
    if (sizeOf(grouping, group) < 2) continue;
    const members = membersOf(grouping, group);
    const [first, second] = [at(members, 0), at(members, 1)];
    const isInOrder = at(origins.source, first) === 0;
    pairs.a[pair] = isInOrder ? first : second;
    pairs.b[pair] = isInOrder ? second : first;
    pair += 1;
  }
  return pairs;
}

/** Seconds from the event of the row `a` to that of the row `b`, exact to the microsecond. */
export function secondsBetween({ seconds, micros }: Origins, a: number, b: number): number {
  const whole = at(seconds, b) - at(seconds, a);
  return (whole * MICROS_PER_SECOND + (at(micros, b) - at(micros, a))) / MICROS_PER_SECOND;
}

/** Kilometres along the great circle between the epicentres of two rows. */
export function kilometresBetween(origins: Origins, a: number, b: number): number {
  return greatCircleKm(placeOf(origins, a), placeOf(origins, b));
}

function placeOf({ latitude, longitude }: Origins, row: number): Coordinates {
  return { latitude: at(latitude, row), longitude: at(longitude, row) };
}
