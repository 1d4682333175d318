import { binOf, magnitudeOf } from "#contracts/magnitude-histogram.ts";
import { at } from "../../merge/columns.ts";
import type { Thresholds } from "../../merge/thresholds.ts";
import type { Estimate } from "../estimate.ts";
import { type ComparedEvents, magnitudePoints } from "./compared-events.ts";
import { type MagnitudeRegressions, magnitudeRegressions } from "./magnitude-regressions.ts";
import {
  kilometresBetween,
  type MatchedPairs,
  matchedPairs,
  secondsBetween,
} from "./matched-pairs.ts";
import { differencesOf } from "./points.ts";
import { type ResidualDistribution, residualsOf } from "./residuals.ts";
import { type TypePair, typePairs } from "./type-pairs.ts";

const MICROS_PER_SECOND = 1_000_000;
const BIN_WIDTH = 0.1;
/** A pair beyond this part of a threshold might be none. */
const NEAR_THRESHOLD = 0.8;

export type CompareOptions = {
  readonly thresholds: Thresholds;
  /** Variance of the errors of magnitudes in the second catalogue by that in the first. */
  readonly eta: number;
};

/** Differences are of the second catalogue from the first one. */
export type Comparison = {
  readonly matched: number;
  /** The part of the pairs beyond 80 % of a threshold; null without pairs. */
  readonly nearThreshold: number | null;
  readonly residuals: {
    /** Seconds. */
    readonly time: ResidualDistribution | null;
    /** Kilometres between the epicentres. */
    readonly distance: ResidualDistribution | null;
    /** Kilometres, of pairs whose depths are known and not fixed. */
    readonly depth: ResidualDistribution | null;
    readonly magnitude: ResidualDistribution | null;
  };
  /** Magnitudes of the second catalogue by those of the first. */
  readonly regressions: Estimate<MagnitudeRegressions>;
  readonly magnitudes: readonly MagnitudeMatches[];
  readonly typePairs: readonly TypePair[];
};

/**
 * Compares two catalogues by the events that a merge would take for the same earthquake.
 * @throws TooManyCandidates where the thresholds are too wide
 */
export function compareCatalogues(
  events: ComparedEvents,
  { thresholds, eta }: CompareOptions,
): Comparison {
  const { origins, depths } = events;
  const pairs = matchedPairs(origins, thresholds);
  const times = ofPairs(pairs, (a, b) => secondsBetween(origins, a, b));
  const distances = ofPairs(pairs, (a, b) => kilometresBetween(origins, a, b));
  const points = magnitudePoints(events, pairs);
  return {
    matched: pairs.count,
    nearThreshold: partNearThreshold(times, distances, thresholds),
    residuals: {
      time: residualsOf(times),
      distance: residualsOf(distances),
      depth: residualsOf(ofPairs(pairs, (a, b) => at(depths, b) - at(depths, a))),
      magnitude: residualsOf(differencesOf(points)),
    },
    regressions: magnitudeRegressions(points, eta),
    magnitudes: magnitudeMatches(events, pairs, BIN_WIDTH),
    typePairs: typePairs(events, pairs, eta),
  };
}

function ofPairs({ a, b }: MatchedPairs, measure: (a: number, b: number) => number): Float64Array {
  return Float64Array.from(a, (row, i) => measure(row, at(b, i)));
}

function partNearThreshold(
  seconds: Float64Array,
  kilometres: Float64Array,
  thresholds: Thresholds,
): number | null {
  if (seconds.length === 0) return null;
  const farInTime = (NEAR_THRESHOLD * thresholds.micros) / MICROS_PER_SECOND;
  const farInSpace = NEAR_THRESHOLD * thresholds.kilometres;
  let near = 0;
  for (let i = 0; i < seconds.length; i++) {
    if (Math.abs(at(seconds, i)) > farInTime || at(kilometres, i) > farInSpace) near += 1;
  }
  return near / seconds.length;
}

type MatchCounts = { readonly matched: number; readonly unmatched: number };

/** How many events of a magnitude each catalogue shares with the other one, and has alone. */
type MagnitudeMatches = {
  /** The centre of the bin. */
  readonly magnitude: number;
  readonly a: MatchCounts;
  readonly b: MatchCounts;
};

/** Bins from the lowest to the highest magnitude of both catalogues, empty ones too. */
function magnitudeMatches(
  { origins, magnitudes }: Pick<ComparedEvents, "origins" | "magnitudes">,
  pairs: MatchedPairs,
  binWidth: number,
): MagnitudeMatches[] {
  const isMatched = new Uint8Array(origins.length);
  for (const row of pairs.a) isMatched[row] = 1;
  for (const row of pairs.b) isMatched[row] = 1;
  const counts = new Map<number, [number, number, number, number]>();
  for (let row = 0; row < origins.length; row++) {
    const magnitude = at(magnitudes, row);
    if (Number.isNaN(magnitude)) continue;
    const bin = binOf(magnitude, binWidth);
    const known = counts.get(bin) ?? [0, 0, 0, 0];
    const kind = 2 * at(origins.source, row) + (isMatched[row] === 1 ? 0 : 1);
    known[kind] = (known[kind] ?? 0) + 1;
    counts.set(bin, known);
  }
  if (counts.size === 0) return [];
  const first = Math.min(...counts.keys());
  return Array.from({ length: Math.max(...counts.keys()) - first + 1 }, (_, i) => {
    const [aMatched, aAlone, bMatched, bAlone] = counts.get(first + i) ?? [0, 0, 0, 0];
    return {
      magnitude: magnitudeOf(first + i, binWidth),
      a: { matched: aMatched, unmatched: aAlone },
      b: { matched: bMatched, unmatched: bAlone },
    };
  });
}
