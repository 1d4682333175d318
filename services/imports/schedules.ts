/** Schedules of imports: how they are made, changed and ended, claimed when they are due, and run. */

import type { Logger } from "pino";
import { Refusal } from "#contracts/errors.ts";
import type { ImportFailure } from "#contracts/events/catalogues.ts";
import {
  type ImportTally,
  NOTHING_IMPORTED,
  type ScheduleSettings,
  standsFor,
} from "#contracts/events/imports.ts";
import type { RegionArea } from "#contracts/query/filters.ts";
import { MINUTE_MS } from "#contracts/units.ts";
import type { PushedEvent } from "#infra/agency/push.ts";
import type { Presence } from "#infra/postgres/coordination.ts";
import type { Lookups } from "#infra/postgres/statements.ts";
import { keepQuietRun } from "#projections/catalogues/projection.ts";
import {
  type ClaimedSchedule,
  claimDue,
  claimForMessages,
  claimSchedule,
  endDeadRun,
  endRun,
  forgetCatalogue,
  forgetScheduleState,
  isPushed,
  leftStates,
  type RunEnd,
  type RunningSchedule,
  runningSchedules,
} from "#projections/read/schedules.ts";
import {
  changeSchedule,
  endSchedule,
  makeSchedule,
  planRun,
  requireTable,
  tableOf,
  windowOf,
} from "#services/domain/imports/schedule.ts";
import type { Regions } from "#services/regions/commands.ts";
import { createDueRuns, createRunningWorks, JobCancelled, runsOfTheDead } from "#services/works.ts";
import { whyMakerMayNot } from "../access.ts";
import type { Command, CommandContext } from "../context.ts";
import { changeCatalogue, loadCatalogue } from "../streams.ts";
import { type Agencies, failureOf, type Importer } from "./agencies.ts";
import {
  CatalogueMoved,
  type ImportedCatalogue,
  type ImportRun,
  runScheduled,
  ScheduledRunFailed,
} from "./run.ts";

export type SchedulerDeps = {
  readonly context: CommandContext & { readonly lookups: Lookups };
  readonly importer: Importer;
  /** Of messages, which do not wait for runs. */
  readonly messageImporter: Importer;
  readonly agencies: Pick<Agencies, "toSchedule">;
  readonly regions: Regions;
  readonly presence: Pick<Presence, "alive">;
  readonly onOutcome: (outcome: RunOutcome) => void;
  readonly logger: Pick<Logger, "info" | "warn">;
  /** How often it is looked for schedules that are due; null for never but by `runDue`. */
  readonly pollMs: number | null;
};

/** How a run ends, for whoever counts them. */
export type RunOutcome = "changed" | "unchanged" | "failed" | "conflict" | "paused" | "stopped";

/** How messages fared; `busy`: the schedule runs, or others change the catalogue; `gone`: it takes none any more. */
export type Applied = "done" | "busy" | "gone" | "failed";

/** Runs at once in one process: those that imports have threads for. */
const RUNS_AT_ONCE = 2;

export type Scheduler = ReturnType<typeof createScheduler>;

/** Runs schedules when they are due, beside other processes that do so on the same database. */
export function createScheduler(deps: SchedulerDeps) {
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
    /**
     * Claims a schedule for a run by hand, which is to be passed to `run` or `giveBack`; null where it runs already,
     * or is not there.
     */
    claim: (scheduleId: string) => runs.claim(claimSchedule, scheduleId),
    run: runs.attended,
    async giveBack(claimed: ClaimedSchedule): Promise<void> {
      await endRun(pool, claimed, worker, { outcome: "stopped", again: null });
      runs.forget(claimed);
    },
    /** Applies what the agency sent by itself, by a run of its own. */
    async apply(scheduleId: string, messages: readonly PushedEvent[]): Promise<Applied> {
      const claimed = await runs.claim(claimForMessages, scheduleId);
      if (claimed === null) return (await isPushed(pool, scheduleId)) ? "busy" : "gone";
      return runs.alone(claimed, messages);
    },
    /** Runs all that are due, until none is. @returns how many runs there were */
    runDue: due.runDue,
    /** Waits briefly for its runs, then aborts them. */
    close: async (): Promise<void> => {
      await due.stop();
      await runs.close();
    },
  };
}

