import { groupEvents } from "#services/domain/merge/group-events.ts";
import { thresholdsOf } from "#services/domain/merge/thresholds.ts";
import { catalogueAndCopy, sortByTime } from "../merge-material.ts";
import type { Result } from "../report.ts";
import { type Spread, secondsOf, spreadOf } from "../statistics.ts";

const THRESHOLDS = thresholdsOf(16, 50);

/**
 * Grouping two catalogues of `size` events in this process, against sorts and against half of it.
 * Each is repeated by itself, so that it pays for collecting what it leaves and for nothing else.
 */
export async function benchGrouping(size: number, repetitions: number): Promise<Result[]> {
  const repeated = async (work: () => unknown): Promise<Spread> => {
    const seconds: number[] = [];
    // The first warms up.
    for (let i = 0; i <= repetitions; i += 1) seconds.push(await secondsOf(async () => work()));
    return spreadOf(seconds.slice(1));
  };
  const [whole, half] = [catalogueAndCopy(size), catalogueAndCopy(size / 2)];
  const sorted = await repeated(() => {
    for (let sorts = 0; sorts < 3; sorts += 1) sortByTime(whole);
  });
  const halves = await repeated(() => groupEvents(half, THRESHOLDS));
  const ours = await repeated(() => groupEvents(whole, THRESHOLDS));
  const against = (yardstick: string, yardstickFigure: Spread, target: number): Result => ({
    case: "grouping alone",
    size: `2 × ${size} events`,
    unit: "s",
    ours,
    yardstick,
    yardstickFigure,
    ratio: ours.median / yardstickFigure.median,
    target,
  });
  return [against("three sorts by time", sorted, 1), against("half the events", halves, 2.3)];
}
