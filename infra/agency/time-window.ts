import { microsToTime, timeToMicros } from "#contracts/seismic-event/origin-time.ts";
import { type AgencyQuery, queryTime } from "./agency-query.ts";

/** Microseconds since 1970; half-open, so neighbouring windows have no gap and no overlap. */
export type TimeWindow = { readonly from: bigint; readonly to: bigint };

const SECOND = 1_000_000n;
/** Shortest window: agencies are asked in whole seconds. */
export const SMALLEST_WINDOW = SECOND;
/** Margin at both ends: bounds may be inclusive or exclusive, times rounded to seconds. */
const MARGIN = SECOND;
const FIRST_INSTANT = timeToMicros("0001-01-01T00:00:00Z");
const LAST_INSTANT = timeToMicros("9999-12-31T23:59:59Z");

/** The query's span as a window: the last instant is included, and times are whole microseconds. */
export function spanOf(query: Pick<AgencyQuery, "startTime" | "endTime">): TimeWindow {
  const from = timeToMicros(queryTime(query.startTime));
  const last = timeToMicros(queryTime(query.endTime));
  return { from, to: last < LAST_INSTANT ? last + 1n : LAST_INSTANT };
}

export function lengthOf({ from, to }: TimeWindow): bigint {
  return to - from;
}

/** The halves of a window; null when it is too short. */
export function halvesOf(window: TimeWindow): readonly [TimeWindow, TimeWindow] | null {
  if (lengthOf(window) < 2n * SMALLEST_WINDOW) return null;
  const { from, to } = window;
  const middle = from + lengthOf(window) / 2n;
  return [
    { from, to: middle },
    { from: middle, to },
  ];
}

/** The request's span: whole seconds around the window, ISO 8601 without a zone, as in FDSN. */
export function requestSpan({ from, to }: TimeWindow): { start: string; end: string } {
  return { start: wholeSeconds(from - MARGIN), end: wholeSeconds(to + MARGIN + SECOND - 1n) };
}

/** The window as people read it, with inclusive ends. */
export function describeWindow({ from, to }: TimeWindow): { start: string; end: string } {
  return { start: microsToTime(from, 6), end: microsToTime(to - 1n, 6) };
}

function wholeSeconds(micros: bigint): string {
  const bounded =
    micros < FIRST_INSTANT ? FIRST_INSTANT : micros > LAST_INSTANT ? LAST_INSTANT : micros;
  return microsToTime(bounded, 0).slice(0, -1);
}

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

/**
 * Cuts a span into windows of about `target` events each, without gaps or overlaps.
 * @param firstLength of the first window, in microseconds
 */
export function createWindowPlan(
  span: TimeWindow,
  target: () => number,
  firstLength = FIRST_LENGTH,
): WindowPlan {
  let rest = span;
  let length = firstLength > SMALLEST_WINDOW ? firstLength : SMALLEST_WINDOW;

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
      const promised = events === 0 ? Number.POSITIVE_INFINITY : (last * target()) / events;
      const next = BigInt(Math.round(Math.min(promised, last * MAX_GROWTH)));
      length = next > SMALLEST_WINDOW ? next : SMALLEST_WINDOW;
    },
    divided(window) {
      if (lengthOf(window) < length) length = lengthOf(window);
    },
    left: () => (rest.from < rest.to ? Number((lengthOf(rest) + length - 1n) / length) : 0),
  };
}