/** The runs of this process, of which others think that they are dead when it is gone. */
function createOwnRuns(deps: SchedulerDeps) {
  const { context, logger } = deps;
  const works = createRunningWorks();
  const claims = new Set<string>();

  return {
    has: (runId: string): boolean => claims.has(runId) || works.has(runId),
    /** Claims a schedule by `how`; the run is this process's before its claim is there. */
    async claim(how: typeof claimSchedule, scheduleId: string): Promise<ClaimedSchedule | null> {
      const runId = context.newId();
      claims.add(runId);
      const claimant = { worker: context.worker, now: context.now() };
      const claimed = await how(context.pool, claimant, scheduleId, runId).catch((error) => {
        claims.delete(runId);
        throw error;
      });
      if (claimed === null) claims.delete(runId);
      return claimed;
    },
    forget: ({ runId }: ClaimedSchedule): boolean => claims.delete(runId),
    /** A run that somebody waits for. */
    attended: (claimed: ClaimedSchedule, run: ImportRun): Promise<ImportedCatalogue> =>
      runClaimed(deps, claimed, run).finally(() => claims.delete(claimed.runId)),
    /** A run that nobody waits for: its failures are told by its record. */
    async alone(claimed: ClaimedSchedule, messages: Messages = null): Promise<Applied> {
      const { scheduleId, runId } = claimed;
      // A schedule takes its turns among the others, whoever has made them, and leaves some to people.
      const asker = { caller: scheduleId, network: "", isGuest: false };
      try {
        await works.track(runId, null, ({ signal }) =>
          runClaimed(deps, claimed, { ...asker, signal, onProgress() {} }, messages),
        );
        return "done";
      } catch (error) {
        if (error instanceof Refusal && error.cause instanceof CatalogueMoved) return "busy";
        logger.info({ err: error, scheduleId }, "a scheduled import did not succeed");
        return "failed";
      } finally {
        claims.delete(runId);
      }
    },
    close: works.close,
  };
}

/** What the agency sent by itself; null where it is asked. */
type Messages = readonly PushedEvent[] | null;

/**
 * Runs a schedule that this process has claimed, to its end: what it leaves for the next one is kept only after the
 * commit of what it stands for.
 * @param messages what is applied, instead of asking the agency
 * @throws Refusal CONFLICT where others changed the catalogue, FORBIDDEN where its maker may not; ScheduledRunFailed
 */
async function runClaimed(
  deps: SchedulerDeps,
  claimed: ClaimedSchedule,
  run: ImportRun,
  messages: Messages = null,
): Promise<ImportedCatalogue> {
  const { context } = deps;
  const ran = await runPlanned(deps, claimed, run, messages).catch(async (error) => {
    const explained = await explain(context, claimed, run.signal, error);
    return messages ? { ...explained, end: leftBy(explained.end, context) } : explained;
  });
  deps.onOutcome(ran.outcome);
  // What has been decided stands, whether or not the next run is told of it: that then begins as if this one had not been.
  await endRun(context.pool, claimed, context.worker, ran.end).catch((err: unknown) => {
    context.logger.warn({ err, runId: claimed.runId }, "what a run leaves for the next is lost");
  });
  if ("told" in ran) throw ran.told;
  return ran.imported;
}

type Ended = { readonly end: RunEnd; readonly outcome: RunOutcome };

/** The maker of a schedule may import by it no longer. */
class MakerMayNot extends Error {}

