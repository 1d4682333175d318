import type { EventColumns } from "../../model/event-columns.ts";
import type { FilterValues } from "../../model/filters.ts";

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
  const { magnitude, depth, latitude, time } = columns;
  const tests: Test[] = [];
  const atLeast = (values: Float32Array, text: string | undefined) => {
    if (text === undefined) return;
    const limit = Math.fround(Number(text));
    tests.push((i) => (values[i] ?? Number.NaN) >= limit);
  };
  const atMost = (values: Float32Array, text: string | undefined) => {
    if (text === undefined) return;
    const limit = Math.fround(Number(text));
    tests.push((i) => (values[i] ?? Number.NaN) <= limit);
  };
  atLeast(magnitude, filters.minMagnitude);
  atMost(magnitude, filters.maxMagnitude);
  atLeast(depth, filters.minDepth);
  atMost(depth, filters.maxDepth);
  atLeast(latitude, filters.minLatitude);
  atMost(latitude, filters.maxLatitude);
  if (filters.startTime !== undefined) {
    const start = timeOf(filters.startTime);
    tests.push((i) => (time[i] ?? 0) >= start);
  }
  if (filters.endTime !== undefined) {
    const end = timeOf(filters.endTime);
    tests.push((i) => (time[i] ?? 0) <= end);
  }
  const { minLongitude, maxLongitude } = filters;
  if (minLongitude !== undefined || maxLongitude !== undefined) {
    tests.push(longitudeTest(columns, Number(minLongitude ?? -180), Number(maxLongitude ?? 180)));
  }
  return tests;
}

/** A box whose west is above its east lies across the date line; ±180° are one meridian. */
function longitudeTest({ longitude }: EventColumns, from: number, to: number): Test {
  const [west, east] = [Math.fround(from), Math.fround(to)];
  const at = (i: number) => longitude[i] ?? Number.NaN;
  if (west > east) return (i) => at(i) >= west || at(i) <= east;
  const hasDateLine = west === -180 || east === 180;
  return (i) => (at(i) >= west && at(i) <= east) || (hasDateLine && Math.abs(at(i)) === 180);
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

/** The time without its fraction. */
function wholeOf(text: string): string {
  return text.replace(/(:\d\d)\.\d+/, "$1");
}
