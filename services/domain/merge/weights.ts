import type { SeismicEventRecord } from "#contracts/seismic-event/seismic-event.ts";
import { cosineOfLatitude, KM_PER_DEGREE } from "./great-circle.ts";

export type Weights = {
  /** One for each σ, at most 1. */
  readonly values: readonly number[];
  /** Whether they are 1/σ²; else all are equal. */
  readonly isByUncertainty: boolean;
};

/**
 * Weights 1/σ², scaled so that the best has 1, where every σ is stated, else equal ones
 * (contract §6). A σ of 0 is a placeholder, not a measurement, and counts as not stated.
 */
export function weightsOf(sigmas: readonly (number | null)[]): Weights {
  const stated = sigmas.map((sigma) => (sigma === null || sigma === 0 ? Number.NaN : sigma));
  const best = Math.min(...stated);
  if (Number.isNaN(best)) return { values: sigmas.map(() => 1), isByUncertainty: false };
  return { values: stated.map((sigma) => (best / sigma) ** 2), isByUncertainty: true };
}

/**
 * σ of the epicentre, km: the horizontal uncertainty, else those of latitude and longitude together
 * (contract §9, "Merge"); null when neither is stated.
 */
export function positionSigmaKm(record: SeismicEventRecord): number | null {
  const { horizontal_uncertainty, latitude_uncertainty, longitude_uncertainty } = record;
  if (horizontal_uncertainty !== null && horizontal_uncertainty > 0) return horizontal_uncertainty;
  if (latitude_uncertainty === null || longitude_uncertainty === null) return null;
  return Math.hypot(
    latitude_uncertainty * KM_PER_DEGREE,
    longitude_uncertainty * KM_PER_DEGREE * cosineOfLatitude(record.latitude),
  );
}
