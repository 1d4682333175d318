/** The windows of a query, one after the other, and each of them whole. */

import { wrapLongitude } from "#contracts/geometry/globe.ts";
import { type EventFilters, expressionOf } from "#contracts/query/filters.ts";
import { type FilteredEvent, predicateOf } from "#contracts/query/predicate.ts";
import { idsOf } from "#contracts/seismic-event/public-ids.ts";
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
} from "#contracts/seismic-event/seismic-event.ts";
import { compareTimes, microsToTime } from "#contracts/seismic-event/time.ts";
import {
  type AgencyEvent,
  type AnsweredEvent,
  idsOfRow,
  type PlacedEvent,
  type ReadAnswer,
  type UnreadableRow,
  weightOf,
} from "./answer.ts";
import { AgencyError, AgencyUnavailable } from "./http/exchange.ts";
import {
  type AgencyQuery,
  type AnswerForm,
  askedBounds,
  createWindowPlan,
  DEGREES_MARGIN,
  describeWindow,
  filtersOf,
  halvesOf,
  type Include,
  type LongitudeBox,
  lengthOf,
  longitudeBoxes,
  type QuerySpan,
  requestSpan,
  requestUrl,
  spanOf,
  type TimeWindow,
  type WindowPlan,
} from "./query.ts";

/** Windows are planned for a quarter of the cap, so that a fourfold rise of the density still fits. */
const SHARE_OF_CAP = 0.25;
/** The same where the density is known from before. */
const SHARE_WHERE_KNOWN = 0.75;
/** One window is fetched while another is processed; both are in memory. */
const AT_ONCE = 2;
/**
 * The first windows are fetched one at a time: they show the density of events, and a half-open
 * circuit lets one request through at a time until two have succeeded.
 */
const ALONE = 2;

type WalkOptions = {
  /** The agency's name, for error messages. */
  readonly name: string;
  /** Most events in one answer; it may turn out to be less than it seemed. */
  readonly cap: () => number;
  /** Events in the span, where an earlier answer told; else the first windows show their density. */
  readonly expected?: number | undefined;
  readonly signal: AbortSignal;
};

/** The agency's events in one window of the query: complete, each public id once. */
export type AgencyBatch = {
  readonly events: readonly PlacedEvent[];
  /**
   * What the agency answered beside the window and the query's bounds, since more is asked for than is wanted; of what
   * lies beside its polygon or region only what its edge is near, as far as agencies round.
   */
  readonly beside: readonly PlacedEvent[];
  readonly errors: readonly AgencyProblem[];
  /** Events left out because their id occurred earlier in the same window. */
  readonly repeated: number;
  /** Windows that are done, with this one, and windows known so far; the rest is estimated from the last one. */
  readonly progress: { readonly done: number; readonly total: number };
};

/** Reads a query's windows in order of time and halves windows with too many events. */
export async function* walkWindows(
  query: QuerySpan,
  read: WindowReader,
  { name, cap, expected, signal: outer }: WalkOptions,
): AsyncGenerator<AgencyBatch> {
  const leaving = new AbortController();
  const signal = AbortSignal.any([outer, leaving.signal]);
  const plan = planOf(spanOf(query), cap, expected);
  const queue = createWindowQueue(plan, (window) => read(window, signal));
  const isNew = createNoveltyTest();
  let done = 0;

  try {
    for (;;) {
      queue.start(done < ALONE ? 1 : AT_ONCE);
      const next = await queue.take();
      if (next === null) return;
      const { window, outcome } = next;
      if (outcome.kind === "tooMuch") {
        if (!queue.divide(window)) throw tooDense(name, window);
        continue;
      }
      done += 1;
      plan.answered(window, outcome.largestAnswer);
      queue.start(done < ALONE ? 1 : AT_ONCE);
      const { events, beside, errors, repeated } = outcome;
      const total = done + queue.length() + plan.left();
      yield { events, beside, errors: errors.filter(isNew), repeated, progress: { done, total } };
    }
  } finally {
    leaving.abort();
    await queue.settle();
  }
}

/** A span that is known to fit into one answer is asked for at once. */
function planOf(span: TimeWindow, cap: () => number, expected: number | undefined): WindowPlan {
  if (expected === undefined) return createWindowPlan(span, () => cap() * SHARE_OF_CAP);
  const target = () => cap() * SHARE_WHERE_KNOWN;
  const length = lengthOf(span);
  if (expected < cap()) return createWindowPlan(span, target, length);
  const first = BigInt(Math.round((Number(length) * target()) / expected));
  return createWindowPlan(span, target, first);
}

/** The windows that are being read or come next, in order of time. */
function createWindowQueue(
  plan: WindowPlan,
  read: (window: TimeWindow) => ReturnType<WindowReader>,
) {
  /** `outcome` is null until the request is sent. */
  const tasks: { readonly window: TimeWindow; outcome: ReturnType<WindowReader> | null }[] = [];

  return {
    /** Always starts the first window, and others until `atOnce` are running. */
    start(atOnce: number): void {
      while (tasks.length < atOnce) {
        const window = plan.next();
        if (window === null) break;
        tasks.push({ window, outcome: null });
      }
      let running = tasks.filter(({ outcome }) => outcome !== null).length;
      for (const [place, task] of tasks.entries()) {
        if (task.outcome !== null || (place > 0 && running >= atOnce)) continue;
        task.outcome = read(task.window);
        // The outcome is awaited by `take` or by `settle`.
        task.outcome.catch(() => {});
        running += 1;
      }
    },
    /** Takes the first window with its result; null when none is left. Call `start` first. */
    async take() {
      const [task] = tasks;
      if (task === undefined || task.outcome === null) return null;
      const outcome = await task.outcome;
      tasks.shift();
      return { window: task.window, outcome };
    },
    /** Puts the two halves of a taken window at the front. False when the window is too short. */
    divide(window: TimeWindow): boolean {
      const halves = halvesOf(window);
      if (halves === null) return false;
      plan.divided(halves[0]);
      tasks.unshift(...halves.map((half) => ({ window: half, outcome: null })));
      return true;
    },
    length: () => tasks.length,
    /** Waits for the running windows and ignores their results. */
    async settle(): Promise<void> {
      await Promise.allSettled(tasks.map(({ outcome }) => outcome));
    },
  };
}

