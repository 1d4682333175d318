const MODULUS = 2_147_483_647;
const MULTIPLIER = 48_271;

/**
 * The generator of the synthetic catalogues of reference (Park & Miller 1988, with the multiplier of
 * Park, Miller & Stockmeyer 1993): x ← 48271 x mod (2³¹ − 1); draws are x / (2³¹ − 1).
 */
export function parkMiller(seed: number): () => number {
  let x = seed;
  return () => {
    x = (MULTIPLIER * x) % MODULUS;
    return x / MODULUS;
  };
}

/**
 * Days after a main event from a draw in [0, 1): the inverse of the distribution of Omori and Utsu's
 * law with c (days) and p ≠ 1 within `duration` days.
 */
export function omoriDelay(draw: number, c: number, p: number, duration: number): number {
  const first = c ** (1 - p);
  return (first + draw * ((duration + c) ** (1 - p) - first)) ** (1 / (1 - p)) - c;
}
