/** So that 15 km belongs to the bin that begins there, whatever the division leaves. */
const TOLERANCE = 1e-9;

/** The bin of a depth: ⌊depth / width⌋. @param width km */
export function depthBinOf(depth: number, width: number): number {
  return Math.floor(depth / width + TOLERANCE);
}

export type DepthBin = {
  /** km, inclusive. */ readonly from: number;
  readonly to: number;
  readonly count: number;
};

/** Bins from the shallowest to the deepest event, empty ones too. @param counts by bin */
export function depthBins(counts: ReadonlyMap<number, number>, width: number): DepthBin[] {
  if (counts.size === 0) return [];
  const first = Math.min(...counts.keys());
  const length = Math.max(...counts.keys()) - first + 1;
  return Array.from({ length }, (_, i) => ({
    from: kilometres((first + i) * width),
    to: kilometres((first + i + 1) * width),
    count: counts.get(first + i) ?? 0,
  }));
}

function kilometres(value: number): number {
  return Number(value.toFixed(6));
}

/** Events of one depth: how many, and how many whose agency says that the depth was assigned. */
export type DepthValue = {
  readonly depth: number;
  readonly count: number;
  readonly assigned: number;
};

const FIXED_SHARE = 0.05;

export type FixedDepths = {
  /** Events whose depth was assigned or has a frequent value. */
  readonly count: number;
  /** Those that an agency marks as assigned. */
  readonly assigned: number;
  /** Depths that more than 5 % of the events have, the most frequent first. */
  readonly values: readonly { readonly depth: number; readonly count: number }[];
};

/** Depths that were set and not determined: by their type, or by a value that more than 5 % have. */
export function fixedDepths(depths: readonly DepthValue[]): FixedDepths {
  const n = depths.reduce((sum, { count }) => sum + count, 0);
  const isFrequent = ({ count }: DepthValue) => count > FIXED_SHARE * n;
  return {
    count: depths.reduce(
      (sum, value) => sum + (isFrequent(value) ? value.count : value.assigned),
      0,
    ),
    assigned: depths.reduce((sum, { assigned }) => sum + assigned, 0),
    values: depths
      .filter(isFrequent)
      .map(({ depth, count }) => ({ depth, count }))
      .toSorted((a, b) => b.count - a.count || a.depth - b.depth),
  };
}
