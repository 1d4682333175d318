import type { WindowReader } from "./read-window.ts";
import { halvesOf, type TimeWindow } from "./time-window.ts";
import type { WindowPlan } from "./window-plan.ts";

/** `outcome` is null until the window is asked for. */
type Task = { readonly window: TimeWindow; outcome: ReturnType<WindowReader> | null };

/** The windows that are read, or are next to be: in order of time. */
export type WindowQueue = {
  /** Asks for the first window whatever else is asked for, and for others up to `atOnce`. */
  readonly start: (atOnce: number) => void;
  /** Takes the first window and what it gave; null when all are done. Call `start` before. */
  readonly take: () => Promise<{
    readonly window: TimeWindow;
    readonly outcome: Awaited<ReturnType<WindowReader>>;
  } | null>;
  /** Puts the halves of a window that was taken first. False when it is too small for that. */
  readonly divide: (window: TimeWindow) => boolean;
  readonly length: () => number;
  /** Waits for the windows that are read, whatever comes of them. */
  readonly settle: () => Promise<void>;
};

export function createWindowQueue(
  plan: WindowPlan,
  read: (window: TimeWindow) => ReturnType<WindowReader>,
): WindowQueue {
  const tasks: Task[] = [];

  function ask(task: Task): void {
    task.outcome = read(task.window);
    // It is awaited when it is taken, or by `settle`.
    task.outcome.catch(() => {});
  }

  return {
    start(atOnce) {
      while (tasks.length < atOnce) {
        const window = plan.next();
        if (window === null) break;
        tasks.push({ window, outcome: null });
      }
      let asked = tasks.filter(({ outcome }) => outcome !== null).length;
      for (const [place, task] of tasks.entries()) {
        if (task.outcome !== null || (place > 0 && asked >= atOnce)) continue;
        ask(task);
        asked += 1;
      }
    },
    async take() {
      const [task] = tasks;
      if (task === undefined || task.outcome === null) return null;
      const outcome = await task.outcome;
      tasks.shift();
      return { window: task.window, outcome };
    },
    divide(window) {
      const halves = halvesOf(window);
      if (halves === null) return false;
      plan.divided(halves[0]);
      tasks.unshift(...halves.map((half) => ({ window: half, outcome: null })));
      return true;
    },
    length: () => tasks.length,
    async settle() {
      await Promise.allSettled(tasks.map(({ outcome }) => outcome));
    },
  };
}
