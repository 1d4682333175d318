import { at } from "../columns.ts";

/** Decisions of people about input rows, free of contradictions (`createDecisionClosure`). */
export type RowDecisions = {
  /** Rows of one earthquake each. */
  readonly same: readonly (readonly number[])[];
  /** Rows of different earthquakes each, by every pair of them. */
  readonly different: readonly (readonly number[])[];
};

export type DecidedPairs = {
  /** The events of one earthquake each, by rank, as they were given. */
  readonly same: readonly (readonly number[])[];
  /** All that are the same as a rank, itself among them, be it by way of others; undefined for it alone. */
  togetherWith(rank: number): readonly number[] | undefined;
  /** Whether a decision keeps two ranks apart by name. */
  areDifferent(a: number, b: number): boolean;
  /** Whether the decisions say, be it by way of others, that two ranks are the same or that they are not. */
  areDecided(a: number, b: number): boolean;
};

/**
 * Decisions by rank; null where there are none.
 * @param rows the input row of each rank
 */
export function decidedPairs(
  decisions: RowDecisions | undefined,
  rows: Int32Array,
): DecidedPairs | null {
  if (decisions === undefined) return null;
  const { same, different } = decisions;
  if (same.length + different.length === 0) return null;
  const rankOf = ranksOf([...same, ...different].flat(), rows);
  const byRank = (groups: readonly (readonly number[])[]) =>
    groups.map((group) => group.map((row) => rankOf.get(row) ?? -1));
  return pairsByRank(byRank(same), byRank(different), rows.length);
}

function ranksOf(wanted: readonly number[], rows: Int32Array): Map<number, number> {
  const isWanted = new Set(wanted);
  const ranks = new Map<number, number>();
  for (let rank = 0; rank < rows.length; rank++) {
    const row = at(rows, rank);
    if (isWanted.has(row)) ranks.set(row, rank);
  }
  return ranks;
}

function pairsByRank(
  same: readonly (readonly number[])[],
  different: readonly (readonly number[])[],
  length: number,
): DecidedPairs {
  const namedApart = new Map<number, Set<number>>();
  /** Most pairs are of events of which nothing was said. */
  const isApart = new Uint8Array(length);
  different.forEach((ranks, decision) => {
    for (const rank of ranks) {
      isApart[rank] = 1;
      addTo(namedApart, rank, decision);
    }
  });
  const groups = closedGroups(same);
  const groupApart = new Map<number, Set<number>>();
  for (const [rank, decisions] of namedApart) {
    const group = groups.get(rank)?.[0] ?? rank;
    for (const decision of decisions) addTo(groupApart, group, decision);
  }
  return {
    same,
    togetherWith: (rank) => groups.get(rank),
    areDifferent: (a, b) =>
      isApart[a] === 1 && isApart[b] === 1 && haveCommon(namedApart.get(a), namedApart.get(b)),
    areDecided(a, b) {
      const [ofA, ofB] = [groups.get(a)?.[0] ?? a, groups.get(b)?.[0] ?? b];
      return ofA === ofB || haveCommon(groupApart.get(ofA), groupApart.get(ofB));
    },
  };
}

/** All ranks that are the same, by each that was named. */
function closedGroups(same: readonly (readonly number[])[]): Map<number, readonly number[]> {
  const groups = new Map<number, number[]>();
  for (const ranks of same) {
    const union = [...new Set(ranks.flatMap((rank) => groups.get(rank) ?? rank))];
    for (const rank of union) groups.set(rank, union);
  }
  return groups;
}

function addTo(sets: Map<number, Set<number>>, key: number, value: number): void {
  const known = sets.get(key);
  if (known === undefined) sets.set(key, new Set([value]));
  else known.add(value);
}

function haveCommon(
  a: ReadonlySet<number> | undefined,
  b: ReadonlySet<number> | undefined,
): boolean {
  if (a === undefined || b === undefined) return false;
  return a.size <= b.size ? !a.isDisjointFrom(b) : !b.isDisjointFrom(a);
}
