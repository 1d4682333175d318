import { Refusal } from "#contracts/errors.ts";
import type { ImportFailure } from "#contracts/events/catalogues.ts";
import { type ImportTally, NOTHING_IMPORTED } from "#contracts/events/imports.ts";
import type { RegionArea } from "#contracts/query/filters.ts";
import type { PushedEvent } from "#infra/agency/push.ts";
import { peek } from "#infra/kernel/iteration.ts";
import { createImportProgressStore, keepProgress } from "#infra/stores/import-progress.ts";
import {
  type CatalogueState,
  type ExistingCatalogue,
  existing,
} from "#services/domain/catalogues/catalogue.ts";
import { type StartImport, startImport } from "#services/domain/imports/run.ts";
import type { BaseVersion } from "../changes/revision-changes.ts";
import type { Command, CommandContext } from "../context.ts";
import { editable } from "../revision.ts";
import { baseOf, decideOnCatalogue } from "../streams.ts";
import { failureOf } from "./agencies.ts";
import {
  commitWritten,
  failImport,
  type ImportDeps,
  type Imported,
  type ImportedCatalogue,
  type ImportRun,
  importedOf,
} from "./run.ts";
import type { AgencyOptions, ImportProgress, ScheduledEnd, ScheduledRun } from "./worker.ts";

export type ScheduledImport = Pick<
  StartImport,
  "importId" | "window" | "filters" | "detail" | "updateExisting"
> & {
  readonly catalogueId: string;
  readonly scheduleId: string;
  readonly agency: AgencyOptions;
  /** What the region of the filters is in this run. */
  readonly regionArea?: RegionArea | undefined;
  /** When the run began; ISO 8601 UTC. */
  readonly begunAt: string;
  /** How the agency is asked, or what it sent by itself. */
  readonly reading:
    | { readonly scheduled: Omit<ScheduledRun, "agencyId"> }
    | { readonly messages: readonly PushedEvent[] };
};

export type ScheduledResult = ImportedCatalogue & {
  /** Null for messages. */
  readonly scheduled: ScheduledEnd | null;
  /** Whether the log tells of it: only of a run that changed something. */
  readonly isInLog: boolean;
};

/** Others changed the catalogue, or are about to: the run is to be made again, and has changed nothing. */
export class CatalogueMoved extends Error {
  override readonly name = "CatalogueMoved";
}

/** A scheduled run failed. */
export class ScheduledRunFailed extends Error {
  override readonly name = "ScheduledRunFailed";
  readonly failure: ImportFailure;
  readonly tally: ImportTally;
  /** Whether the log tells of it: it had changes to write. */
  readonly isInLog: boolean;

  constructor(
    run: { failure: ImportFailure; tally: ImportTally; isInLog: boolean },
    cause: unknown,
  ) {
    super(run.failure.message, { cause });
    this.failure = run.failure;
    this.tally = run.tally;
    this.isInLog = run.isInLog;
  }
}

/**
 * Imports by a schedule. Its revision is opened with the first change, so that a run that changes nothing appends
 * nothing to the log, and others may change the catalogue until then.
 * @throws CatalogueMoved, ScheduledRunFailed
 */
export async function runScheduled(
  deps: ImportDeps,
  command: Command,
  request: ScheduledImport,
  { onProgress, ...asker }: ImportRun,
): Promise<ScheduledResult> {
  const { context } = deps;
  const so: Progress = { opened: null, tally: NOTHING_IMPORTED };
  const follow = (progress: ImportProgress): void => {
    so.tally = progress.tally;
    onProgress(progress);
  };
  return context.revisionsInProgress.during(request.catalogueId, async () => {
    try {
      return await write(deps, command, request, { ...asker, onProgress: follow }, so);
    } catch (cause) {
      if (cause instanceof CatalogueMoved) throw cause;
      const { opened, tally } = so;
      const failure = failureOf(cause, asker.signal);
      if (opened !== null) await failImport(context, command, opened, { tally, failure });
      throw new ScheduledRunFailed({ failure, tally, isInLog: opened !== null }, cause);
    }
  });
}

type Progress = { opened: ExistingCatalogue | null; tally: ImportTally };

