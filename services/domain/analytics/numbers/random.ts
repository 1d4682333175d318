/** Draws from 0 (included) to 1 (excluded), of 53 bits. */
export type Random = () => number;

/**
 * A source of draws that are the same for the same seed, on every machine: xoshiro128**
 * (Blackman & Vigna 2021), its state filled from the seed.
 * @param seed an integer, of which the lowest 32 bits count
 */
export function seededRandom(seed: number): Random {
  const fill = splitMix(seed);
  let [a, b, c, d] = [fill(), fill(), fill(), fill()];
  const next = () => {
    const drawn = Math.imul(rotateLeft(Math.imul(b, 5), 7), 9) >>> 0;
    const shifted = b << 9;
    c ^= a;
    d ^= b;
    b ^= c;
    a ^= d;
    c ^= shifted;
    d = rotateLeft(d, 11);
    return drawn;
  };
  return () => ((next() >>> 5) * 2 ** 26 + (next() >>> 6)) / 2 ** 53;
}

function rotateLeft(x: number, bits: number): number {
  return (x << bits) | (x >>> (32 - bits));
}

/** Unlike words from like seeds: a sequence of equal steps, mixed (after Steele, Lea & Flood 2014). */
function splitMix(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x9e3779b9) | 0;
    let word = state;
    word = Math.imul(word ^ (word >>> 16), 0x85ebca6b);
    word = Math.imul(word ^ (word >>> 13), 0xc2b2ae35);
    return word ^ (word >>> 16);
  };
}
