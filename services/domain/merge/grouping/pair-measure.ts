import { haversine, haversineToKm, kmToHaversine } from "#contracts/seismic-event/great-circle.ts";
import { at } from "../columns.ts";
import { nearness, type Thresholds, widened } from "../thresholds.ts";
import { microsBetween, type OrderedOrigins } from "../time-order.ts";
import { createHeldWindows, type PairWindow } from "./pair-windows.ts";

/** The thresholds of pairs: those of the first window that holds for both events, else the common ones. */
export type PairThresholds = {
  readonly thresholds: Thresholds;
  readonly windows?: readonly PairWindow[];
  /** Most difference of two magnitudes, inclusive; an unknown one is then within none. */
  readonly magnitudeDifference?: number;
};

/** It accepts 8.3 − 7.3, which exceeds 1 slightly in binary, as 1. */
const MAGNITUDE_TOLERANCE = 1e-9;

/** A multiple of all thresholds; pairs that are never candidates stay so. */
export function widenedPairs(
  { thresholds, windows = [] }: PairThresholds,
  factor: number,
): PairThresholds {
  return {
    thresholds: widened(thresholds, factor),
    windows: windows.map((window) => ({
      ...window,
      thresholds: window.thresholds && widened(window.thresholds, factor),
    })),
  };
}

/** Measures pairs of events, given by their ranks, against the thresholds that these pairs have. */
export type PairMeasure = {
  /** What no pair exceeds. */
  readonly widest: Thresholds;
  /** The microseconds that no pair with this event exceeds. */
  reachOf(rank: number): number;
  /**
   * Kilometres between two ranks, Infinity unless both thresholds hold, inclusive.
   * @param micros between them, not negative
   */
  kilometresWithin(a: number, b: number, micros: number): number;
  /** How near a pair within its thresholds is; smaller is nearer. */
  nearnessOf(a: number, b: number, micros: number, kilometres: number): number;
};

export function createPairMeasure(
  events: OrderedOrigins,
  { thresholds, windows = [], magnitudeDifference }: PairThresholds,
): PairMeasure {
  const measure =
    windows.length === 0
      ? uniformMeasure(events, thresholds)
      : windowedMeasure(events, thresholds, windows);
  if (magnitudeDifference === undefined) return measure;
  const most = magnitudeDifference + MAGNITUDE_TOLERANCE;
  const { magnitude } = events;
  return {
    ...measure,
    kilometresWithin: (a, b, micros) =>
      Math.abs(at(magnitude, a) - at(magnitude, b)) <= most
        ? measure.kilometresWithin(a, b, micros)
        : Number.POSITIVE_INFINITY,
  };
}

/** Whether both thresholds of a pair hold. */
export function areWithin(
  events: OrderedOrigins,
  measure: PairMeasure,
  a: number,
  b: number,
): boolean {
  const micros = Math.abs(microsBetween(events, a, b));
  return measure.kilometresWithin(a, b, micros) < Number.POSITIVE_INFINITY;
}

function uniformMeasure(events: OrderedOrigins, thresholds: Thresholds): PairMeasure {
  const { kilometresUpTo } = createDistances(events);
  const { micros: most, kilometres: furthest } = thresholds;
  const far = farHaversine(furthest);
  return {
    widest: thresholds,
    reachOf: () => most,
    kilometresWithin: (a, b, micros) =>
      micros > most ? Number.POSITIVE_INFINITY : kilometresUpTo(furthest, far, a, b),
    nearnessOf: (_a, _b, micros, kilometres) => nearness(micros, kilometres, thresholds),
  };
}

function windowedMeasure(
  events: OrderedOrigins,
  common: Thresholds,
  windows: readonly PairWindow[],
): PairMeasure {
  const { kilometresUpTo } = createDistances(events);
  const { reachOf, firstOfBoth } = createHeldWindows(events, common.micros, windows);
  const scaleOf = (thresholds: Thresholds | null) =>
    thresholds && { thresholds, far: farHaversine(thresholds.kilometres) };
  const scales = windows.map(({ thresholds }) => scaleOf(thresholds));
  const commonScale = scaleOf(common);

  function ofPair(a: number, b: number) {
    const window = firstOfBoth(a, b);
    return window === null ? commonScale : (scales[window] ?? null);
  }

  return {
    widest: widestOf(common, windows),
    reachOf,
    kilometresWithin(a, b, micros) {
      const scale = ofPair(a, b);
      if (scale === null || micros > scale.thresholds.micros) return Number.POSITIVE_INFINITY;
      return kilometresUpTo(scale.thresholds.kilometres, scale.far, a, b);
    },
    nearnessOf: (a, b, micros, kilometres) =>
      nearness(micros, kilometres, ofPair(a, b)?.thresholds ?? common),
  };
}

function widestOf(common: Thresholds, windows: readonly PairWindow[]): Thresholds {
  const all = [common, ...windows.flatMap(({ thresholds }) => thresholds ?? [])];
  return {
    micros: Math.max(...all.map(({ micros }) => micros)),
    kilometres: Math.max(...all.map(({ kilometres }) => kilometres)),
  };
}

/** Rejects far pairs before the arc sine; the margin protects near pairs from rounding. */
function farHaversine(kilometres: number): number {
  return kmToHaversine(kilometres) * (1 + 1e-9) + 1e-30;
}

function createDistances({ latitude, longitude, cosine }: OrderedOrigins) {
  return {
    /** Infinity beyond `furthest`, whose `farHaversine` is `far`. */
    kilometresUpTo(furthest: number, far: number, a: number, b: number): number {
      const ofAngle = haversine(
        at(latitude, a) - at(latitude, b),
        at(longitude, a) - at(longitude, b),
        at(cosine, a),
        at(cosine, b),
      );
      if (ofAngle > far) return Number.POSITIVE_INFINITY;
      const kilometres = haversineToKm(ofAngle);
      return kilometres > furthest ? Number.POSITIVE_INFINITY : kilometres;
    },
  };
}
