import { binOf, magnitudeOf } from "#contracts/analytics/histogram.ts";
import { groupEvents, membersOf, sizeOf } from "../merges/grouping/group-events.ts";
import {
  at,
  kilometresBetween,
  microsBetween,
  type Origins,
  type Thresholds,
} from "../merges/grouping/thresholds.ts";
import type { Estimate } from "./numbers/numerics.ts";
import {
  differencesOf,
  type MagnitudeRegressions,
  magnitudeRegressions,
  type ResidualDistribution,
  residualsOf,
} from "./regression.ts";

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
  const times = ofPairs(pairs, (a, b) => microsBetween(origins, a, b) / MICROS_PER_SECOND);
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

/** The events of two catalogues by column; row i is one event. */
export type ComparedEvents = {
  /** The source is 0 in the first catalogue and 1 in the second. */
  readonly origins: Origins;
  /** km; NaN where unknown or fixed. */
  readonly depths: Float64Array;
  /** NaN where unknown. */
  readonly magnitudes: Float64Array;
  /** Index of the magnitude type in `typeNames`. */
  readonly types: Int32Array;
  readonly typeNames: readonly (string | null)[];
};

/** The magnitudes of those pairs of events that both have one: x of the first catalogue, y of the second. */
function magnitudePoints({ magnitudes }: Pick<ComparedEvents, "magnitudes">, pairs: MatchedPairs) {
  const x = new Float64Array(pairs.count);
  const y = new Float64Array(pairs.count);
  let length = 0;
  for (let pair = 0; pair < pairs.count; pair++) {
    const [ofA, ofB] = [at(magnitudes, at(pairs.a, pair)), at(magnitudes, at(pairs.b, pair))];
    if (Number.isNaN(ofA) || Number.isNaN(ofB)) continue;
    x[length] = ofA;
    y[length] = ofB;
    length += 1;
  }
  return { x: x.subarray(0, length), y: y.subarray(0, length) };
}

type MatchedPairs = ReturnType<typeof matchedPairs>;

/**
 * Pairs the events of two catalogues as a merge of them would: nearest first, each event once.
 * @param origins of the sources 0 and 1
 * @returns input rows of the sources 0 and 1, as many of each, in order of the earlier of their times
 * @throws TooManyCandidates
 */
function matchedPairs(origins: Origins, thresholds: Thresholds) {
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

const REQUIRED_PAIRS = 10;

/** The pairs of events whose magnitudes are of one type in each catalogue. */
export type TypePair = {
  readonly a: string | null;
  readonly b: string | null;
  readonly n: number;
  readonly magnitude: ResidualDistribution;
  readonly regressions: Estimate<MagnitudeRegressions>;
};

/**
 * By each pair of magnitude types, whatever their case, that at least 10 pairs of events have; the most
 * frequent first. Types are named by their most frequent spelling.
 */
function typePairs(events: ComparedEvents, pairs: MatchedPairs, eta: number): TypePair[] {
  const spellings = commonSpellings(events);
  const byTypes = new Map<string, { a: number[]; b: number[] }>();
  for (let pair = 0; pair < pairs.count; pair++) {
    const [a, b] = [at(pairs.a, pair), at(pairs.b, pair)];
    if (Number.isNaN(at(events.magnitudes, a) - at(events.magnitudes, b))) continue;
    const key = `${spellings[at(events.types, a)]} ${spellings[at(events.types, b)]}`;
    const known = byTypes.get(key) ?? { a: [], b: [] };
    known.a.push(a);
    known.b.push(b);
    byTypes.set(key, known);
  }
  return [...byTypes]
    .flatMap(([key, { a, b }]) => {
      const count = a.length;
      const ofTypes = { count, a: Int32Array.from(a), b: Int32Array.from(b) };
      const points = magnitudePoints(events, ofTypes);
      const magnitude = residualsOf(differencesOf(points));
      if (count < REQUIRED_PAIRS || magnitude === null) return [];
      const [nameA, nameB] = key.split(" ").map((type) => events.typeNames[Number(type)] ?? null);
      const names = { a: nameA ?? null, b: nameB ?? null };
      return { ...names, n: count, magnitude, regressions: magnitudeRegressions(points, eta) };
    })
    .toSorted((one, other) => other.n - one.n || order(one, other));
}

/** For each type, that of its spellings, whatever their case, that most events have. */
function commonSpellings({ types, typeNames }: ComparedEvents): number[] {
  const counts = new Float64Array(typeNames.length);
  for (const type of types) counts[type] = at(counts, type) + 1;
  const common = new Map<string | null, number>();
  const keys = typeNames.map((name) => name?.toLowerCase() ?? null);
  for (const [type, key] of keys.entries()) {
    const known = common.get(key);
    if (known === undefined || at(counts, type) > at(counts, known)) common.set(key, type);
  }
  return keys.map((key) => common.get(key) ?? 0);
}

function order(one: TypePair, other: TypePair): number {
  const [first, second] = [one, other].map(({ a, b }) => `${a} ${b}`);
  return String(first) < String(second) ? -1 : 1;
}
