import { lengthOf, SMALLEST_WINDOW, type TimeWindow } from "./time-window.ts";

const DAY = 86_400_000_000n;
/** About 1,700 events at GeoNet. */
const FIRST_LENGTH = 30n * DAY;
/** Longest window in multiples of the previous one: density can change within days. */
const MAX_GROWTH = 4;
/** A remainder shorter than this fraction of a window is added to the window: no request of its own. */
const REMAINDER = 8n;

export type WindowPlan = {
  /** The next window of the span; null at its end. */
  readonly next: () => TimeWindow | null;
  /** Records the number of events in a window; the next windows are sized by this density. */
  readonly answered: (window: TimeWindow, events: number) => void;
  /** Records a window that resulted from halving; later windows are at most as long. */
  readonly divided: (window: TimeWindow) => void;
  /** Estimated number of windows in the rest of the span. */
  readonly left: () => number;
};

/** Cuts a span into windows of about `target` events each, without gaps or overlaps. */
export function createWindowPlan(span: TimeWindow, target: number): WindowPlan {
  let rest = span;
  let length = FIRST_LENGTH;

  return {
    next() {
      if (rest.from >= rest.to) return null;
      const end = rest.from + length;
      const to = end + length / REMAINDER < rest.to ? end : rest.to;
      const window = { from: rest.from, to };
      rest = { from: to, to: rest.to };
      return window;
    },
    answered(window, events) {
      const last = Number(lengthOf(window));
      const promised = events === 0 ? Number.POSITIVE_INFINITY : (last * target) / events;
      const next = BigInt(Math.round(Math.min(promised, last * MAX_GROWTH)));
      length = next > SMALLEST_WINDOW ? next : SMALLEST_WINDOW;
    },
    divided(window) {
      if (lengthOf(window) < length) length = lengthOf(window);
    },
    left: () => (rest.from < rest.to ? Number((lengthOf(rest) + length - 1n) / length) : 0),
  };
}
