import { cosineOfLatitude } from "#contracts/seismic-event/great-circle.ts";
import { at, inOrder } from "./columns.ts";
import type { Origins } from "./origins.ts";

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

/** Microseconds from rank `earlier` to rank `later`; exact up to 285 years. */
export function microsBetween(
  { seconds, micros }: OrderedOrigins,
  earlier: number,
  later: number,
): number {
  const wholeSeconds = at(seconds, later) - at(seconds, earlier);
  return wholeSeconds * 1_000_000 + (at(micros, later) - at(micros, earlier));
}
