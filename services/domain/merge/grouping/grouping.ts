import { at } from "../columns.ts";

/**
 * A partition of the input rows: group g is `members` from `starts[g]` to `starts[g + 1]`. Members
 * are ordered by time, then id, and groups by their first member.
 */
export type Grouping = {
  readonly count: number;
  readonly starts: Int32Array;
  readonly members: Int32Array;
};

/** The input rows of one group, a view. */
export function membersOf({ starts, members }: Grouping, group: number): Int32Array {
  return members.subarray(at(starts, group), at(starts, group + 1));
}

export function sizeOf({ starts }: Grouping, group: number): number {
  return at(starts, group + 1) - at(starts, group);
}

/** The number of groups with more than one member. */
export function countDuplicateGroups(grouping: Grouping): number {
  let duplicates = 0;
  for (let g = 0; g < grouping.count; g++) if (sizeOf(grouping, g) > 1) duplicates++;
  return duplicates;
}

export function groupByRow(grouping: Grouping): Int32Array {
  const groups = new Int32Array(grouping.members.length);
  for (let g = 0; g < grouping.count; g++) {
    for (const row of membersOf(grouping, g)) groups[row] = g;
  }
  return groups;
}
