import { microsToTime, timeToMicros } from "#contracts/seismic-event/origin-time.ts";
import { type AgencyQuery, queryTime } from "./agency-query.ts";

/** Microseconds since 1970; half-open, so neighbouring windows have no gap and no overlap. */
export type TimeWindow = { readonly from: bigint; readonly to: bigint };

const SECOND = 1_000_000n;
/** Shortest window: agencies are asked in whole seconds. */
export const SMALLEST_WINDOW = SECOND;
/**
 * Margin at both ends of a request: bounds are inclusive at some agencies and exclusive at others,
 * and some agencies round times to seconds.
 */
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

/**
 * The span of the request: whole seconds around the window, ISO 8601 without a zone, as FDSN
 * requires.
 */
export function askedSpan({ from, to }: TimeWindow): { start: string; end: string } {
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
