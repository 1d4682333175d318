import type { WindowReader } from "./read-window.ts";
import { halvesOf, type TimeWindow, type WindowPlan } from "./time-window.ts";

/** `outcome` is null until the request is sent. */
type Task = { readonly window: TimeWindow; outcome: ReturnType<WindowReader> | null };

/** The windows that are being read or come next, in order of time. */
export function createWindowQueue(
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
