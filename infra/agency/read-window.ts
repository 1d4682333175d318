import { type FilteredEvent, predicateOf } from "#contracts/query/event-predicate.ts";
import { type EventFilters, expressionOf } from "#contracts/query/filters.ts";
import { wrapLongitude } from "#contracts/seismic-event/longitude.ts";
import { compareTimes, microsToTime } from "#contracts/seismic-event/origin-time.ts";
import type { JsonObject, JsonValue } from "#contracts/seismic-event/seismic-event.ts";
import { type AgencyEvent, type PlacedEvent, weightOf } from "./agency-event.ts";
import { type AgencyQuery, filtersOf } from "./agency-query.ts";
import { askedBounds } from "./asked-bounds.ts";
import type { AnswerForm, Include } from "./dialects.ts";
import { AgencyError, AgencyUnavailable } from "./errors.ts";
import type { ReadAnswer } from "./read-answer.ts";
import { DEGREES_MARGIN, type LongitudeBox, longitudeBoxes, requestUrl } from "./request-url.ts";
import { type AgencyProblem, type CompleteAnswer, stageEvents } from "./stage-events.ts";
import { describeWindow, halvesOf, spanOf, type TimeWindow } from "./time-window.ts";

export type WindowEvents = {
  readonly kind: "events";
  readonly events: readonly PlacedEvent[];
  /**
   * What the agency answered beside the window and the query's bounds, since more is asked for than is wanted; of what
   * lies beside its polygon or region only what its edge is near, as far as agencies round.
   */
  readonly beside: readonly PlacedEvent[];
  readonly errors: readonly AgencyProblem[];
  readonly repeated: number;
  /** The largest answer before filtering, in events of usual size: the density on the agency's side. */
  readonly largestAnswer: number;
  /** The rows of each answer, read or not. */
  readonly rows: readonly number[];
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
export function createWindowReader(
  base: string,
  query: AgencyQuery,
  form: AnswerForm,
  ask: Ask,
): WindowReader {
  const asked = { ...query, ...askedBounds(query) };
  const boxes = longitudeBoxes(asked);
  const answerOf = createAsking(base, asked, form, ask);
  const isWanted = createEventFilter(query);
  const isNear = createNearness(query);

  return async (window, signal) => {
    const answers: CompleteAnswer[] = [];
    for (const box of boxes) {
      const answer = await answerOf(window, box, signal);
      if (answer.kind === "tooMuch") return answer;
      answers.push({ ...answer, answer: describeAnswer(window, box) });
    }
    const { events, unreadable, repeated } = stageEvents(answers);
    const isInside = createWindowTest(window);
    const isOurs = ({ event }: PlacedEvent) => isInside(event) && isWanted(event);
    return {
      kind: "events",
      events: events.filter(isOurs),
      beside: events.filter((placed) => !isOurs(placed) && isNear(placed.event)),
      errors: unreadable,
      repeated,
      largestAnswer: Math.max(...answers.map(sizeOf)),
      rows: answers.map((answer) => answer.events.length + answer.unreadable.length),
    };
  };
}

function sizeOf({ events }: CompleteAnswer): number {
  return Math.round(events.reduce((sum, event) => sum + weightOf(event), 0));
}

/**
 * Asks for as much of each event as the agency gives: what it refuses is not asked for again. Less of
 * the events of one second is better than none, where they are too many with all that they have.
 */
function createAsking(base: string, query: AgencyQuery, form: AnswerForm, ask: Ask) {
  const { format, includes: steps } = form;
  let granted = 0;

  return async (window: TimeWindow, box: LongitudeBox | null, signal: AbortSignal) => {
    const request = (includes: readonly Include[]) =>
      ask(requestUrl(base, query, window, box, { format, includes }), signal);
    for (let step = granted; step < steps.length - 1; step++) {
      try {
        const answer = await request(steps[step] ?? []);
        if (answer.kind !== "tooMuch" || halvesOf(window) !== null) return answer;
      } catch (error) {
        if (!isRefusal(error)) throw error;
        granted = Math.max(granted, step + 1);
      }
    }
    return request(steps.at(-1) ?? []);
  };
}

const BAD_REQUEST = 400;
const NOT_IMPLEMENTED = 501;

function isRefusal(error: unknown): boolean {
  const { status } =
    error instanceof AgencyError || error instanceof AgencyUnavailable ? error : { status: null };
  return status === BAD_REQUEST || status === NOT_IMPLEMENTED;
}

/** Tests whether an event lies in the query's window and within its bounds. */
export function createQueryTest(query: AgencyQuery): (event: AgencyEvent) => boolean {
  const isInside = createWindowTest(spanOf(query));
  const isWanted = createEventFilter(query);
  return (event) => isInside(event) && isWanted(event);
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

type RowTest = (row: JsonObject) => boolean;

/** Tests whether a row satisfies the query's bounds of place, depth and magnitude, its polygon and its region. */
function createEventFilter(query: AgencyQuery): RowTest {
  return testOf(filtersOf(query));
}

/** Whether a row would lie within the query's polygon and region if its place were rounded otherwise. */
function createNearness(query: AgencyQuery): RowTest {
  const { polygon, region, regionArea } = filtersOf(query);
  if (polygon === undefined && region === undefined) return () => true;
  const isInside = testOf({ polygon, region, regionArea });
  const margins = [0, -DEGREES_MARGIN, DEGREES_MARGIN];
  const nearby = margins.flatMap((east) => margins.map((north) => ({ east, north })));
  return ({ longitude, latitude }) =>
    nearby.some(({ east, north }) =>
      isInside({ longitude: Number(longitude) + east, latitude: Number(latitude) + north }),
    );
}

function testOf(filters: EventFilters): RowTest {
  const isWanted = predicateOf(expressionOf(filters));
  if (isWanted === null) return () => true;
  return ({ longitude, latitude, depth, magnitude }) =>
    isWanted({
      // Some agencies count from 0 to 360. What is no number lies nowhere.
      longitude: wrapLongitude(numberOf(longitude) ?? Number.NaN),
      latitude: numberOf(latitude) ?? Number.NaN,
      depth: numberOf(depth),
      magnitude: numberOf(magnitude),
    } as FilteredEvent);
}

function numberOf(value: JsonValue | undefined): number | null {
  return typeof value === "number" ? value : null;
}
