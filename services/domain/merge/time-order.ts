import { at, integersInOrder, realsInOrder } from "./columns.ts";
import { cosineOfLatitude } from "./great-circle.ts";
import type { Origins } from "./origins.ts";
import { rowsByTime } from "./rows-by-time.ts";

/**
 * Origins by time, then id: an order that does not depend on the order of the input. An event's
 * place in it is its rank, so comparing ranks settles ties "by earlier time, then by ids".
 */
export type OrderedOrigins = Omit<Origins, "ids"> & {
  readonly cosine: Float64Array;
  /** The input row of each rank. */
  readonly rows: Int32Array;
};

export function inTimeOrder(origins: Origins): OrderedOrigins {
  const rows = rowsByTime(origins);
  const latitude = realsInOrder(origins.latitude, rows);
  return {
    length: origins.length,
    seconds: realsInOrder(origins.seconds, rows),
    micros: integersInOrder(origins.micros, rows),
    latitude,
    longitude: realsInOrder(origins.longitude, rows),
    source: integersInOrder(origins.source, rows),
    cosine: latitude.map(cosineOfLatitude),
    rows,
  };
}

/** Microseconds from rank `earlier` to rank `later`; exact while they are within 285 years. */
export function microsBetween(
  { seconds, micros }: OrderedOrigins,
  earlier: number,
  later: number,
): number {
  const wholeSeconds = at(seconds, later) - at(seconds, earlier);
  return wholeSeconds * 1_000_000 + (at(micros, later) - at(micros, earlier));
}
