import { type MomentGroup, momentOf } from "#services/domain/statistics/rates/seismic-moment.ts";

export function momentGroups(magnitudes: Iterable<number>): MomentGroup[] {
  return Array.from(magnitudes, (largest) => ({ count: 1, moment: momentOf(largest), largest }));
}
