import type { AmbiguousPair } from "./grouping/ambiguous-pairs.ts";
import { type Grouping, groupByRow, membersOf, sizeOf } from "./grouping/group-events.ts";
import { at, kilometresBetween, type Origins, type Thresholds } from "./grouping/thresholds.ts";

/** What is known to be true of the rows: those of one earthquake have one number. */
export type Truth = {
  /** By row; `NO_LABEL` where nothing is known. */
  readonly labels: Int32Array;
  /** The source of each row: events of one source are never compared. */
  readonly source: Int32Array;
};

export const NO_LABEL = -1;

/** The pairs of rows with labels in the groups, and those of them that have one label. */
export function countPairs(grouping: Grouping, { labels }: Pick<Truth, "labels">) {
  let pairs = 0;
  let correct = 0;
  const counts = new Map<number, number>();
  for (let group = 0; group < grouping.count; group++) {
    if (sizeOf(grouping, group) === 1) continue;
    counts.clear();
    let labelled = 0;
    for (const row of membersOf(grouping, group)) {
      const label = at(labels, row);
      if (label === NO_LABEL) continue;
      const same = counts.get(label) ?? 0;
      pairs += labelled;
      correct += same;
      labelled += 1;
      counts.set(label, same + 1);
    }
  }
  return { pairs, correct };
}

/** The pairs of rows of one label and of different sources. */
export function countTruePairs(truth: Truth): number {
  let pairs = 0;
  const ofLabel = new Map<number, { all: number; readonly bySource: Map<number, number> }>();
  for (let row = 0; row < truth.labels.length; row++) {
    const label = at(truth.labels, row);
    if (label === NO_LABEL) continue;
    const seen = ofLabel.get(label) ?? { all: 0, bySource: new Map<number, number>() };
    const source = at(truth.source, row);
    const own = seen.bySource.get(source) ?? 0;
    pairs += seen.all - own;
    seen.all += 1;
    seen.bySource.set(source, own + 1);
    ofLabel.set(label, seen);
  }
  return pairs;
}

/** `wrong`: together with different labels; `missed`: apart with one label. */
export type JudgedPair = AmbiguousPair & { readonly verdict: "wrong" | "missed" };

/**
 * Rows of one label with which each is compared, the next in time: as many as a merge may have sources. A label
 * of more events in no order of time tells of no earthquake.
 */
const NEXT_ROWS = 50;
/** Pairs that are kept before the best of them are chosen. */
const KEPT = 10_000;

/**
 * The worst pairs of a grouping: those wrongly together, farthest first, then those missed, nearest first; half of
 * the limit each, where there are as many.
 * @param origins in order of time
 * @param labels by row
 */
export function worstPairs(
  origins: Origins,
  thresholds: Thresholds,
  grouping: Grouping,
  labels: Int32Array,
  limit: number,
): JudgedPair[] {
  const wrong = createBest(limit, -1);
  const missed = createBest(limit, 1);
  const nearnessOf = (first: number, second: number) =>
    nearness(pairOf(origins, first, second), thresholds);
  for (const [first, second] of pairsOfGroups(grouping)) {
    const [a, b] = [at(labels, first), at(labels, second)];
    if (a !== b && a !== NO_LABEL && b !== NO_LABEL) {
      wrong.add(first, second, nearnessOf(first, second));
    }
  }
  const groups = groupByRow(grouping);
  for (const [first, second] of pairsOfLabels(labels)) {
    const isOfOne = at(origins.source, first) === at(origins.source, second);
    if (isOfOne || at(groups, first) === at(groups, second)) continue;
    missed.add(first, second, nearnessOf(first, second));
  }
  const [w, m] = [wrong.best(), missed.best()];
  const half = Math.ceil(limit / 2);
  const wrongs = w.slice(0, Math.max(half, limit - m.length));
  const judged = (verdict: JudgedPair["verdict"]) => (pair: RatedPair) => ({
    ...pairOf(origins, pair.first, pair.second),
    verdict,
  });
  return [
    ...wrongs.map(judged("wrong")),
    ...m.slice(0, limit - wrongs.length).map(judged("missed")),
  ];
}

function* pairsOfGroups(grouping: Grouping): Generator<readonly [number, number]> {
  for (let group = 0; group < grouping.count; group++) {
    if (sizeOf(grouping, group) === 1) continue;
    const rows = membersOf(grouping, group);
    for (let i = 1; i < rows.length; i++) {
      for (let j = 0; j < i; j++) yield [at(rows, j), at(rows, i)];
    }
  }
}

/** The pairs of rows of one label that are near in time. */
function* pairsOfLabels(labels: Int32Array): Generator<readonly [number, number]> {
  const latest = new Map<number, number[]>();
  for (let row = 0; row < labels.length; row++) {
    const label = at(labels, row);
    if (label === NO_LABEL) continue;
    const before = latest.get(label) ?? [];
    for (const earlier of before) yield [earlier, row];
    before.push(row);
    if (before.length > NEXT_ROWS) before.shift();
    latest.set(label, before);
  }
}

function pairOf(origins: Origins, first: number, second: number): AmbiguousPair {
  const { seconds, micros, magnitude } = origins;
  const difference = Math.abs(at(magnitude, first) - at(magnitude, second));
  const wholeSeconds = at(seconds, second) - at(seconds, first);
  return {
    first,
    second,
    timeDifference: wholeSeconds + (at(micros, second) - at(micros, first)) / 1_000_000,
    distance: kilometresBetween(origins, first, second),
    magnitudeDifference: Number.isNaN(difference) ? null : difference,
  };
}

/** √((Δt/T)² + (d/D)²); with a threshold of 0 any difference is beyond all others. */
function nearness(
  { timeDifference, distance }: Pick<AmbiguousPair, "timeDifference" | "distance">,
  { micros, kilometres }: Thresholds,
): number {
  return Math.hypot(ratio(timeDifference * 1_000_000, micros), ratio(distance, kilometres));
}

const ratio = (difference: number, threshold: number) =>
  difference === 0 ? 0 : difference / threshold;

type RatedPair = { readonly first: number; readonly second: number; readonly nearness: number };

/** The first pairs by nearness, rising (1) or falling (−1), ties by rows. */
function createBest(limit: number, direction: 1 | -1) {
  let pairs: RatedPair[] = [];
  const compare = (a: RatedPair, b: RatedPair): number => {
    if (a.nearness !== b.nearness) return a.nearness < b.nearness ? -direction : direction;
    return a.first - b.first || a.second - b.second;
  };
  const best = () => pairs.toSorted(compare).slice(0, limit);
  return {
    add(first: number, second: number, nearness: number): void {
      pairs.push({ first, second, nearness });
      if (pairs.length === KEPT) pairs = best();
    },
    best,
  };
}
