import { groupEvents } from "#services/domain/merge/group-events.ts";
import type { Origins } from "#services/domain/merge/origins.ts";
import { thresholdsOf } from "#services/domain/merge/thresholds.ts";
import { catalogueAndCopy, sortByTime } from "../merge-material.ts";
import type { Result } from "../report.ts";
import { secondsOf, spreadOf } from "../statistics.ts";

const THRESHOLDS = thresholdsOf(16, 50);

/** Grouping two catalogues of `size` events in this process, against sorts and against half of it. */
export async function benchGrouping(size: number, repetitions: number): Promise<Result[]> {
  const [whole, half] = [catalogueAndCopy(size), catalogueAndCopy(size / 2)];
  const group = (origins: Origins) => secondsOf(async () => groupEvents(origins, THRESHOLDS));
  const grouped: number[] = [];
  const halves: number[] = [];
  const sorted: number[] = [];
  for (let i = 0; i <= repetitions; i += 1) {
    const times = [
      await group(whole),
      await group(half),
      await secondsOf(async () => {
        for (let sorts = 0; sorts < 3; sorts += 1) sortByTime(whole);
      }),
    ] as const;
    // The first round warms up.
    if (i === 0) continue;
    grouped.push(times[0]);
    halves.push(times[1]);
    sorted.push(times[2]);
  }
  const common = { case: "grouping alone", size: `2 × ${size} events`, unit: "s" } as const;
  const against = (yardstick: string, figures: readonly number[], target: number): Result => ({
    ...common,
    ours: spreadOf(grouped),
    yardstick,
    yardstickFigure: spreadOf(figures),
    ratio: spreadOf(grouped.map((s, i) => s / (figures[i] ?? Number.NaN))).median,
    target,
  });
  return [against("three sorts by time", sorted, 1), against("half the events", halves, 2.3)];
}