async function runPlanned(
  { context, importer, messageImporter, agencies, regions }: SchedulerDeps,
  claimed: ClaimedSchedule,
  run: ImportRun,
  messages: Messages,
): Promise<Ended & { readonly imported: ImportedCatalogue }> {
  const { scheduleId, catalogueId, settings, maker, runId, begunAt, pushed } = claimed;
  const why = await whyMakerMayNot(context.lookups, claimed);
  if (why !== null) throw new MakerMayNot(why);
  const { filters, detail, updateExisting, withdrawn } = settings;
  const table = tableOf(settings);
  const agency = await agencies.toSchedule(settings.agency);
  requireTable(table, agency.fileBytes !== undefined);
  const regionArea = await areaOf(regions, filters.region ?? null);
  const standing = standsFor(settings, { ...agency, regionArea });
  const isValid = claimed.stands_for === standing;
  const before = {
    lastAsked: claimed.last_asked,
    lastAskedWhole: claimed.last_asked_whole,
    known: claimed.known,
  };
  const begun = new Date(begunAt);
  const plan = planRun({ ...before, isValid }, begun);
  const missed = isValid ? claimed.withheld?.missed : undefined;
  const request = {
    importId: runId,
    catalogueId,
    scheduleId,
    begunAt,
    agency,
    regionArea,
    ...{ window: windowOf(settings, begun), filters, detail, updateExisting },
    reading: messages ? { messages } : { scheduled: { ...plan, withdrawn, missed, pushed, table } },
  };
  const done = await runScheduled(
    { context, importer: messages ? messageImporter : importer },
    { id: runId, actor: maker },
    request,
    run,
  );
  const { scheduled, isInLog, ...imported } = done;
  if (!isInLog) await keep(context, claimed, { tally: imported.tally, failure: null });
  const outcome = isInLog ? "changed" : "unchanged";
  if (scheduled === null) {
    const ids = (messages ?? []).map(({ id }) => id);
    return { imported, outcome, end: { outcome: "messages", ids, again: null } };
  }
  const { isWhole, known, withheld } = scheduled;
  // An agency that cannot tell what it changed answers for the window.
  const askedWhole = isWhole || plan.updatedAfter === null;
  const end = { outcome: "done", askedWhole, isWhole, known, withheld } as const;
  return { imported, outcome, end: { ...end, standsFor: standing } };
}

/** @throws Refusal NOT_FOUND for a region that was deleted while the schedule was made */
async function areaOf(regions: Regions, region: string | null): Promise<RegionArea | undefined> {
  if (region === null) return undefined;
  const area = await regions.find(region);
  if (area !== null) return area;
  throw new Refusal("NOT_FOUND", "The region by which it imports was deleted");
}

/** What messages that could not be applied leave: a run soon, unless they are to be tried again. */
function leftBy(end: RunEnd, { now }: Pick<CommandContext, "now">): RunEnd {
  const again = end.outcome === "conflict" ? null : now();
  return { outcome: "messages", ids: [], again };
}

/** What a failure means for the schedule, and what whoever waits for the run is told. */
async function explain(
  context: CommandContext,
  claimed: ClaimedSchedule,
  signal: AbortSignal,
  error: unknown,
): Promise<Ended & { readonly told: unknown }> {
  const now = context.now();
  if (error instanceof CatalogueMoved) {
    const again = new Date(now.getTime() + waitAfterConflict(claimed));
    const told = new Refusal("CONFLICT", "The catalogue was changed meanwhile; it is tried again", {
      cause: error,
    });
    return { end: { outcome: "conflict", again }, outcome: "conflict", told };
  }
  if (error instanceof MakerMayNot) {
    const pausing = { id: context.newId(), actor: "system" };
    await changeScheduleCommand(context, pausing, claimed, (settings) => ({
      ...settings,
      paused: true,
      pausedBecause: error.message,
    }));
    const failure = { code: null, message: error.message };
    await keep(context, claimed, { tally: NOTHING_IMPORTED, failure });
    const told = new Refusal("FORBIDDEN", `${error.message}; the schedule is paused`);
    return { end: { outcome: "stopped", again: null }, outcome: "paused", told };
  }
  const isKnown = error instanceof ScheduledRunFailed;
  const ran = isKnown
    ? error.run
    : { failure: failureOf(error, signal), tally: NOTHING_IMPORTED, isInLog: false };
  if (!ran.isInLog) await keep(context, claimed, ran);
  const told = isKnown ? error.cause : error;
  if (signal.aborted) {
    const again = signal.reason instanceof JobCancelled ? null : now;
    return { end: { outcome: "stopped", again }, outcome: "stopped", told };
  }
  return { end: { outcome: "failed", error: ran.failure.message }, outcome: "failed", told };
}

