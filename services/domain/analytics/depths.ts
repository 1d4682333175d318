/** Events of one frequent depth, or of depths that are all rare. */
export type DepthGroup = {
  /** km; null for the rare ones together. */
  readonly depth: number | null;
  readonly count: number;
  /** Those whose agency says that the depth was assigned. */
  readonly assigned: number;
};

/** A depth that more than this part of the events have is taken for one that was set. */
export const FREQUENT_SHARE = 0.05;

export type FixedDepths = {
  /** Events whose depth was assigned or is a frequent one. */
  readonly count: number;
  /** Those that an agency marks as assigned. */
  readonly assigned: number;
  /** Depths that more than 5 % of the events have, the most frequent first. */
  readonly values: readonly { readonly depth: number; readonly count: number }[];
};

/** Depths that were set and not determined: by their type, or by a value that more than 5 % have. */
export function fixedDepths(groups: readonly DepthGroup[]): FixedDepths {
  const counts = new Map<number, number>();
  let assigned = 0;
  let assignedRare = 0;
  for (const group of groups) {
    assigned += group.assigned;
    if (group.depth === null) assignedRare += group.assigned;
    else counts.set(group.depth, (counts.get(group.depth) ?? 0) + group.count);
  }
  const values = Array.from(counts, ([depth, count]) => ({ depth, count }));
  return {
    count: values.reduce((sum, { count }) => sum + count, assignedRare),
    assigned,
    values: values.toSorted((a, b) => b.count - a.count || a.depth - b.depth),
  };
}
