import { lengthOf, SMALLEST_WINDOW, type TimeWindow } from "./time-window.ts";

const DAY = 86_400_000_000n;
/** About 1,700 events of GeoNet. */
const FIRST_LENGTH = 30n * DAY;
/** A window is at most so many times as long as the one before: density changes within days. */
const MAX_GROWTH = 4;
/** A remainder shorter than this part of a window is not worth a request of its own. */
const REMAINDER = 8n;

export type WindowPlan = {
  /** Cuts the next window off the span, null when nothing is left of it. */
  readonly next: () => TimeWindow | null;
  /** A window was answered, by so many events: the next ones are as long as this density promises. */
  readonly answered: (window: TimeWindow, events: number) => void;
  /** A window had to be divided into windows like this one: no longer ones are cut. */
  readonly divided: (window: TimeWindow) => void;
  /** How many windows the rest of the span will need, as far as is known. */
  readonly left: () => number;
};

/** Cuts a span into windows that follow each other without gap or overlap, each of about `target` events. */
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
