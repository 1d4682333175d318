import { at } from "../columns.ts";

const FIRST_CAPACITY = 1024;

/**
 * Thrown when the thresholds are so wide and the events so dense that the pairs would not fit in
 * memory.
 */
export class TooManyCandidates extends Error {
  override readonly name = "TooManyCandidates";
  readonly limit: number;

  constructor(limit: number) {
    super(`More than ${limit} pairs of neighbouring events are within the thresholds`);
    this.limit = limit;
  }
}

/** Collects candidate pairs of ranks, at most `limit` at a time. */
export function createCandidates(limit: number) {
  let earliers = new Int32Array(FIRST_CAPACITY);
  let laters = new Int32Array(FIRST_CAPACITY);
  let nearnesses = new Float64Array(FIRST_CAPACITY);
  let length = 0;

  function grow(): void {
    const capacity = earliers.length * 2;
    earliers = grown(earliers, new Int32Array(capacity));
    laters = grown(laters, new Int32Array(capacity));
    nearnesses = grown(nearnesses, new Float64Array(capacity));
  }

  function nearestFirst(): Int32Array {
    const order = Int32Array.from({ length }, (_, index) => index);
    return order.sort(
      (a, b) =>
        at(nearnesses, a) - at(nearnesses, b) ||
        at(earliers, a) - at(earliers, b) ||
        at(laters, a) - at(laters, b),
    );
  }

  return {
    get length() {
      return length;
    },
    /** @throws TooManyCandidates */
    add(earlier: number, later: number, nearness: number): void {
      if (length === limit) throw new TooManyCandidates(limit);
      if (length === earliers.length) grow();
      earliers[length] = earlier;
      laters[length] = later;
      nearnesses[length] = nearness;
      length++;
    },
    /** Visits the pairs nearest first, ties by the earlier event, then by the later; then clears them. */
    takeNearestFirst(visit: (earlier: number, later: number) => void): void {
      if (length === 1) visit(at(earliers, 0), at(laters, 0));
      else for (const index of nearestFirst()) visit(at(earliers, index), at(laters, index));
      length = 0;
    },
  };
}

function grown<C extends Int32Array | Float64Array>(from: C, to: C): C {
  to.set(from);
  return to;
}
