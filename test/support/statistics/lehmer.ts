const MULTIPLIER = 48_271;
const MODULUS = 2_147_483_647;

/** Numbers between 0 and 1 by Park & Miller's generator, the same in every language. */
export function lehmer(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * MULTIPLIER) % MODULUS;
    return state / MODULUS;
  };
}
