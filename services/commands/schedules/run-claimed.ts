import { Refusal } from "#contracts/errors.ts";
import { type ImportTally, type ImportWindow, NOTHING_IMPORTED } from "#contracts/import-run.ts";
import type { RegionArea } from "#contracts/query/region-area.ts";
import { standsFor } from "#contracts/schedule.ts";
import { MINUTE_MS } from "#contracts/units.ts";
import type { PushedEvent } from "#infra/agency/push.ts";
import type { Lookups } from "#infra/postgres/statements.ts";
import { keepQuietRun } from "#projections/catalogues/import-rows.ts";
import { type ClaimedSchedule, endRun, type RunEnd } from "#projections/read/schedules.ts";
import type { Agencies } from "#services/agencies/agencies.ts";
import { planRun, requireTable, tableOf, windowOf } from "#services/domain/imports/schedule.ts";
import { JobCancelled } from "#services/jobs/run-job.ts";
import type { Regions } from "#services/regions/regions.ts";
import type { CommandContext } from "../context.ts";
import { failureOf } from "../import/import-failure.ts";
import type { Importer } from "../import/importer.ts";
import type { ImportedCatalogue, ImportRun } from "../import/run-import.ts";
import { CatalogueMoved, runScheduled, ScheduledRunFailed } from "../import/run-scheduled.ts";
import { changeScheduleCommand } from "./change-schedules.ts";
import { whyMakerMayNot } from "./maker-rights.ts";

/** How a run ends, for whoever counts them. */
export type RunOutcome = "changed" | "unchanged" | "failed" | "conflict" | "paused" | "stopped";

export type RunClaimedDeps = {
  readonly context: CommandContext & { readonly lookups: Lookups };
  readonly importer: Importer;
  readonly agencies: Pick<Agencies, "toSchedule">;
  readonly regions: Regions;
  readonly onOutcome: (outcome: RunOutcome) => void;
};

type Planned = {
  readonly claimed: ClaimedSchedule;
  readonly window: ImportWindow;
  /** What the agency sent by itself; null where it is asked. */
  readonly messages: readonly PushedEvent[] | null;
};

/**
 * Runs a schedule that this process has claimed, to its end: what it leaves for the next one is kept only after the
 * commit of what it stands for.
 * @param messages what is applied, instead of asking the agency
 * @throws Refusal CONFLICT where others changed the catalogue, FORBIDDEN where its maker may not; ScheduledRunFailed
 */