/** Requests overlap, so a row without a known time may be in two answers: it is reported once. */
function createNoveltyTest(): (problem: AgencyProblem) => boolean {
  const ids = new Set<string>();
  return ({ sourceId, publicId }) => {
    const id = publicId ?? sourceId;
    if (id === null) return true;
    const isNew = !ids.has(id);
    ids.add(id);
    return isNew;
  };
}

function tooDense(name: string, window: TimeWindow): AgencyError {
  const { start, end } = requestSpan(window);
  return new AgencyError(
    `${name} has more events between ${start} and ${end} than it gives at once: set a bound, of magnitude for example`,
  );
}

type WindowEvents = Omit<AgencyBatch, "progress"> & {
  readonly kind: "events";
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
  const isWanted = testOf(filtersOf(query));
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

/** Bad request, or not implemented. */
function isRefusal(error: unknown): boolean {
  if (!(error instanceof AgencyError || error instanceof AgencyUnavailable)) return false;
  return error.status === 400 || error.status === 501;
}

/** Tests whether an event lies in the query's window and within its bounds. */
export function createQueryTest(query: AgencyQuery): (event: AgencyEvent) => boolean {
  const isInside = createWindowTest(spanOf(query));
  const isWanted = testOf(filtersOf(query));
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

/** Tests whether a row satisfies bounds of place, depth and magnitude, a polygon and a region. */
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

/** Numbers of rows at which agencies cut their answers off in silence. */
const ROUND_NUMBERS = new Set([100, 500, 1_000, 5_000, 10_000, 20_000]);

/** Most rows in one answer of an agency. */
export function createAnswerCap(rows: number) {
  let cap = rows;
  return {
    now: () => cap,
    /** From then on, for the rest of the run. */
    lower(found: number): void {
      cap = Math.min(cap, found);
    },
  };
}

/**
 * A reader of windows that looks at the halves of a window whose answer has a round number of rows. Where
 * they have events that the whole had not, that number is the agency's cap, and the window is too much.
 */
export function createSuspiciousReader(
  read: WindowReader,
  cap: Pick<ReturnType<typeof createAnswerCap>, "lower">,
): WindowReader {
  return async (window, signal) => {
    const whole = await read(window, signal);
    if (whole.kind === "tooMuch") return whole;
    const suspected = whole.rows.filter((rows) => ROUND_NUMBERS.has(rows));
    if (suspected.length === 0) return whole;
    const had = idsOfWindow(whole);
    for (const half of halvesOf(window) ?? []) {
      const part = await read(half, signal);
      const hasMore = part.kind === "tooMuch" || !idsOfWindow(part).isSubsetOf(had);
      if (!hasMore) continue;
      cap.lower(Math.min(...suspected));
      return { kind: "tooMuch" };
    }
    return whole;
  };
}

function idsOfWindow({ events, beside, errors }: WindowEvents): Set<string> {
  const ids = [...events, ...beside].map(({ event }) => idsOfRow(event));
  return new Set(
    [...ids, ...errors].flatMap(({ publicId, sourceId }) => publicId ?? sourceId ?? []),
  );
}

type CompleteAnswer = {
  readonly events: readonly AnsweredEvent[];
  readonly unreadable: readonly UnreadableRow[];
  /** Describes the answer for people. */
  readonly answer: string;
};

/** A row or answer of the agency that could not be used: which one and why. */
export type AgencyProblem = UnreadableRow & Pick<CompleteAnswer, "answer">;

/**
 * Merges the answers for a window's boxes: the events of one window, each id once. Of several forms of one
 * event the most recently created stays, or the later one if creation times are missing. Events are identified
 * by public id, else by bare id; events without an id are all kept.
 */
export function stageEvents(answers: readonly CompleteAnswer[]) {
  const events: PlacedEvent[] = [];
  const unreadable = answers.flatMap(({ unreadable, answer }) =>
    unreadable.map((row): AgencyProblem => ({ ...row, answer })),
  );
  const places = { public: new Map<string, number>(), bare: new Map<string, number>() };
  /** Superseded forms of events: earlier in the same answer, or from another box. */
  let repeated = 0;
  const all = answers.flatMap(({ events, answer }) =>
    events.map((answered): PlacedEvent => ({ ...answered, answer })),
  );
  for (const one of all) {
    const { source_id, extra } = one.event;
    const { sourceId, publicId } = idsOf({ source_id, extra });
    const id = publicId ?? sourceId;
    const index = publicId === null ? places.bare : places.public;
    const place = id === null ? undefined : index.get(id);
    if (place === undefined) {
      if (id !== null) index.set(id, events.length);
      events.push(one);
    } else {
      repeated += 1;
      if (creationOf(one) >= creationOf(events[place])) events[place] = one;
    }
  }
  return { events, unreadable, repeated };
}

function creationOf(placed: PlacedEvent | undefined): string {
  const extra = placed?.event["extra"];
  const time = isJsonObject(extra) ? extra["creation_time"] : null;
  return typeof time === "string" ? time : "";
}
