import { isBetweenMeridians } from "#contracts/geometry/globe.ts";
import type { EventColumns } from "../../../model/event-columns.ts";
import type { FilterValues } from "../../../model/work-state.ts";

/**
 * Indexes of the events that pass the filters which need no more than what every event has; null
 * where all do. Limits are rounded as the values are, so that "2.1" finds what was stored as 2.1.
 */
export function passing(columns: EventColumns, filters: FilterValues): Uint32Array | null {
  const tests = testsOf(columns, filters);
  if (tests.length === 0) return null;
  const indexes = new Uint32Array(columns.count);
  let count = 0;
  for (let i = 0; i < columns.count; i++) {
    if (!tests.every((test) => test(i))) continue;
    indexes[count] = i;
    count++;
  }
  return indexes.subarray(0, count);
}

type Test = (i: number) => boolean;

function testsOf(columns: EventColumns, filters: FilterValues): Test[] {
  const { magnitude, depth, latitude, longitude, time } = columns;
  const tests: Test[] = [];
  const between = (
    values: ArrayLike<number>,
    limitOf: (text: string) => number,
    least: string | undefined,
    most: string | undefined,
  ) => {
    const low = least === undefined ? null : limitOf(least);
    const high = most === undefined ? null : limitOf(most);
    if (low !== null) tests.push((i) => (values[i] ?? Number.NaN) >= low);
    if (high !== null) tests.push((i) => (values[i] ?? Number.NaN) <= high);
  };
  const packed = (text: string) => Math.fround(Number(text));
  between(magnitude, packed, filters.minMagnitude, filters.maxMagnitude);
  between(depth, packed, filters.minDepth, filters.maxDepth);
  between(latitude, packed, filters.minLatitude, filters.maxLatitude);
  between(time, timeOf, filters.startTime, filters.endTime);
  const { minLongitude, maxLongitude } = filters;
  if (minLongitude !== undefined || maxLongitude !== undefined) {
    const [west, east] = [packed(minLongitude ?? "-180"), packed(maxLongitude ?? "180")];
    const at = (values: Float32Array, i: number) => values[i] ?? Number.NaN;
    tests.push((i) => isBetweenMeridians(west, east, at(latitude, i), at(longitude, i)));
  }
  return tests;
}

/** Milliseconds since 1970; a time without a zone is UTC, as the service reads it. */
export function timeOf(text: string): number {
  const [whole = "", fraction = ""] = text.split(/(?<=:\d\d)\.(?=\d)/);
  const hasZone = /Z|[+-]\d\d:?\d\d$/i.test(text.slice(10));
  const base = Date.parse(
    /T/i.test(whole) && !hasZone ? `${whole}Z` : fraction ? wholeOf(text) : text,
  );
  const digits = /^\d+/.exec(fraction)?.[0];
  return digits ? base + Number(`0.${digits}`) * 1_000 : base;
}

function wholeOf(text: string): string {
  return text.replace(/(:\d\d)\.\d+/, "$1");
}
