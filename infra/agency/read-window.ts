import { compareTimes, microsToTime } from "#contracts/seismic-event/origin-time.ts";
import type { AgencyEvent } from "./agency-event.ts";
import type { AgencyQuery } from "./agency-query.ts";
import { createEventFilter } from "./event-filter.ts";
import { longitudeBoxes } from "./longitude-boxes.ts";
import { BrokenAnswer, type ReadAnswer } from "./read-answer.ts";
import { requestUrl } from "./request-url.ts";
import { type StagedEvents, stageEvents } from "./staged-events.ts";
import { describeWindow, type TimeWindow } from "./time-window.ts";

/** Something an agency has that could not be had from it: what, and where. */
export type AgencyProblem = {
  readonly message: string;
  readonly sourceId: string | null;
  /** Line of the answer, from 1; null where it is not of one line. */
  readonly line: number | null;
  /** The window that was asked for, inclusive, ISO 8601. */
  readonly windowStart: string;
  readonly windowEnd: string;
};

export type WindowEvents = {
  readonly kind: "events";
  readonly events: readonly AgencyEvent[];
  readonly errors: readonly AgencyProblem[];
  readonly repeated: number;
  /** Events of the largest answer, before anything was filtered: the density that the agency sees. */
  readonly answered: number;
};

export type WindowReader = (
  window: TimeWindow,
  signal: AbortSignal,
) => Promise<WindowEvents | Extract<ReadAnswer, { kind: "tooMuch" }>>;

/** Asks for a URL until it is answered. */
export type Ask = (url: URL, signal: AbortSignal) => Promise<ReadAnswer>;

type Answer = Extract<ReadAnswer, { kind: "events" }> & { readonly fault: BrokenAnswer | null };

/**
 * Reads a window whole, all its boxes one after the other: events are given only once the last answer
 * is complete, so that an answer that was broken off or changed meanwhile leaves no trace. That holds
 * the events of one window in memory, which the cap on an answer bounds.
 */
export function createWindowReader(base: string, query: AgencyQuery, ask: Ask): WindowReader {
  const boxes = longitudeBoxes(query);
  const isWanted = createEventFilter(query);

  /** An answer that stays broken is taken as far as it goes; one that gives nothing fails the run. */
  async function answerTo(url: URL, signal: AbortSignal): Promise<Answer | null> {
    try {
      const answer = await ask(url, signal);
      return answer.kind === "tooMuch" ? null : { ...answer, fault: null };
    } catch (error) {
      if (!(error instanceof BrokenAnswer) || error.before().events.length === 0) throw error;
      return { ...error.before(), fault: error };
    }
  }

  return async (window, signal) => {
    const answers: Answer[] = [];
    for (const box of boxes) {
      const answer = await answerTo(requestUrl(base, query, window, box), signal);
      if (answer === null) return { kind: "tooMuch" };
      answers.push(answer);
    }
    const staged = stageEvents(answers);
    const isInside = createWindowTest(window);
    return {
      kind: "events",
      events: staged.events.filter((event) => isInside(event) && isWanted(event)),
      errors: problemsOf(staged, answers, window),
      repeated: staged.repeated,
      answered: Math.max(...answers.map(({ events }) => events.length)),
    };
  };
}

function createWindowTest({ from, to }: TimeWindow): (event: AgencyEvent) => boolean {
  const [first, last] = [microsToTime(from, 6), microsToTime(to - 1n, 6)];
  return ({ time }) => compareTimes(time, first) >= 0 && compareTimes(time, last) <= 0;
}

function problemsOf(
  { unreadable }: StagedEvents,
  answers: readonly Answer[],
  window: TimeWindow,
): AgencyProblem[] {
  const { start: windowStart, end: windowEnd } = describeWindow(window);
  const problems: AgencyProblem[] = unreadable.map((row) => ({ ...row, windowStart, windowEnd }));
  for (const { fault } of answers) {
    if (fault === null) continue;
    const { message, line } = fault;
    problems.push({ message, line, sourceId: null, windowStart, windowEnd });
  }
  return problems;
}
