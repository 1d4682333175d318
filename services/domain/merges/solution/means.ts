import { type Coordinates, cosineOfLatitude, greatCircleKm } from "#contracts/geometry/globe.ts";
import type { SeismicEventRecord } from "#contracts/seismic-event/seismic-event.ts";
import { fractionDigits, microsToTime, timeToMicros } from "#contracts/seismic-event/time.ts";
import { KM_PER_DEGREE } from "#contracts/units.ts";
import { isMeasured } from "./quality-score.ts";

const RADIANS_PER_DEGREE = Math.PI / 180;

/** Well above the rounding error of a sum of 0, as a fraction of the weights. */
const NO_DIRECTION = 1e-9;

/**
 * The weighted mean on the sphere: the direction of the sum of the weighted unit vectors. Identical
 * places give exactly the same place. Places that cancel out, as in a nearest-linkage group around
 * the Earth, have no mean; the result is then the first.
 * @param weights one for each place, positive
 */
export function meanPosition(
  places: readonly Coordinates[],
  weights: readonly number[],
): Coordinates {
  const [first] = places;
  if (first === undefined) throw new RangeError("a mean needs at least one place");
  if (places.every((place) => greatCircleKm(first, place) === 0)) return first;

  let total = 0;
  let x = 0;
  let y = 0;
  let z = 0;
  places.forEach(({ latitude, longitude }, i) => {
    const weight = weights[i] ?? 0;
    total += weight;
    const cosine = Math.cos(latitude * RADIANS_PER_DEGREE);
    x += weight * cosine * Math.cos(longitude * RADIANS_PER_DEGREE);
    y += weight * cosine * Math.sin(longitude * RADIANS_PER_DEGREE);
    z += weight * Math.sin(latitude * RADIANS_PER_DEGREE);
  });
  if (Math.hypot(x, y, z) < NO_DIRECTION * total) return first;
  return {
    latitude: Math.atan2(z, Math.hypot(x, y)) / RADIANS_PER_DEGREE,
    longitude: Math.atan2(y, x) / RADIANS_PER_DEGREE,
  };
}

const MAX_DIGITS = 6;

export type MeanTime = {
  /** Rounded half up to microseconds, with the digits it needs but at least as many as any given time. */
  readonly time: string;
  /** Unrounded microseconds from the mean to each given time. */
  readonly micros: readonly number[];
};

/**
 * The weighted mean of canonical times. It is computed from offsets to the earliest, which are small
 * whole numbers, so equal weights give the exact mean.
 * @param weights one for each time, positive
 */
export function meanTime(times: readonly string[], weights: readonly number[]): MeanTime {
  const instants = times.map(timeToMicros);
  const base = instants.reduce((earliest, micros) => (micros < earliest ? micros : earliest));
  const offsets = instants.map((micros) => Number(micros - base));
  let weighted = 0;
  let total = 0;
  offsets.forEach((offset, i) => {
    const weight = weights[i] ?? 0;
    weighted += weight * offset;
    total += weight;
  });
  const mean = weighted / total;
  return {
    time: written(base + BigInt(Math.round(mean)), Math.max(...times.map(fractionDigits))),
    micros: offsets.map((offset) => offset - mean),
  };
}

function written(micros: bigint, minDigits: number): string {
  let digits = minDigits;
  while (digits < MAX_DIGITS && micros % 10n ** BigInt(MAX_DIGITS - digits) !== 0n) digits++;
  return microsToTime(micros, digits);
}

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
