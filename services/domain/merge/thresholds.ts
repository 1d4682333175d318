const MICROS_PER_SECOND = 1_000_000;

/**
 * Distances between events are rounded to 1/GRAINS of the unit. Decimal coordinates and their
 * distances have a rounding noise of some 1e-12; without a coarser grain, noise would decide between
 * two equally near neighbours instead of the tie rule.
 */
const GRAINS = 1_000_000_000;

/** Largest differences between events of one earthquake, inclusive; whole microseconds. */
export type Thresholds = { readonly micros: number; readonly kilometres: number };

/**
 * @param seconds 0 to 3600
 * @param kilometres 0 to 1000
 */
export function thresholdsOf(seconds: number, kilometres: number): Thresholds {
  return { micros: wholeMicros(seconds), kilometres };
}

export function widened(thresholds: Thresholds, factor: number): Thresholds {
  return {
    micros: Math.floor(thresholds.micros * factor),
    kilometres: thresholds.kilometres * factor,
  };
}

/** √((Δt/T)² + (d/D)²) in grains of 1e-9, where 0/0 is 0. Smaller is nearer. */
export function nearness(micros: number, kilometres: number, thresholds: Thresholds): number {
  const time = ratio(micros, thresholds.micros);
  const distance = ratio(kilometres, thresholds.kilometres);
  return Math.round(Math.sqrt(time * time + distance * distance) * GRAINS);
}

/** With a threshold of 0, pairs within it have no difference. */
function ratio(difference: number, threshold: number): number {
  return threshold === 0 ? 0 : difference / threshold;
}

/**
 * The largest number of microseconds not above `seconds` as written: 0.000249 · 1e6 alone is below
 * 249.
 */
function wholeMicros(seconds: number): number {
  const nearest = Math.round(seconds * MICROS_PER_SECOND);
  return nearest / MICROS_PER_SECOND > seconds ? nearest - 1 : nearest;
}
