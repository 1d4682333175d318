/** Draws: of numbers from a seed, of how many trials succeed, of the counts of bins. */

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

/** Below this many expected successes, counting up from 0 is the fastest. */
const INVERSION_BELOW = 10;

/**
 * A draw of the number of successes of `n` trials with probability `p`: by inversion where few are
 * expected, else by transformed rejection (Hörmann 1993, algorithm BTRS).
 */
export function binomial(n: number, p: number, random: Random): number {
  if (n === 0 || p <= 0) return 0;
  if (p >= 1) return n;
  if (p > 0.5) return n - binomial(n, 1 - p, random);
  return n * p < INVERSION_BELOW ? byInversion(n, p, random) : byRejection(n, p, random);
}

function byInversion(n: number, p: number, random: Random): number {
  const odds = p / (1 - p);
  let probability = (1 - p) ** n;
  let rest = random();
  for (let k = 0; k < n; k++) {
    rest -= probability;
    if (rest < 0) return k;
    probability *= ((n - k) / (k + 1)) * odds;
    // Rounding can leave a rest that nothing uses up; what comes then is as good as impossible.
    if (probability < Number.MIN_VALUE) return k;
  }
  return n;
}

function byRejection(n: number, p: number, random: Random): number {
  const spread = Math.sqrt(n * p * (1 - p));
  const b = 1.15 + 2.53 * spread;
  const a = -0.0873 + 0.0248 * b + 0.01 * p;
  const centre = n * p + 0.5;
  const accepted = 0.92 - 4.2 / b;
  const alpha = (2.83 + 5.1 / b) * spread;
  const logOdds = Math.log(p / (1 - p));
  const mode = Math.floor((n + 1) * p);
  const atMode = logFactorial(mode) + logFactorial(n - mode);
  for (;;) {
    const u = random() - 0.5;
    const v = random();
    const side = 0.5 - Math.abs(u);
    const k = Math.floor(((2 * a) / side + b) * u + centre);
    if (side >= 0.07 && v <= accepted) return k;
    if (k < 0 || k > n) continue;
    const bound = atMode - logFactorial(k) - logFactorial(n - k) + (k - mode) * logOdds;
    if (Math.log((v * alpha) / (a / (side * side) + b)) <= bound) return k;
  }
}

const TABLE_SIZE = 128;
const LOG_FACTORIALS = Array.from({ length: TABLE_SIZE - 2 }, (_, i) => i + 2).reduce(
  (table, k) => table.fill((table[k - 1] ?? 0) + Math.log(k), k),
  new Float64Array(TABLE_SIZE),
);

/** ln k!, by Stirling's series above the table. */
function logFactorial(k: number): number {
  if (k < TABLE_SIZE) return LOG_FACTORIALS[k] ?? 0;
  const correction = (1 / 12 - (1 / 360 - 1 / 1260 / (k * k)) / (k * k)) / k;
  return (k + 0.5) * Math.log(k) - k + 0.5 * Math.log(2 * Math.PI) + correction;
}
