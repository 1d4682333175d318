import { cosineOfLatitude, greatCircleKm } from "#contracts/geometry/globe.ts";
import { timeToMicros } from "#contracts/seismic-event/time.ts";
import { createTextBytes, withRoomFor } from "../../texts/text-bytes.ts";

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
