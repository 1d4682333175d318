import type { SeismicEventRecord } from "#contracts/seismic-event/seismic-event.ts";
import { cosineOfLatitude, KM_PER_DEGREE } from "./great-circle.ts";
import { isMeasured } from "./known.ts";

export type Weights = {
  /** One for each σ, at most 1. */
  readonly values: readonly number[];
  /** Whether the weights are 1/σ²; otherwise all are equal. */
  readonly isByUncertainty: boolean;
};

/**
 * Weights 1/σ², scaled so that the largest is 1, if every σ is known; else equal ones. A σ of 0 is a
 * placeholder, not a measurement, and counts as unknown.
 */
export function weightsOf(sigmas: readonly (number | null)[]): Weights {
  const stated = sigmas.map((sigma) => (isMeasured(sigma) ? sigma : Number.NaN));
  const best = Math.min(...stated);
  if (Number.isNaN(best)) return { values: sigmas.map(() => 1), isByUncertainty: false };
  return { values: stated.map((sigma) => (best / sigma) ** 2), isByUncertainty: true };
}

/**
 * σ of the epicentre, km: the horizontal uncertainty, else those of latitude and longitude combined;
 * null when neither is known.
 */
export function positionSigmaKm(record: SeismicEventRecord): number | null {
  const { horizontal_uncertainty, latitude_uncertainty, longitude_uncertainty } = record;
  if (isMeasured(horizontal_uncertainty)) return horizontal_uncertainty;
  if (!isMeasured(latitude_uncertainty) || !isMeasured(longitude_uncertainty)) return null;
  return Math.hypot(
    latitude_uncertainty * KM_PER_DEGREE,
    longitude_uncertainty * KM_PER_DEGREE * cosineOfLatitude(record.latitude),
  );
}
