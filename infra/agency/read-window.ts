import { compareTimes, microsToTime } from "#contracts/seismic-event/origin-time.ts";
import type { JsonObject, JsonValue } from "#contracts/seismic-event/seismic-event.ts";
import type { AgencyEvent, PlacedEvent } from "./agency-event.ts";
import type { AgencyQuery } from "./agency-query.ts";
import type { ReadAnswer } from "./read-answer.ts";
import { type LongitudeBox, longitudeBoxes, requestUrl } from "./request-url.ts";
import { type AgencyProblem, type CompleteAnswer, stageEvents } from "./stage-events.ts";
import { describeWindow, type TimeWindow } from "./time-window.ts";

export type WindowEvents = {
  readonly kind: "events";
  readonly events: readonly PlacedEvent[];
  readonly errors: readonly AgencyProblem[];
  readonly repeated: number;
  /** Events of the largest answer before filtering: the density on the agency's side. */
  readonly largestAnswer: number;
};

export type WindowReader = (
  window: TimeWindow,
  signal: AbortSignal,
) => Promise<WindowEvents | Extract<ReadAnswer, { kind: "tooMuch" }>>;

/** Requests a URL, with retries, until there is an answer. */
export type Ask = (url: URL, signal: AbortSignal) => Promise<ReadAnswer>;

/**
 * Reads a whole window, one box after the other. Events are returned once the last answer is
 * complete, so an answer that breaks off or changes meanwhile leaves no trace. One window's events
 * are in memory at a time, bounded by the cap on an answer.
 */
export function createWindowReader(base: string, query: AgencyQuery, ask: Ask): WindowReader {
  const boxes = longitudeBoxes(query);
  const isWanted = createEventFilter(query);

  return async (window, signal) => {
    const answers: CompleteAnswer[] = [];
    for (const box of boxes) {
      const answer = await ask(requestUrl(base, query, window, box), signal);
      if (answer.kind === "tooMuch") return answer;
      answers.push({ ...answer, answer: describeAnswer(window, box) });
    }
    const { events, unreadable, repeated } = stageEvents(answers);
    const isInside = createWindowTest(window);
    return {
      kind: "events",
      events: events.filter(({ event }) => isInside(event) && isWanted(event)),
      errors: unreadable,
      repeated,
      largestAnswer: Math.max(...answers.map(({ events }) => events.length)),
    };
  };
}

function createWindowTest({ from, to }: TimeWindow): (event: AgencyEvent) => boolean {
  const [first, last] = [microsToTime(from, 6), microsToTime(to - 1n, 6)];
  return ({ time }) => compareTimes(time, first) >= 0 && compareTimes(time, last) <= 0;
}

function describeAnswer(window: TimeWindow, box: LongitudeBox | null): string {
  const { start, end } = describeWindow(window);
  if (box === null) return `${start} to ${end}`;
  const [west, east] = [box.west, box.east].map((degrees) => Math.round(degrees * 1000) / 1000);
  return `${start} to ${end}, longitudes ${west} to ${east}`;
}

/** Tests whether a row lies within the query's inclusive bounds of place, depth and magnitude. */
function createEventFilter(query: AgencyQuery): (row: JsonObject) => boolean {
  const magnitude = within(query.minMagnitude, query.maxMagnitude);
  const depth = within(query.minDepth, query.maxDepth);
  const latitude = within(query.minLatitude, query.maxLatitude);
  const longitude = withinLongitudes(query.minLongitude ?? null, query.maxLongitude ?? null);
  return (row) =>
    magnitude(row["magnitude"]) &&
    depth(row["depth"]) &&
    latitude(row["latitude"]) &&
    (isPole(row["latitude"]) || longitude(row["longitude"]));
}

type Test = (value: JsonValue | undefined) => boolean;

function within(min: number | null | undefined, max: number | null | undefined): Test {
  const [low, high] = [min ?? Number.NEGATIVE_INFINITY, max ?? Number.POSITIVE_INFINITY];
  if (low === Number.NEGATIVE_INFINITY && high === Number.POSITIVE_INFINITY) return () => true;
  return (value) => typeof value === "number" && value >= low && value <= high;
}

function withinLongitudes(min: number | null, max: number | null): Test {
  if (min === null && max === null) return () => true;
  const [west, east] = [min ?? -180, max ?? 180];
  const isInside = (longitude: number) =>
    west <= east ? longitude >= west && longitude <= east : longitude >= west || longitude <= east;
  return (value) => {
    if (typeof value !== "number") return false;
    const longitude = value > 180 ? value - 360 : value;
    // 180° and −180° are the same meridian.
    return isInside(longitude) || (Math.abs(longitude) === 180 && isInside(-longitude));
  };
}

/** All meridians meet there. */
function isPole(latitude: JsonValue | undefined): boolean {
  return Math.abs(Number(latitude)) === 90;
}
