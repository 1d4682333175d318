import { binomial } from "../numbers/binomial.ts";
import type { Random } from "../numbers/seeded-random.ts";

/**
 * Draws counts of bins for `n` events: a multinomial draw as a chain of binomial ones, one for each
 * bin, so its cost does not depend on the number of events.
 * @param counts filled with the draw
 * @param shares probability of a bin among it and those after it, one for each of `counts`; the last is 1
 */
export function drawCounts(
  counts: Float64Array,
  n: number,
  { shares, random }: { readonly shares: ArrayLike<number>; readonly random: Random },
): void {
  let rest = n;
  for (let i = 0; i < counts.length; i++) {
    const drawn = binomial(rest, shares[i] ?? 1, random);
    counts[i] = drawn;
    rest -= drawn;
  }
}
