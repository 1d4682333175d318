import { at } from "./columns.ts";
import { haversine, haversineToKm, kmToHaversine } from "./great-circle.ts";
import type { Thresholds } from "./thresholds.ts";
import { microsBetween, type OrderedOrigins } from "./time-order.ts";

export type PairMeasure = {
  /** Kilometres between two ranks; Infinity when certainly above the threshold. */
  distanceKm(a: number, b: number): number;
  /** Whether both thresholds hold, inclusive. */
  isWithin(a: number, b: number): boolean;
};

/** Measures pairs of events, given by their ranks, against the thresholds. */
export function createPairMeasure(events: OrderedOrigins, thresholds: Thresholds): PairMeasure {
  const { latitude, longitude, cosine } = events;
  // Rejects far pairs before the arc sine; the margin protects near pairs from rounding.
  const farHaversine = kmToHaversine(thresholds.kilometres) * (1 + 1e-9) + 1e-30;

  function distanceKm(a: number, b: number): number {
    const ofAngle = haversine(
      at(latitude, a) - at(latitude, b),
      at(longitude, a) - at(longitude, b),
      at(cosine, a),
      at(cosine, b),
    );
    return ofAngle > farHaversine ? Number.POSITIVE_INFINITY : haversineToKm(ofAngle);
  }

  return {
    distanceKm,
    isWithin(a, b) {
      return (
        Math.abs(microsBetween(events, a, b)) <= thresholds.micros &&
        distanceKm(a, b) <= thresholds.kilometres
      );
    },
  };
}