async function write(
  { context, importer }: ImportDeps,
  command: Command,
  request: ScheduledImport,
  run: ImportRun,
  so: Progress,
): Promise<ScheduledResult> {
  const { catalogueId, scheduleId } = request;
  const catalogue = await unchanging(context, catalogueId);
  requireSchedule(catalogue, scheduleId);
  const base = await baseOf(context, catalogue);
  const before = { catalogueId, catalogueName: catalogue.name, version: catalogue.version };
  return importer.run(taskOf(request, catalogue, base, context.now()), run, async (running) => {
    const chunks = await peek(running.chunks);
    if (chunks === null) {
      return { ...before, ...endOf(await importedOf(running.end())), isInLog: false };
    }
    const opened = await open(context, command, catalogue, request);
    so.opened = opened;
    const { version, end } = await whileKept(context, opened, so, () =>
      commitWritten(
        context,
        command,
        { catalogue: opened, base },
        { chunks, end: running.end },
        (state) => requireSchedule(state, scheduleId),
      ),
    );
    return { ...before, version, ...endOf(end), isInLog: true };
  });
}

/** @throws CatalogueMoved while others change it */
async function unchanging(
  context: CommandContext,
  catalogueId: string,
): Promise<ExistingCatalogue> {
  try {
    return await editable(context, catalogueId, null);
  } catch (error) {
    throw movedWhere(error);
  }
}

function movedWhere(error: unknown): unknown {
  const isConflict = error instanceof Refusal && error.code === "CONFLICT";
  return isConflict ? new CatalogueMoved("others are changing the catalogue") : error;
}

/** A schedule that was ended meanwhile changes nothing any more. */
function requireSchedule(state: CatalogueState, scheduleId: string): void {
  if (!existing(state).schedules.has(scheduleId)) {
    throw new Refusal("NOT_FOUND", "The schedule was ended");
  }
}

function taskOf(
  { agency, window, filters, regionArea, detail, updateExisting, reading }: ScheduledImport,
  { catalogueId: id, bounds, eventCount, lastRevision }: ExistingCatalogue,
  base: BaseVersion,
  now: Date,
) {
  const nextVersion = lastRevision + 1;
  return {
    agency,
    query: { ...filters, regionArea, startTime: window.start, endTime: window.end, detail },
    target: { ...base, id, nextVersion, bounds, hasEvents: eventCount > 0, updateExisting },
    nowMs: now.getTime(),
    ...("messages" in reading
      ? reading
      : { scheduled: { ...reading.scheduled, agencyId: agency.id } }),
  };
}

/** Opens the run's revision, where the catalogue is as it was when it was compared. @throws CatalogueMoved */
async function open(
  context: CommandContext,
  command: Command,
  { catalogueId, lastRevision }: ExistingCatalogue,
  request: ScheduledImport,
): Promise<ExistingCatalogue> {
  const { importId, scheduleId, begunAt, agency, window, filters, detail, updateExisting } =
    request;
  const reading = { window, filters, detail, updateExisting };
  const { worker } = context;
  const start = {
    ...{ importId, scheduleId, begunAt, worker, ...reading },
    ...{ agency: agency.name, agencyId: agency.id },
  };
  const decided = decideOnCatalogue(context, command, catalogueId, (present) => {
    requireSchedule(present, scheduleId);
    const events = startImport(present, start);
    // A revision that was abandoned meanwhile may have been seen, too.
    if (existing(present).lastRevision !== lastRevision) {
      throw new CatalogueMoved("others have changed the catalogue");
    }
    return events;
  });
  const { state } = await decided.catch((error: unknown) => {
    throw movedWhere(error);
  });
  return existing(state);
}

/** Runs `work` while the progress of the open revision is kept for the history. */
async function whileKept<T>(
  { pool, logger }: CommandContext,
  { catalogueId, lastRevision: revision }: ExistingCatalogue,
  so: Progress,
  work: () => Promise<T>,
): Promise<T> {
  const store = createImportProgressStore(pool);
  const keep = (tally: ImportTally) => store.keep(catalogueId, revision, tally);
  const keeping = keepProgress(keep, () => so.tally, logger);
  try {
    const done = await work();
    await store.remove(catalogueId, revision).catch(() => undefined);
    return done;
  } finally {
    await keeping.close();
  }
}

function endOf(imported: Imported): Pick<ScheduledResult, "tally" | "scheduled"> {
  return { tally: imported.tally, scheduled: imported.scheduled ?? null };
}
