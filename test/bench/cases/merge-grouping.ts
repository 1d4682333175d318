import { groupEvents } from "#services/domain/merge/grouping/group-events.ts";
import { thresholdsOf } from "#services/domain/merge/thresholds.ts";
import { compareBetween } from "../compare.ts";
import { catalogueAndCopy, sortByTime } from "../merge-material.ts";
import type { Result } from "../report.ts";

const RULES = { thresholds: thresholdsOf(16, 50) };
const WARM_UPS = 2;

/** Grouping two catalogues of `size` events in this process, against sorts and against half of it. */
export async function benchGrouping(size: number, repetitions: number): Promise<Result[]> {
  const [whole, half] = [catalogueAndCopy(size), catalogueAndCopy(size / 2)];
  const against = async (
    yardstick: string,
    target: number,
    rounds: number,
    work: () => unknown,
  ): Promise<Result> => ({
    case: "grouping alone",
    size: `2 × ${size} events`,
    unit: "s",
    yardstick,
    ...(await compareBetween(
      rounds,
      async () => groupEvents(whole, RULES),
      async () => work(),
      WARM_UPS,
    )),
    target,
  });
  return [
    await against("three sorts by time", 1, Math.ceil(repetitions / 3), () => {
      for (let sorts = 0; sorts < 3; sorts += 1) sortByTime(whole);
    }),
    await against("half the events", 2.3, repetitions, () => groupEvents(half, RULES)),
  ];
}