const FIRST_WAIT_MS = MINUTE_MS / 2;
const MAX_DOUBLINGS = 10;

/** The wait doubles while others are in the way, up to the schedule's own. */
function waitAfterConflict({ conflicts, settings }: ClaimedSchedule): number {
  const wait = FIRST_WAIT_MS * 2 ** Math.min(conflicts, MAX_DOUBLINGS);
  return Math.min(wait, settings.everyMinutes * MINUTE_MS);
}

/** Keeps a run of which the log does not tell, for the history. */
async function keep(
  { pool, now }: Pick<CommandContext, "pool" | "now">,
  { settings, scheduleId, catalogueId, runId, begunAt }: Omit<RunningSchedule, "worker">,
  { tally, failure }: { readonly tally: ImportTally; readonly failure: ImportFailure | null },
): Promise<void> {
  const window = windowOf(settings, new Date(begunAt));
  const run = { runId, scheduleId, catalogueId, window, begunAt, tally, failure };
  await keepQuietRun(pool, { ...run, endedAt: now().toISOString() });
}

type OfSchedule = { readonly catalogueId: string; readonly scheduleId: string };

/** Makes a schedule of a catalogue in the name of who asks; it is there when this resolves. @returns its id */
export async function makeScheduleCommand(
  context: CommandContext,
  command: Command,
  catalogueId: string,
  settings: ScheduleSettings,
): Promise<string> {
  const schedule = { scheduleId: command.id, maker: command.actor, settings };
  await changeCatalogue(context, command, catalogueId, (state) => makeSchedule(state, schedule));
  return schedule.scheduleId;
}

/** @throws Refusal NOT_FOUND, VALIDATION_ERROR where a bound is above its other one then */
export async function changeScheduleCommand(
  context: CommandContext,
  command: Command,
  { catalogueId, scheduleId }: OfSchedule,
  change: (settings: ScheduleSettings) => ScheduleSettings,
): Promise<void> {
  await changeCatalogue(context, command, catalogueId, (state) =>
    changeSchedule(state, scheduleId, change),
  );
}

/** Ends a schedule; a run that is under way changes nothing any more. @throws Refusal NOT_FOUND */
export async function endScheduleCommand(
  context: CommandContext,
  command: Command,
  { catalogueId, scheduleId }: OfSchedule,
): Promise<void> {
  await changeCatalogue(context, command, catalogueId, (state) => endSchedule(state, scheduleId));
  await forgetScheduleState(context.pool, scheduleId);
}

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
  const { pool, worker } = context;
  const running = await runningSchedules(pool);
  const dead = await runsOfTheDead(running, worker, presence.alive, ({ runId }) =>
    isRunning(runId),
  );
  let ended = 0;
  for (const run of dead) {
    if (!(await endDeadRun(pool, run, WHY, context.now()))) continue;
    const failure = { code: null, message: WHY };
    await keep(context, run, { tally: NOTHING_IMPORTED, failure });
    ended += 1;
  }
  return ended;
}

/**
 * Clears away what is kept of schedules that were ended, and of deleted catalogues. The log says which those are: a
 * read model that is being rebuilt has none.
 */
export async function forgetEnded(
  context: Pick<CommandContext, "pool" | "log" | "catalogueStates">,
): Promise<void> {
  for (const { scheduleId, catalogueId } of await leftStates(context.pool)) {
    const { state } = await loadCatalogue(context, catalogueId);
    if (state.status === "deleted") await forgetCatalogue(context.pool, catalogueId);
    else if (state.status === "existing" && !state.schedules.has(scheduleId)) {
      await forgetScheduleState(context.pool, scheduleId);
    }
  }
}
