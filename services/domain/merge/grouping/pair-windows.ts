import { at } from "../columns.ts";
import type { SplitTime } from "../origins.ts";
import type { Thresholds } from "../thresholds.ts";
import type { OrderedOrigins } from "../time-order.ts";

/** Events that have thresholds of their own, where it holds for both of a pair. */
export type PairWindow = {
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

export type HeldWindows = {
  /** The microseconds that no pair with this event exceeds. */
  reachOf(rank: number): number;
  /** Index of the first window that holds for both events; null for none. */
  firstOfBoth(a: number, b: number): number | null;
};

/**
 * Which windows hold for which events: a bit for each window, four bytes an event for every 32.
 * @param commonMicros the time threshold of pairs without a window
 */
export function createHeldWindows(
  events: OrderedOrigins,
  commonMicros: number,
  windows: readonly PairWindow[],
): HeldWindows {
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
    reachOf: (rank) => at(reaches, rank),
    firstOfBoth(a, b) {
      for (let word = 0; word < words; word++) {
        const both = at(masks, a * words + word) & at(masks, b * words + word);
        if (both !== 0) return word * BITS + lowestBit(both);
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

/** Number of the lowest bit that is set. */
function lowestBit(mask: number): number {
  return BITS - 1 - Math.clz32(mask & -mask);
}
