import type { Logger } from "pino";
import { Refusal } from "#contracts/errors.ts";
import type { PushedEvent } from "#infra/agency/push/read-message.ts";
import { createWakeUp } from "#infra/kernel/wake-up.ts";
import type { Presence } from "#infra/postgres/presence.ts";
import { isPushed } from "#projections/queries/schedules/pushed-schedules.ts";
import {
  type ClaimedSchedule,
  claimDue,
  claimForMessages,
  claimSchedule,
  endRun,
} from "#projections/queries/schedules/schedule-states.ts";
import { createRunningWorks } from "#services/jobs/running-works.ts";
import type { Importer } from "../import/importer.ts";
import type { ImportedCatalogue, ImportRun } from "../import/run-import.ts";
import { CatalogueMoved } from "../import/run-scheduled.ts";
import { endRunsOfTheDead } from "./end-dead-runs.ts";
import { type RunClaimedDeps, runClaimed } from "./run-claimed.ts";

/** Runs schedules when they are due, beside other processes that do so on the same database. */
export type Scheduler = {
  /**
   * Claims a schedule for a run by hand, which is to be passed to `run` or `giveBack`; null where it runs already,
   * or is not there.
   */
  readonly claim: (scheduleId: string) => Promise<ClaimedSchedule | null>;
  readonly run: (claimed: ClaimedSchedule, run: ImportRun) => Promise<ImportedCatalogue>;
  readonly giveBack: (claimed: ClaimedSchedule) => Promise<void>;
  /**
   * Applies what the agency sent by itself, by a run of its own. `busy`: the schedule runs, or others change the
   * catalogue, so that it is to be tried again; `gone`: it takes no messages any more.
   */
  readonly apply: (scheduleId: string, messages: readonly PushedEvent[]) => Promise<Applied>;
  /** Runs all that are due, until none is. @returns how many runs there were */
  readonly runDue: () => Promise<number>;
  /** Waits briefly for its runs, then aborts them. */
  readonly close: () => Promise<void>;
};

export type Applied = "done" | "busy" | "gone" | "failed";

export type SchedulerDeps = RunClaimedDeps & {
  /** Of messages, which do not wait for runs. */
  readonly messageImporter: Importer;
  readonly presence: Pick<Presence, "alive">;
  readonly logger: Pick<Logger, "info" | "warn">;
  /** How often it is looked for schedules that are due; null for never but by `runDue`. */
  readonly pollMs: number | null;
};

/** Runs at once in one process: those that imports have threads for. */
const RUNS_AT_ONCE = 2;

export function createScheduler(deps: SchedulerDeps): Scheduler {
  const { context, presence, logger, pollMs } = deps;
  const { pool, worker } = context;
  const works = createRunningWorks();
  const byHand = new Set<string>();
  const wakeUp = createWakeUp();
  const stopping = new AbortController();
  let free = RUNS_AT_ONCE;

  const isRunning = (runId: string) => byHand.has(runId) || works.has(runId);

  async function runByItself(
    claimed: ClaimedSchedule,
    messages: readonly PushedEvent[] | null = null,
  ): Promise<Applied> {
    const { scheduleId, runId, maker } = claimed;
    const asker = { caller: maker, network: "", isGuest: false };
    const importer = messages === null ? deps.importer : deps.messageImporter;
    try {
      await works.track(runId, null, ({ signal }) => {
        const run = { ...asker, signal, onProgress() {} };
        return runClaimed({ ...deps, importer }, claimed, run, messages);
      });
      return "done";
    } catch (error) {
      if (error instanceof Refusal && error.cause instanceof CatalogueMoved) return "busy";
      logger.info({ err: error, scheduleId }, "a scheduled import did not succeed");
      return "failed";
    }
  }

  /** Claims by `how`, with the run known as this process's before its claim is there. */
  async function claimBy(
    how: typeof claimSchedule,
    scheduleId: string,
  ): Promise<ClaimedSchedule | null> {
    const runId = context.newId();
    byHand.add(runId);
    const claimant = { worker, now: context.now() };
    const claimed = await how(pool, claimant, scheduleId, runId).catch((error) => {
      byHand.delete(runId);
      throw error;
    });
    if (claimed === null) byHand.delete(runId);
    return claimed;
  }

  /** Starts those that are due, as many as there are places. @returns the runs */
  async function start(): Promise<Promise<void>[]> {
    const ended = await endRunsOfTheDead(context, presence, isRunning);
    if (ended > 0)
      logger.warn({ found: ended }, "scheduled imports of dead processes were cut off");
    if (free === 0) return [];
    const claimed = await claimDue(pool, { worker, now: context.now() }, free);
    free -= claimed.length;
    return claimed.map(async (one) => {
      await runByItself(one);
      free += 1;
      wakeUp.wake();
    });
  }

  async function poll(everyMs: number): Promise<void> {
    const { signal } = stopping;
    while (!signal.aborted) {
      const version = wakeUp.version();
      await start().catch((error: unknown) =>
        logger.warn({ err: error }, "schedules that are due cannot be looked for"),
      );
      await wakeUp.wait(version, everyMs, signal);
    }
  }

  const polling = pollMs === null ? Promise.resolve() : poll(pollMs);

  return {
    claim: (scheduleId) => claimBy(claimSchedule, scheduleId),
    run: (claimed, run) =>
      runClaimed(deps, claimed, run).finally(() => byHand.delete(claimed.runId)),
    async giveBack(claimed) {
      await endRun(pool, claimed, worker, { outcome: "stopped", again: null });
      byHand.delete(claimed.runId);
    },
    async apply(scheduleId, messages) {
      const claimed = await claimBy(claimForMessages, scheduleId);
      if (claimed === null) return (await isPushed(pool, scheduleId)) ? "busy" : "gone";
      return runByItself(claimed, messages).finally(() => byHand.delete(claimed.runId));
    },
    async runDue() {
      let count = 0;
      for (let runs = await start(); runs.length > 0; runs = await start()) {
        count += runs.length;
        await Promise.all(runs);
      }
      return count;
    },
    close: async () => {
      stopping.abort();
      await polling;
      await works.close();
    },
  };
}
