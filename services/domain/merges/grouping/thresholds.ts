/**
 * Within which thresholds two events may be one: those of all pairs, those of windows, and how a
 * pair is measured against its own.
 */

import {
  cosineOfLatitude,
  greatCircleKm,
  haversine,
  haversineToKm,
  kmToHaversine,
} from "#contracts/geometry/globe.ts";
import type { MergeWindow } from "#contracts/merges/config.ts";
import { timeToMicros } from "#contracts/seismic-event/time.ts";
import { createTextBytes, withRoomFor } from "../../texts.ts";

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

const MICROSECONDS = 1_000_000n;

/**
 * A time in two numbers, both rounded towards 0 and of one sign: single numbers of microseconds since 1970
 * are exact only from 1684 on.
 */
type SplitTime = {
  /** Whole seconds since 1970-01-01T00:00:00Z. */
  readonly seconds: number;
  /** Microseconds beyond: −999,999 to 999,999. */
  readonly micros: number;
};

/** @param time canonical */
function splitTime(time: string): SplitTime {
  const total = timeToMicros(time);
  return {
    seconds: Number(total / MICROSECONDS),
    micros: Number(total % MICROSECONDS),
  };
}

/**
 * Times and places of events by column: the input of grouping. Row i is one event.
 */
export type Origins = {
  readonly length: number;
  /** Of split times. */
  readonly seconds: Float64Array;
  readonly micros: Int32Array;
  /** Degrees, −90 to 90. */
  readonly latitude: Float64Array;
  /** Degrees, −180 to 180. */
  readonly longitude: Float64Array;
  /** NaN when missing. */
  readonly magnitude: Float64Array;
  /** Index of the source catalogue. */
  readonly source: Int32Array;
  /** Event ids, unique over all rows: the last tie-break. */
  readonly ids: TextColumn;
};

/** `source` is the index of the source catalogue, `time` a canonical time. */
export type Origin = {
  readonly source: number;
  readonly id: string;
  readonly time: string;
  readonly latitude: number;
  readonly longitude: number;
  readonly magnitude?: number | null;
};

/** Collects the origins of up to `capacity` events. */
export function createOriginsBuilder(capacity: number) {
  const seconds = new Float64Array(capacity);
  const micros = new Int32Array(capacity);
  const latitude = new Float64Array(capacity);
  const longitude = new Float64Array(capacity);
  const magnitude = new Float64Array(capacity);
  const source = new Int32Array(capacity);
  const ids = createTextColumnBuilder(capacity);
  let length = 0;

  return {
    /** @throws RangeError beyond the capacity */
    push(origin: Origin): void {
      if (length === capacity) throw new RangeError(`there is room for ${capacity} origins only`);
      const time = splitTime(origin.time);
      seconds[length] = time.seconds;
      micros[length] = time.micros;
      latitude[length] = origin.latitude;
      longitude[length] = origin.longitude;
      magnitude[length] = origin.magnitude ?? Number.NaN;
      source[length] = origin.source;
      ids.push(origin.id);
      length += 1;
    },
    /** The rows pushed so far, without a copy. */
    finish(): Origins {
      return {
        length,
        seconds: seconds.subarray(0, length),
        micros: micros.subarray(0, length),
        latitude: latitude.subarray(0, length),
        longitude: longitude.subarray(0, length),
        magnitude: magnitude.subarray(0, length),
        source: source.subarray(0, length),
        ids: ids.finish(),
      };
    },
  };
}

type Columns = Omit<Origins, "ids">;

/**
 * Origins by time, then id: an order independent of the input's. An event's index in it is its rank,
 * so comparing ranks settles ties by earlier time, then by id.
 */
export type OrderedOrigins = Columns & {
  readonly cosine: Float64Array;
  readonly rows: Int32Array;
};

/** Input that is ordered already, as merges read it, is only checked, not copied. */
export function inTimeOrder(origins: Origins): OrderedOrigins {
  const rows = new Int32Array(origins.length);
  for (let row = 0; row < rows.length; row++) rows[row] = row;
  const isOrdered = isInOrder(origins);
  if (!isOrdered) rows.sort((a, b) => compareRows(origins, a, b));
  const { ids: _, ...asGiven } = origins;
  const columns = isOrdered ? asGiven : columnsInOrder(origins, rows);
  return { ...columns, cosine: columns.latitude.map(cosineOfLatitude), rows };
}

