import { type DepthGroup, FREQUENT_SHARE } from "#services/domain/statistics/rates/depth-bins.ts";

/** So that 15 km belongs to the bin that begins there, whatever the division leaves. */
const TOLERANCE = 1e-9;

/** The bin of a depth: ⌊depth / width⌋. @param width km */
export function depthBinOf(depth: number, width: number): number {
  return Math.floor(depth / width + TOLERANCE);
}

/** Events by their depth, the rare ones together. @param events with a depth, km */
export function depthGroups(
  events: readonly { readonly depth: number; readonly isAssigned: boolean }[],
): DepthGroup[] {
  const byDepth = new Map<number, { depth: number; count: number; assigned: number }>();
  for (const { depth, isAssigned } of events) {
    const group = byDepth.get(depth) ?? { depth, count: 0, assigned: 0 };
    group.count++;
    if (isAssigned) group.assigned++;
    byDepth.set(depth, group);
  }
  const isFrequent = ({ count }: DepthGroup) => count > FREQUENT_SHARE * events.length;
  return [...byDepth.values()].map((group) =>
    isFrequent(group) ? group : { ...group, depth: null },
  );
}
