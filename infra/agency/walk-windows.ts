import type { AgencyQuery } from "./agency-query.ts";
import { AgencyError } from "./errors.ts";
import type { AgencyProblem, WindowEvents, WindowReader } from "./read-window.ts";
import { askedSpan, halvesOf, spanOf, type TimeWindow } from "./time-window.ts";
import { createWindowPlan } from "./window-plan.ts";

/** Windows are planned for a quarter of the cap: density may grow fourfold unforeseen. */
const SHARE_OF_CAP = 0.25;
/** One is asked for while the other is worked on; each is held in memory. */
const AT_ONCE = 2;
/**
 * The first windows are asked for alone: they tell how dense events are and whether the agency answers
 * at all, and a half-open circuit lets one request through at a time until two have succeeded.
 */
const ALONE = 2;

export type WalkOptions = {
  /** The agency's name, for the errors. */
  readonly name: string;
  readonly cap: number;
  readonly signal: AbortSignal;
};

/** Windows done, and known of so far: how many the rest will need is guessed from the last one. */
export type WindowProgress = { readonly done: number; readonly total: number };

export type ReadWindow = Omit<WindowEvents, "kind" | "answered"> & {
  readonly progress: WindowProgress;
};

/** `outcome` is null until the window is asked for. */
type Task = { readonly window: TimeWindow; outcome: ReturnType<WindowReader> | null };

/** Reads a query's windows in order of time, and divides those that hold too much. */
export async function* walkWindows(
  query: Pick<AgencyQuery, "startTime" | "endTime">,
  read: WindowReader,
  { name, cap, signal: given }: WalkOptions,
): AsyncGenerator<ReadWindow> {
  const plan = createWindowPlan(spanOf(query), cap * SHARE_OF_CAP);
  const leaving = new AbortController();
  const signal = AbortSignal.any([given, leaving.signal]);
  const tasks: Task[] = [];
  const told = new Set<string>();
  let atOnce = 1;
  let done = 0;

  function start(task: Task): ReturnType<WindowReader> {
    task.outcome ??= read(task.window, signal);
    // It is awaited in its turn, or once the walk has failed.
    task.outcome.catch(() => {});
    return task.outcome;
  }

  /** Asks for the first window whatever else is asked for, and for others up to `atOnce`. */
  function startTasks(): void {
    while (tasks.length < atOnce) {
      const window = plan.next();
      if (window === null) break;
      tasks.push({ window, outcome: null });
    }
    let started = tasks.filter(({ outcome }) => outcome !== null).length;
    for (const [index, task] of tasks.entries()) {
      if (task.outcome !== null || (index > 0 && started >= atOnce)) continue;
      start(task);
      started += 1;
    }
  }

  /** What is asked for overlaps a little: a row whose time is not known may be in both windows. */
  function isNew({ sourceId }: AgencyProblem): boolean {
    if (sourceId === null) return true;
    const size = told.size;
    return told.add(sourceId).size > size;
  }

  function divide(window: TimeWindow): void {
    const halves = halvesOf(window);
    if (halves === null) throw tooDense(name, window);
    plan.divided(halves[0]);
    tasks.unshift(...halves.map((half) => ({ window: half, outcome: null })));
  }

  try {
    for (;;) {
      startTasks();
      const [task] = tasks;
      if (task === undefined) return;
      const outcome = await start(task);
      tasks.shift();
      if (outcome.kind === "tooMuch") {
        divide(task.window);
        continue;
      }
      done += 1;
      plan.answered(task.window, outcome.answered);
      if (done >= ALONE) atOnce = AT_ONCE;
      startTasks();
      const total = done + tasks.length + plan.left();
      const { events, errors, repeated } = outcome;
      yield { events, errors: errors.filter(isNew), repeated, progress: { done, total } };
    }
  } finally {
    leaving.abort();
    await Promise.allSettled(tasks.map(({ outcome }) => outcome));
  }
}

function tooDense(name: string, window: TimeWindow): AgencyError {
  const { start, end } = askedSpan(window);
  return new AgencyError(
    `${name} has more events between ${start} and ${end} than it gives at once: set a bound, of magnitude for example`,
  );
}
