import { Counter, type Registry } from "prom-client";
import { gauges } from "#infra/process/metrics.ts";
import { scheduleFigures } from "#projections/read/schedules.ts";
import type { RunClaimedDeps, RunOutcome } from "#services/commands/schedules/run-claimed.ts";
import {
  createScheduler,
  type Scheduler,
  type SchedulerDeps,
} from "#services/commands/schedules/scheduler.ts";

const POLL_MS = 2_000;

type OpenSchedulesDeps = Omit<SchedulerDeps, "onOutcome" | "pollMs"> & {
  readonly registry: Registry;
};

/** Opens what runs schedules in this process, with its metrics. */
export function openSchedules({ registry, ...deps }: OpenSchedulesDeps): Scheduler {
  measure(registry, deps);
  return createScheduler({ ...deps, onOutcome: countRuns(registry), pollMs: POLL_MS });
}

function countRuns(registry: Registry): (outcome: RunOutcome) => void {
  const runs = new Counter({
    name: "schedule_runs_total",
    help: "Runs of schedules in this process by how they ended",
    labelNames: ["outcome"],
    registers: [registry],
  });
  return (outcome) => runs.inc({ outcome });
}

function measure(registry: Registry, { context }: Pick<RunClaimedDeps, "context">): void {
  const figures = () => scheduleFigures(context.pool, context.now());
  const collect = gauges([
    {
      name: "schedules_due",
      help: "Schedules that are due and wait for a process",
      read: async () => [{ value: (await figures()).due }],
    },
    {
      name: "schedules_late",
      help: "Schedules that have been due for more than five minutes",
      read: async () => [{ value: (await figures()).late }],
    },
    {
      name: "schedule_last_whole_age_seconds",
      help: "Longest time since a schedule that is not paused began to read its window whole",
      read: async () => {
        const { age } = await figures();
        return age === null ? [] : [{ value: age }];
      },
    },
  ]);
  collect(registry);
}