export async function runClaimed(
  deps: RunClaimedDeps,
  claimed: ClaimedSchedule,
  run: ImportRun,
  messages: readonly PushedEvent[] | null = null,
): Promise<ImportedCatalogue> {
  const { context } = deps;
  const window = windowOf(claimed.settings, new Date(claimed.begunAt));
  const planned = { claimed, window, messages };
  const ran = await runPlanned(deps, planned, run).catch(async (error) => {
    const explained = await explain(context, planned, run.signal, error);
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
  { context, importer, agencies, regions }: RunClaimedDeps,
  planned: Planned,
  run: ImportRun,
): Promise<Ended & { readonly imported: ImportedCatalogue }> {
  const { claimed, window, messages } = planned;
  const { scheduleId, catalogueId, settings, maker, runId, begunAt, pushed } = claimed;
  const why = await whyMakerMayNot(context.lookups, claimed);
  if (why !== null) throw new MakerMayNot(why);
  const { filters, detail, updateExisting, withdrawn } = settings;
  const table = tableOf(settings);
  const orders = { window, filters, detail, updateExisting };
  const agency = await agencies.toSchedule(settings.agency);
  requireTable(table, agency.fileBytes !== undefined);
  const regionArea = await areaOf(regions, filters.region ?? null);
  const standing = standsFor(settings, { ...agency, regionArea });
  const plan = planOf(claimed, standing);
  const missed = claimed.stands_for === standing ? claimed.withheld?.missed : undefined;
  const command = { id: runId, actor: maker };
  const request = {
    importId: runId,
    catalogueId,
    scheduleId,
    begunAt,
    agency,
    regionArea,
    ...orders,
  };
  const done = await runScheduled(
    { context, importer },
    command,
    {
      ...request,
      reading: messages
        ? { messages }
        : { scheduled: { ...plan, withdrawn, missed, pushed, table } },
    },
    run,
  );
  const { scheduled, isInLog, ...imported } = done;
  if (!isInLog) await keep(context, planned, { tally: imported.tally, failure: null });
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

function planOf(claimed: ClaimedSchedule, standing: string) {
  const { begunAt, stands_for, last_asked, last_asked_whole, known } = claimed;
  const before = { lastAsked: last_asked, lastAskedWhole: last_asked_whole, known };
  return planRun({ ...before, isValid: stands_for === standing }, new Date(begunAt));
}

/** What messages that could not be applied leave: a run soon, unless they are to be tried again. */
function leftBy(end: RunEnd, { now }: Pick<CommandContext, "now">): RunEnd {
  const again = end.outcome === "conflict" ? null : now();
  return { outcome: "messages", ids: [], again };
}

/** What a failure means for the schedule, and what whoever waits for the run is told. */
async function explain(
  context: CommandContext,
  planned: Planned,
  signal: AbortSignal,
  error: unknown,
): Promise<Ended & { readonly told: unknown }> {
  const now = context.now();
  if (error instanceof CatalogueMoved) {
    const again = new Date(now.getTime() + waitAfterConflict(planned.claimed));
    const told = new Refusal("CONFLICT", "The catalogue was changed meanwhile; it is tried again", {
      cause: error,
    });
    return { end: { outcome: "conflict", again }, outcome: "conflict", told };
  }
  if (error instanceof MakerMayNot) {
    await pause(context, planned.claimed, error.message);
    const failure = { code: null, message: error.message };
    await keep(context, planned, { tally: NOTHING_IMPORTED, failure });
    const told = new Refusal("FORBIDDEN", `${error.message}; the schedule is paused`);
    return { end: { outcome: "stopped", again: null }, outcome: "paused", told };
  }
  const isKnown = error instanceof ScheduledRunFailed;
  const failure = isKnown ? error.failure : failureOf(error, signal);
  const tally = isKnown ? error.tally : NOTHING_IMPORTED;
  if (!(isKnown && error.isInLog)) await keep(context, planned, { tally, failure });
  const told = isKnown ? error.cause : error;
  if (signal.aborted) {
    const again = signal.reason instanceof JobCancelled ? null : now;
    return { end: { outcome: "stopped", again }, outcome: "stopped", told };
  }
  return { end: { outcome: "failed", error: failure.message }, outcome: "failed", told };
}

const FIRST_WAIT_MS = MINUTE_MS / 2;
const MAX_DOUBLINGS = 10;

/** The wait doubles while others are in the way, up to the schedule's own. */
function waitAfterConflict({ conflicts, settings }: ClaimedSchedule): number {
  const wait = FIRST_WAIT_MS * 2 ** Math.min(conflicts, MAX_DOUBLINGS);
  return Math.min(wait, settings.everyMinutes * MINUTE_MS);
}

async function pause(
  context: CommandContext,
  { scheduleId, catalogueId }: ClaimedSchedule,
  pausedBecause: string,
): Promise<void> {
  const command = { id: context.newId(), actor: "system" };
  await changeScheduleCommand(context, command, { scheduleId, catalogueId }, (settings) => ({
    ...settings,
    paused: true,
    pausedBecause,
  }));
}

/** Keeps a run of which the log does not tell, for the history. */
async function keep(
  { pool, now }: CommandContext,
  { claimed: { scheduleId, catalogueId, runId, begunAt }, window }: Planned,
  how: { readonly tally: ImportTally; readonly failure: ReturnType<typeof failureOf> | null },
): Promise<void> {
  const endedAt = now().toISOString();
  const run = { runId, scheduleId, catalogueId, window, begunAt, endedAt, ...how };
  await keepQuietRun(pool, run);
}
