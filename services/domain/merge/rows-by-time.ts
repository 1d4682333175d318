import { at } from "./columns.ts";
import type { Origins } from "./origins.ts";

const MAX_KEY = 2 ** 53;
const MICROS_PER_SECOND = 1_000_000;

/**
 * The rows by time, then id. Sorting plain numbers is many times faster than sorting by a function,
 * so each row becomes one: as fine a step of time as fits beside the row. Only rows of one step are
 * then compared exactly.
 */
export function rowsByTime(origins: Origins): Int32Array {
  const { length } = origins;
  const keys = stepAndRowKeys(origins).sort();
  const rows = new Int32Array(length);
  const steps = new Float64Array(length);
  keys.forEach((key, i) => {
    const row = key % length;
    rows[i] = row;
    steps[i] = key - row;
  });
  sortWithinSteps(rows, steps, origins);
  return rows;
}

/** Keys `step · length + row`, whole numbers. An earlier time never has a later step. */
function stepAndRowKeys({ length, seconds, micros }: Origins): Float64Array {
  const first = seconds.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
  const last = seconds.reduce((a, b) => Math.max(a, b), first);
  // One second before and two after, since microseconds count from −999,999 to 999,999.
  const stepsPerSecond = Math.floor(MAX_KEY / length) / (last - first + 3);
  return Float64Array.from({ length }, (_, row) => {
    const elapsed = at(seconds, row) - first + 1 + at(micros, row) / MICROS_PER_SECOND;
    return Math.floor(elapsed * stepsPerSecond) * length + row;
  });
}

function sortWithinSteps(rows: Int32Array, steps: Float64Array, origins: Origins): void {
  const { seconds, micros, ids } = origins;
  for (let start = 0; start < rows.length; ) {
    let end = start + 1;
    while (end < rows.length && steps[end] === steps[start]) end++;
    if (end - start > 1) {
      rows
        .subarray(start, end)
        .sort(
          (a, b) =>
            at(seconds, a) - at(seconds, b) ||
            at(micros, a) - at(micros, b) ||
            compareIds(ids[a] ?? "", ids[b] ?? ""),
        );
    }
    start = end;
  }
}

function compareIds(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
