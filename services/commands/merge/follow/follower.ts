import type { Presence } from "#infra/postgres/presence.ts";
import {
  type ClaimedFollow,
  claimFollows,
  endFollow,
  runningFollows,
} from "#projections/queries/merges/merge-follows.ts";
import { createDueRuns, type DueRuns } from "#services/jobs/due-runs.ts";
import { createRunningWorks } from "#services/jobs/running-works.ts";
import { type RunFollowDeps, runFollow } from "./run-follow.ts";

/** Refreshes merges by themselves, beside other processes that do so on the same database. */
export type Follower = Pick<DueRuns, "runDue"> & {
  /** Waits briefly for its runs, then aborts them. */
  readonly close: () => Promise<void>;
};

export type FollowerDeps = RunFollowDeps & {
  readonly presence: Pick<Presence, "alive">;
  /** How often it is looked for merges that are behind; null for never but by `runDue`. */
  readonly pollMs: number | null;
};

/** Of the threads of merges one is left to people. */
const RUNS_AT_ONCE = 1;

export function createFollower(deps: FollowerDeps): Follower {
  const { context, presence, logger, pollMs } = deps;
  const { pool, worker } = context;
  const works = createRunningWorks();

  /** What a dead process refreshed may be refreshed again. */
  async function endRunsOfTheDead(): Promise<void> {
    const running = await runningFollows(pool);
    const others = running.filter((run) => run.worker !== worker);
    const alive = await presence.alive(others.map((run) => run.worker));
    for (const run of running) {
      const goesOn = run.worker === worker ? works.has(run.runId) : alive.has(run.worker);
      if (goesOn) continue;
      logger.warn({ catalogueId: run.catalogueId }, "a refresh of a merge was cut off");
      await endFollow(pool, run, { outcome: "failed", error: "The refresh was cut off" });
    }
  }

  const due = createDueRuns<ClaimedFollow>({
    atOnce: RUNS_AT_ONCE,
    pollMs,
    async claim(limit) {
      await endRunsOfTheDead();
      return limit === 0 ? [] : claimFollows(pool, { worker, now: context.now() }, limit);
    },
    run: (claimed) =>
      works.track(claimed.runId, null, ({ signal }) => runFollow(deps, claimed, signal)),
    onTrouble: (error) =>
      logger.warn({ err: error }, "merges that are behind cannot be looked for"),
  });

  return {
    runDue: due.runDue,
    close: async () => {
      await due.stop();
      await works.close();
    },
  };
}
