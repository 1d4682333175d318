import type { AgencyQuery } from "./agency-query.ts";
import { AgencyError } from "./errors.ts";
import type { WindowEvents, WindowReader } from "./read-window.ts";
import type { AgencyProblem } from "./stage-events.ts";
import {
  createWindowPlan,
  halvesOf,
  lengthOf,
  requestSpan,
  spanOf,
  type TimeWindow,
  type WindowPlan,
} from "./time-window.ts";

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

export type WalkOptions = {
  /** The agency's name, for error messages. */
  readonly name: string;
  /** Most events in one answer; it may turn out to be less than it seemed. */
  readonly cap: () => number;
  /** Events in the span, where an earlier answer told; else the first windows show their density. */
  readonly expected?: number | undefined;
  readonly signal: AbortSignal;
};

/** Windows that are done, and windows known so far; the rest is estimated from the last one. */
export type WindowProgress = { readonly done: number; readonly total: number };

export type ReadWindow = Omit<WindowEvents, "kind" | "largestAnswer" | "rows"> & {
  readonly progress: WindowProgress;
};

/** Reads a query's windows in order of time and halves windows with too many events. */
export async function* walkWindows(
  query: Pick<AgencyQuery, "startTime" | "endTime">,
  read: WindowReader,
  { name, cap, expected, signal: outer }: WalkOptions,
): AsyncGenerator<ReadWindow> {
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

/** `outcome` is null until the request is sent. */
type Task = { readonly window: TimeWindow; outcome: ReturnType<WindowReader> | null };

/** The windows that are being read or come next, in order of time. */
function createWindowQueue(
  plan: WindowPlan,
  read: (window: TimeWindow) => ReturnType<WindowReader>,
) {
  const tasks: Task[] = [];

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
