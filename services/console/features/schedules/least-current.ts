import type { Schedule } from "./schedule.ts";

/** The schedule that was read whole the longest time ago, or never; a paused one where all are. */
export function leastCurrent(schedules: readonly Schedule[]): Schedule | undefined {
  const running = schedules.filter(({ paused }) => !paused);
  const wholeOf = ({ last_whole }: Schedule) => Date.parse(last_whole ?? "1970-01-01");
  return (running.length > 0 ? running : schedules).toSorted((a, b) => wholeOf(a) - wholeOf(b))[0];
}
