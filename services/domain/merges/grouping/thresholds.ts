/**
 * Within which thresholds two events may be one: those of all pairs, those of windows, and how a
 * pair is measured against its own.
 */

import { haversine, haversineToKm, kmToHaversine } from "#contracts/geometry/globe.ts";
import type { MergeWindow } from "#contracts/merges/config.ts";
import { at, microsBetween, type OrderedOrigins, type SplitTime, splitTime } from "./origins.ts";

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
  const nearest = Math.round(seconds * MICROS_PER_SECOND);
  // Not above the seconds as written: 0.000249 · 1e6 alone is below 249.
  const micros = nearest / MICROS_PER_SECOND > seconds ? nearest - 1 : nearest;
  return { micros, kilometres };
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
  const kilometresUpTo = createDistances(events);
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
  const kilometresUpTo = createDistances(events);
  const { reachOf, firstOfBoth } = createHeldWindows(events, common.micros, windows);
  const scaleOf = (thresholds: Thresholds | null) =>
    thresholds && { thresholds, far: farHaversine(thresholds.kilometres) };
  const scales = windows.map(({ thresholds }) => scaleOf(thresholds));
  const commonScale = scaleOf(common);
  const all = [common, ...windows.flatMap(({ thresholds }) => thresholds ?? [])];

  function ofPair(a: number, b: number) {
    const window = firstOfBoth(a, b);
    return window === null ? commonScale : (scales[window] ?? null);
  }

  return {
    widest: {
      micros: Math.max(...all.map(({ micros }) => micros)),
      kilometres: Math.max(...all.map(({ kilometres }) => kilometres)),
    },
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

/** Rejects far pairs before the arc sine; the margin protects near pairs from rounding. */
function farHaversine(kilometres: number): number {
  return kmToHaversine(kilometres) * (1 + 1e-9) + 1e-30;
}

/** A function that gives the kilometres between two ranks; Infinity beyond `furthest`, whose `farHaversine` is `far`. */
function createDistances({ latitude, longitude, cosine }: OrderedOrigins) {
  return (furthest: number, far: number, a: number, b: number): number => {
    const ofAngle = haversine(
      at(latitude, a) - at(latitude, b),
      at(longitude, a) - at(longitude, b),
      at(cosine, a),
      at(cosine, b),
    );
    if (ofAngle > far) return Number.POSITIVE_INFINITY;
    const kilometres = haversineToKm(ofAngle);
    return kilometres > furthest ? Number.POSITIVE_INFINITY : kilometres;
  };
}

/** Events that have thresholds of their own, where it holds for both of a pair. */
type PairWindow = {
  /** Indexes of source catalogues; null for all. */
  readonly sources: ReadonlySet<number> | null;
  /** Included. */
  readonly from: SplitTime | null;
  /** Not included. */
  readonly to: SplitTime | null;
  /** An event without magnitude has less. */
  readonly minMagnitude: number | null;
  /** Null: its pairs are never candidates. */
  readonly thresholds: Thresholds | null;
};

/** Windows in one word of a mask. */
const BITS = 32;

/**
 * Which windows hold for which events: a bit for each window, four bytes an event for every 32.
 * @param commonMicros the time threshold of pairs without a window
 */
function createHeldWindows(
  events: OrderedOrigins,
  commonMicros: number,
  windows: readonly PairWindow[],
) {
  const words = Math.ceil(windows.length / BITS);
  const masks = new Int32Array(events.length * words);
  const reaches = new Float64Array(events.length).fill(commonMicros);
  windows.forEach((window, index) => {
    const [word, bit] = [Math.floor(index / BITS), 1 << (index % BITS)];
    const micros = window.thresholds?.micros ?? 0;
    visitHolding(events, window, (rank) => {
      const place = rank * words + word;
      masks[place] = at(masks, place) | bit;
      if (micros > at(reaches, rank)) reaches[rank] = micros;
    });
  });
  return {
    /** The microseconds that no pair with this event exceeds. */
    reachOf: (rank: number) => at(reaches, rank),
    /** Index of the first window that holds for both events; null for none. */
    firstOfBoth(a: number, b: number): number | null {
      for (let word = 0; word < words; word++) {
        const both = at(masks, a * words + word) & at(masks, b * words + word);
        if (both !== 0) return word * BITS + BITS - 1 - Math.clz32(both & -both);
      }
      return null;
    },
  };
}

function visitHolding(
  events: OrderedOrigins,
  { sources, from, to, minMagnitude }: PairWindow,
  visit: (rank: number) => void,
): void {
  const end = to === null ? events.length : firstNotBefore(events, to);
  for (let rank = from === null ? 0 : firstNotBefore(events, from); rank < end; rank++) {
    if (sources !== null && !sources.has(at(events.source, rank))) continue;
    if (minMagnitude !== null && !(at(events.magnitude, rank) >= minMagnitude)) continue;
    visit(rank);
  }
}

function firstNotBefore({ length, seconds, micros }: OrderedOrigins, time: SplitTime): number {
  let [low, high] = [0, length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    const order = at(seconds, middle) - time.seconds || at(micros, middle) - time.micros;
    if (order < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** @param labels of the sources, in their order; windows name them in any case */
export function windowsOf(
  windows: readonly MergeWindow[] | undefined,
  labels: readonly string[],
): PairWindow[] {
  return (windows ?? []).map(
    ({ sources, from, to, minMagnitude = null, timeThreshold, distanceThreshold }) => ({
      sources: sources === undefined ? null : indexesOf(sources, labels),
      from: from === undefined ? null : splitTime(from),
      to: to === undefined ? null : splitTime(to),
      minMagnitude,
      thresholds:
        timeThreshold === null || distanceThreshold === null
          ? null
          : thresholdsOf(timeThreshold, distanceThreshold),
    }),
  );
}

function indexesOf(wanted: readonly string[], labels: readonly string[]): Set<number> {
  const inAnyCase = new Set(wanted.map((label) => label.toLowerCase()));
  return new Set(
    labels.keys().filter((index) => inAnyCase.has(labels[index]?.toLowerCase() ?? "")),
  );
}