function isInOrder(origins: Origins): boolean {
  for (let row = 1; row < origins.length; row++) {
    if (compareRows(origins, row - 1, row) > 0) return false;
  }
  return true;
}

function compareRows({ seconds, micros, ids }: Origins, a: number, b: number): number {
  return at(seconds, a) - at(seconds, b) || at(micros, a) - at(micros, b) || ids.compare(a, b);
}

function columnsInOrder(origins: Origins, rows: Int32Array): Columns {
  return {
    length: origins.length,
    seconds: inOrder(origins.seconds, rows),
    micros: inOrder(origins.micros, rows),
    latitude: inOrder(origins.latitude, rows),
    longitude: inOrder(origins.longitude, rows),
    magnitude: inOrder(origins.magnitude, rows),
    source: inOrder(origins.source, rows),
  };
}

/** Kilometres along the great circle between the epicentres of two rows, or ranks. */
export function kilometresBetween(
  { latitude, longitude }: Pick<Origins, "latitude" | "longitude">,
  a: number,
  b: number,
): number {
  const placeOf = (row: number) => ({ latitude: at(latitude, row), longitude: at(longitude, row) });
  return greatCircleKm(placeOf(a), placeOf(b));
}

/** Microseconds from the row or rank `earlier` to `later`; exact up to 285 years. */
export function microsBetween(
  { seconds, micros }: Pick<Origins, "seconds" | "micros">,
  earlier: number,
  later: number,
): number {
  const wholeSeconds = at(seconds, later) - at(seconds, earlier);
  return wholeSeconds * 1_000_000 + (at(micros, later) - at(micros, earlier));
}

/** The numeric columns for merging: only two types, so that access stays fast. */
export type NumberColumn = Float64Array | Int32Array;

/**
 * The value at `index`.
 * @throws RangeError beyond the column
 */
export function at(column: NumberColumn, index: number): number {
  const value = column[index];
  if (value === undefined) throw new RangeError(`${index} is not one of ${column.length} rows`);
  return value;
}

/** The column's values in the order of `rows`, which are all of it. */
function inOrder<C extends NumberColumn>(column: C, rows: Int32Array): C {
  return column.map((_, i) => at(column, at(rows, i))) as C;
}

/** Texts by row, or null. */
export type TextColumn = {
  /** Also null beyond the last row. */
  textOf(row: number): string | null;
  /** Compares bytes: below 0 when the text of row `a` comes first. Null precedes all texts. */
  compare(a: number, b: number): number;
};

/** Follows each text, so that an empty text differs from null. */
const END = 0;

/**
 * Collects up to `capacity` well-formed texts in one buffer. As V8 strings, the ids of a million
 * events would be 64 MB that each garbage collection scans, for 0.1 to 0.3 s, which is as long as
 * grouping them takes.
 */
export function createTextColumnBuilder(capacity: number) {
  /** Offset of each row, and the end of the last; exact beyond 4 GiB. */
  const starts = new Float64Array(capacity + 1);
  let bytes = createTextBytes();
  let length = 0;
  let end = 0;

  return {
    /** @throws RangeError beyond the capacity */
    push(text: string | null): void {
      if (length === capacity) throw new RangeError(`there is room for ${capacity} texts only`);
      if (text !== null) {
        bytes = withRoomFor(text, 1, bytes, end);
        end += bytes.write(text, end);
        bytes[end] = END;
        end += 1;
      }
      length += 1;
      starts[length] = end;
    },
    /** The rows pushed so far, without a copy. */
    finish: (): TextColumn => createTextColumn(starts.subarray(0, length + 1), bytes),
  };
}

function createTextColumn(starts: Float64Array, bytes: Buffer): TextColumn {
  const startOf = (row: number): number => starts[row] ?? 0;
  const endOf = (row: number): number => starts[row + 1] ?? startOf(row);
  return {
    textOf(row) {
      const [start, end] = [startOf(row), endOf(row)];
      return start === end ? null : bytes.toString("utf8", start, end - 1);
    },
    compare: (a, b) => bytes.compare(bytes, startOf(b), endOf(b), startOf(a), endOf(a)),
  };
}
