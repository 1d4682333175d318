/** Steps that magnitudes are rounded to, widest first. */
const STEPS = [0.5, 0.2, 0.1, 0.05, 0.02, 0.01] as const;

const ROUNDED_SHARE = 0.99;
const TOLERANCE = 1e-6;

/** The step that nearly all magnitudes are rounded to; 0 where they are continuous. */
export function reportingStep(magnitudes: ArrayLike<number>): number {
  for (const step of STEPS) {
    let rounded = 0;
    for (let i = 0; i < magnitudes.length; i++) {
      const steps = (magnitudes[i] ?? 0) / step;
      if (Math.abs(steps - Math.round(steps)) < TOLERANCE) rounded++;
    }
    if (rounded >= ROUNDED_SHARE * magnitudes.length) return step;
  }
  return 0;
}
