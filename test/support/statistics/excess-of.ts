import type { Excess } from "#services/domain/statistics/magnitudes/excess.ts";
import { compensatedSum } from "#services/domain/statistics/numbers/compensated-sum.ts";

/** The excess of magnitudes as they are; those below Mc are left out. */
export function excessOf(magnitudes: Iterable<number>, mc: number): Excess {
  const excesses = [...magnitudes].filter((m) => m >= mc).map((m) => m - mc);
  const n = excesses.length;
  const mean = compensatedSum(excesses) / n;
  const squares = compensatedSum(excesses.map((x) => (x - mean) ** 2));
  return { n, filled: new Set(excesses).size, mean, squares };
}
