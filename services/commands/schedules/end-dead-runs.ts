import { NOTHING_IMPORTED } from "#contracts/import-run.ts";
import { HOUR_MS } from "#contracts/units.ts";
import type { Presence } from "#infra/postgres/coordination.ts";
import { keepQuietRun } from "#projections/catalogues/import-rows.ts";
import { endDeadRun, type RunningSchedule, runningSchedules } from "#projections/read/schedules.ts";
import type { CommandContext } from "../context.ts";

const WHY = "The import was cut off: its process is gone";

/**
 * Ends the runs of dead processes, so that they are made again. One that is alive, but not connected, leaves nothing
 * for the next run any more.
 * @param isRunning whether this process has a run
 * @returns the number of ended runs
 */
export async function endRunsOfTheDead(
  context: Pick<CommandContext, "pool" | "worker" | "now">,
  presence: Pick<Presence, "alive">,
  isRunning: (runId: string) => boolean,
): Promise<number> {
  const { pool, worker: own } = context;
  const running = await runningSchedules(pool);
  const others = running.filter(({ worker }) => worker !== own);
  const alive = await presence.alive(others.map(({ worker }) => worker));
  const dead = running.filter(({ worker, runId }) =>
    worker === own ? !isRunning(runId) : !alive.has(worker),
  );
  let ended = 0;
  for (const run of dead) {
    if (!(await endDeadRun(pool, run, WHY, context.now()))) continue;
    await keepQuietRun(pool, { ...cutOff(run), endedAt: context.now().toISOString() });
    ended += 1;
  }
  return ended;
}

function cutOff({ runId, scheduleId, catalogueId, begunAt, settings }: RunningSchedule) {
  const start = new Date(Date.parse(begunAt) - settings.lookbackHours * HOUR_MS).toISOString();
  const failure = { code: null, message: WHY };
  const window = { start, end: begunAt };
  return { runId, scheduleId, catalogueId, window, begunAt, tally: NOTHING_IMPORTED, failure };
}
