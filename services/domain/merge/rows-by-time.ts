import { at } from "./columns.ts";
import type { Origins } from "./origins.ts";

const MAX_STEP = 2 ** 32 - 1;
const MICROS_PER_SECOND = 1_000_000;

/**
 * The rows by time, then id. Each row is put in a step of time, of which there are 2³² from the first to
 * the last; the steps are sorted by their digits, in time that grows with the rows and no faster. Only
 * rows of one step are then compared exactly.
 */
export function rowsByTime(origins: Origins): Int32Array {
  const { steps, rows } = inOrderOfSteps(stepsOf(origins));
  sortWithinSteps(rows, steps, origins);
  return rows;
}

/** The step of each row. An earlier time never has a later step. */
function stepsOf({ length, seconds, micros }: Origins): Uint32Array {
  const first = seconds.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
  const last = seconds.reduce((a, b) => Math.max(a, b), first);
  // One second before and two after, since microseconds count from −999,999 to 999,999.
  const stepsPerSecond = MAX_STEP / (last - first + 3);
  const steps = new Uint32Array(length);
  for (let row = 0; row < length; row++) {
    const elapsed = at(seconds, row) - first + 1 + at(micros, row) / MICROS_PER_SECOND;
    steps[row] = Math.floor(elapsed * stepsPerSecond);
  }
  return steps;
}

type SteppedRows = { readonly steps: Uint32Array; readonly rows: Int32Array };

/** Bits of a digit: three of them make a step, and the places of 2,048 digits stay in the cache. */
const DIGIT_BITS = 11;
const DIGITS = 2 ** DIGIT_BITS;

/** Rows by their steps, those of one step as they were: a radix sort from the lowest digit on. */
function inOrderOfSteps(unsorted: Uint32Array): SteppedRows {
  const { length } = unsorted;
  let from: SteppedRows = { steps: unsorted, rows: new Int32Array(length).map((_, row) => row) };
  let to: SteppedRows = { steps: new Uint32Array(length), rows: new Int32Array(length) };
  for (let shift = 0; shift < 32; shift += DIGIT_BITS) {
    moveByDigit(from, to, shift);
    [from, to] = [to, from];
  }
  return from;
}

function moveByDigit({ steps, rows }: SteppedRows, to: SteppedRows, shift: number): void {
  const places = firstPlaces(steps, shift);
  for (let i = 0; i < steps.length; i++) {
    const step = steps[i] ?? 0;
    const digit = (step >>> shift) & (DIGITS - 1);
    const place = at(places, digit);
    places[digit] = place + 1;
    to.steps[place] = step;
    to.rows[place] = at(rows, i);
  }
}

/** How many steps have a lower digit, for each digit. */
function firstPlaces(steps: Uint32Array, shift: number): Int32Array {
  const places = new Int32Array(DIGITS + 1);
  for (let i = 0; i < steps.length; i++) {
    const next = (((steps[i] ?? 0) >>> shift) & (DIGITS - 1)) + 1;
    places[next] = at(places, next) + 1;
  }
  for (let digit = 1; digit < DIGITS; digit++) {
    places[digit] = at(places, digit) + at(places, digit - 1);
  }
  return places;
}

function sortWithinSteps(rows: Int32Array, steps: Uint32Array, origins: Origins): void {
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
