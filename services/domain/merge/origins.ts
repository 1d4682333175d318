import { timeToMicros } from "#contracts/seismic-event/origin-time.ts";
import { createTextColumnBuilder, type TextColumn } from "./columns.ts";

const MICROS_PER_SECOND = 1_000_000n;

/**
 * A time in two numbers, both rounded towards 0 and of one sign: single numbers of microseconds since 1970
 * are exact only from 1684 on.
 */
export type SplitTime = {
  /** Whole seconds since 1970-01-01T00:00:00Z. */
  readonly seconds: number;
  /** Microseconds beyond: −999,999 to 999,999. */
  readonly micros: number;
};

/** @param time canonical */
export function splitTime(time: string): SplitTime {
  const total = timeToMicros(time);
  return {
    seconds: Number(total / MICROS_PER_SECOND),
    micros: Number(total % MICROS_PER_SECOND),
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
