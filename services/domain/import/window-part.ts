/** How far runs have come that read a window in parts. */
export type WindowParts = {
  /** Parts that have been read since all of them had been. */
  readonly done: number;
  /** The last instant of these, milliseconds since 1970. */
  readonly toMs: number;
};

const PARTS = 3;
/** A part has at least so many events: fewer are one request whatever is left out. */
const LEAST = 50;

/**
 * The next part of a window's events, in order of time: a third, or all that is left for the third run.
 * @param listed about how many events the window has
 */
export function createWindowPart({ done, toMs }: WindowParts, listed: number) {
  const fromMs = done === 0 ? Number.NEGATIVE_INFINITY : toMs;
  const isLast = done >= PARTS - 1;
  let left = isLast ? Number.POSITIVE_INFINITY : Math.max(LEAST, Math.ceil(listed / PARTS));
  let lastMs = fromMs;
  let isCut = false;

  return {
    /** @param times of further events of the window, milliseconds since 1970; those of earlier calls are older */
    extend(times: readonly number[]): void {
      for (const time of times.toSorted((a, b) => a - b)) {
        if (time <= lastMs) continue;
        if (left === 0) {
          isCut = true;
          return;
        }
        left -= 1;
        lastMs = time;
      }
    },
    /** Whether an event of that time is in it. */
    has: (time: number): boolean => time > fromMs && time <= lastMs,
    /** Once all events were told of: whether with this part all of the window was read. */
    isLast: (): boolean => !isCut,
    /** What is left for the next run. */
    after: (): WindowParts => ({ done: isCut ? done + 1 : 0, toMs: lastMs }),
  };
}
