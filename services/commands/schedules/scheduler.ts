import type { PushedEvent } from "#infra/agency/push.ts";
import type { Presence } from "#infra/postgres/coordination.ts";
import {
  type ClaimedSchedule,
  claimDue,
  claimForMessages,
  claimSchedule,
  endRun,
  isPushed,
} from "#projections/read/schedules.ts";
import { createDueRuns } from "#services/jobs/due-runs.ts";
import type { ImportedCatalogue, ImportRun } from "../import/run-import.ts";
import { endRunsOfTheDead } from "./end-dead-runs.ts";
import { type Applied, createOwnRuns, type OwnRunsDeps } from "./own-runs.ts";

/** Runs schedules when they are due, beside other processes that do so on the same database. */
export type Scheduler = {
  /**
   * Claims a schedule for a run by hand, which is to be passed to `run` or `giveBack`; null where it runs already,
   * or is not there.
   */
  readonly claim: (scheduleId: string) => Promise<ClaimedSchedule | null>;
  readonly run: (claimed: ClaimedSchedule, run: ImportRun) => Promise<ImportedCatalogue>;
  readonly giveBack: (claimed: ClaimedSchedule) => Promise<void>;
  /** Applies what the agency sent by itself, by a run of its own. */
  readonly apply: (scheduleId: string, messages: readonly PushedEvent[]) => Promise<Applied>;
  /** Runs all that are due, until none is. @returns how many runs there were */
  readonly runDue: () => Promise<number>;
  /** Waits briefly for its runs, then aborts them. */
  readonly close: () => Promise<void>;
};

export type SchedulerDeps = OwnRunsDeps & {
  readonly presence: Pick<Presence, "alive">;
  /** How often it is looked for schedules that are due; null for never but by `runDue`. */
  readonly pollMs: number | null;
};

/** Runs at once in one process: those that imports have threads for. */
const RUNS_AT_ONCE = 2;

export function createScheduler(deps: SchedulerDeps): Scheduler {
  const { context, presence, logger, pollMs } = deps;
  const { pool, worker } = context;
  const runs = createOwnRuns(deps);
  const due = createDueRuns({
    atOnce: RUNS_AT_ONCE,
    pollMs,
    async claim(limit) {
      const ended = await endRunsOfTheDead(context, presence, runs.has);
      if (ended > 0)
        logger.warn({ found: ended }, "scheduled imports of dead processes were cut off");
      return limit === 0 ? [] : claimDue(pool, { worker, now: context.now() }, limit);
    },
    run: (claimed) => runs.alone(claimed),
    onTrouble: (error) =>
      logger.warn({ err: error }, "schedules that are due cannot be looked for"),
  });

  return {
    claim: (scheduleId) => runs.claim(claimSchedule, scheduleId),
    run: runs.attended,
    async giveBack(claimed) {
      await endRun(pool, claimed, worker, { outcome: "stopped", again: null });
      runs.forget(claimed);
    },
    async apply(scheduleId, messages) {
      const claimed = await runs.claim(claimForMessages, scheduleId);
      if (claimed === null) return (await isPushed(pool, scheduleId)) ? "busy" : "gone";
      return runs.alone(claimed, messages);
    },
    runDue: due.runDue,
    close: async () => {
      await due.stop();
      await runs.close();
    },
  };
}
