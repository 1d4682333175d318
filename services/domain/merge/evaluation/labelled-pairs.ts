import { at } from "../columns.ts";
import { type Grouping, membersOf, sizeOf } from "../grouping/grouping.ts";

/** What is known to be true of the rows: those of one earthquake have one number. */
export type Truth = {
  /** By row; `NO_LABEL` where nothing is known. */
  readonly labels: Int32Array;
  /** The source of each row: events of one source are never compared. */
  readonly source: Int32Array;
};

export const NO_LABEL = -1;

export type PairCounts = {
  /** Pairs of rows with labels that a grouping puts together. */
  readonly pairs: number;
  /** Those of one label. */
  readonly correct: number;
};

/** The pairs of rows with labels in the groups. */
export function countPairs(grouping: Grouping, { labels }: Pick<Truth, "labels">): PairCounts {
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
