/** Lilliefors' test for an exponential distribution of unknown mean. */
export type ExponentialTest = {
  /** max |F_emp − (1 − e^(−x / x̄))|. */
  readonly d: number;
  /** d made independent of the number: (d − 0.2 / n)(√n + 0.26 + 0.5 / √n). */
  readonly dStar: number;
  /** The probability of at least that distance. */
  readonly p: number;
};

/**
 * Tests whether numbers are exponential (Lilliefors 1969; Stephens 1974).
 * @param ascending not below 0, at least one above
 */
export function testExponential(ascending: Float64Array): ExponentialTest {
  const n = ascending.length;
  const mean = ascending.reduce((sum, x) => sum + x, 0) / n;
  let d = 0;
  for (let i = 0; i < n; i++) {
    const expected = -Math.expm1(-(ascending[i] ?? 0) / mean);
    d = Math.max(d, (i + 1) / n - expected, expected - i / n);
  }
  const root = Math.sqrt(n);
  const dStar = (d - 0.2 / n) * (root + 0.26 + 0.5 / root);
  return { d, dStar, p: exponentialP(dStar) };
}

/**
 * D* and its probability: from 0.926 to 1.308 by Stephens 1974, the others from simulations of 500
 * events, which the tests repeat.
 */
const TABLE = [
  [0.31, 1],
  [0.395, 0.99],
  [0.46, 0.95],
  [0.501, 0.9],
  [0.559, 0.8],
  [0.607, 0.7],
  [0.652, 0.6],
  [0.698, 0.5],
  [0.748, 0.4],
  [0.806, 0.3],
  [0.88, 0.2],
  [0.926, 0.15],
  [0.99, 0.1],
  [1.094, 0.05],
  [1.19, 0.025],
  [1.308, 0.01],
  [1.378, 0.005],
  [1.546, 0.001],
  [1.76, 0.0001],
] as const;

/** The logarithm of the probability is linear between the entries, and beyond the last. */
function exponentialP(dStar: number): number {
  if (dStar <= TABLE[0][0]) return 1;
  const index = TABLE.findIndex(([distance]) => distance >= dStar);
  const above = index === -1 ? TABLE.length - 1 : index;
  const [x0, p0] = TABLE[above - 1] ?? TABLE[0];
  const [x1, p1] = TABLE[above] ?? TABLE[0];
  return p0 * (p1 / p0) ** ((dStar - x0) / (x1 - x0));
}
