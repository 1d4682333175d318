/** Runs of imports, that a person or a schedule asked for: begun, written from the agency's answers, ended. */

import { Refusal, RetryLater } from "#contracts/errors.ts";
import type { ImportFailure } from "#contracts/events/catalogues.ts";
import { type ImportTally, NOTHING_IMPORTED } from "#contracts/events/imports.ts";
import { catalogueStream } from "#contracts/events/log.ts";
import type { RegionArea } from "#contracts/query/filters.ts";
import type { CatalogueAccess } from "#contracts/rights.ts";
import type { PushedEvent } from "#infra/agency/push.ts";
import type { Asker } from "#infra/kernel/fair-queue.ts";
import { peek } from "#infra/kernel/iteration.ts";
import { deriveEventId } from "#infra/log/domain-events.ts";
import type { Position } from "#infra/log/event-log.ts";
import { createImportProgressStore, keepProgress } from "#infra/stores/jobs.ts";
import {
  type CatalogueState,
  createCatalogue,
  type ExistingCatalogue,
  evolve,
  existing,
  IMPORT_FAILED,
  openRevision,
  publicity,
} from "#services/domain/catalogues/catalogue.ts";
import { completeImport, type StartImport, startImport } from "#services/domain/imports/run.ts";
import { catalogueIdOf } from "../catalogues/commands.ts";
import { type BaseVersion, boundsAfter, type ChunkStream } from "../changes/revision-changes.ts";
import type { Command, CommandContext } from "../context.ts";
import {
  abandonIfOpen,
  appendChunks,
  editable,
  eventsOfEarlierRun,
  type RevisionContent,
} from "../revision.ts";
import {
  baseOf,
  changeCatalogue,
  decideOnCatalogue,
  loadCatalogue,
  requireUndone,
  untilCurrent,
} from "../streams.ts";
import { AgencyFailed, failureOf, type Importer, ImportFailed } from "./agencies.ts";
import type { ScheduledEnd, ScheduledRun } from "./reading.ts";
import type { AgencyOptions, ImportEnd, ImportProgress } from "./worker.ts";

type ImportDeps = { readonly context: CommandContext; readonly importer: Importer };

/** What is asked of an agency. */
type AskedOfAgency = Pick<StartImport, "window" | "filters" | "detail" | "updateExisting"> & {
  readonly agency: AgencyOptions;
  /** What the region of the filters is. */
  readonly regionArea?: RegionArea | undefined;
};

export type ImportRequest = AskedOfAgency & {
  /** Null for a new catalogue. */
  readonly catalogueId: string | null;
  /** Name of the new catalogue. */
  readonly name: string;
  /** Who may read it. */
  readonly access?: CatalogueAccess | undefined;
};

/** Its signal cancels the import; only its run in the history remains. */
export type ImportRun = Asker & {
  readonly onProgress: (progress: ImportProgress) => void;
};

export type ImportedCatalogue = {
  readonly catalogueId: string;
  readonly catalogueName: string;
  /** The resulting version, the previous one when nothing changed; 0 before the first. */
  readonly version: number;
  readonly tally: ImportTally;
};

/**
 * Checks at once, for an import that outlasts its request, what would refuse it later. A retried
 * command may find its own earlier run.
 * @throws Refusal NOT_FOUND, CONFLICT
 */
export async function requireImportable(
  context: CommandContext,
  { retried = false }: Command,
  catalogueId: string | null,
): Promise<void> {
  if (catalogueId === null) return;
  const loaded = await loadCatalogue(context, catalogueId);
  if (retried) {
    existing(loaded.state);
    return;
  }
  openRevision(loaded.state, { cause: "import", worker: context.worker });
  await requireUndone(context, catalogueId, loaded);
}

/**
 * Imports matching events of the agency into a catalogue by one new revision; an import without any
 * change makes none. Once begun, the run appears in the history, whatever its outcome. A retried
 * command whose import was completed does nothing.
 * @throws Refusal NOT_FOUND, CONFLICT, MISSING_NAME, NAME_TOO_LONG, VALIDATION_ERROR before it has
 * begun; ImportFailed afterwards
 */
export async function runImport(
  deps: ImportDeps,
  command: Command,
  request: ImportRequest,
  run: ImportRun,
): Promise<ImportedCatalogue> {
  const { context } = deps;
  const catalogueId = request.catalogueId ?? catalogueIdOf(command);
  const earlier = await earlierImport(context, command, catalogueId);
  if (earlier !== null) return earlier;
  const first = { ...command, retried: false };
  return context.revisionsInProgress.during(catalogueId, async () => {
    const opened = await openImport(context, first, catalogueId, request);
    return runOpened(deps, first, opened, request, run);
  });
}

/**
 * The import completed by an earlier run of `command`, or null. An interrupted import ends here as
 * failed: if its run is still alive, it can no longer commit.
 */
async function earlierImport(
  context: CommandContext,
  command: Command,
  catalogueId: string,
): Promise<ImportedCatalogue | null> {
  if (!command.retried) return null;
  const written = await eventsOfEarlierRun(context, command, catalogueId, "its run did not end");
  for (const { event, position } of written) {
    if (event.type !== "ImportCompleted") continue;
    await context.untilVisible("catalogues", position);
    const { state } = await loadCatalogue(context, catalogueId);
    const { name: catalogueName, version: present } = existing(state);
    const events = written.map((one) => one.event);
    // There is none where the import changed nothing.
    const commit = events.find((one) => one.type === "RevisionCommitted");
    const version = commit?.data.revision ?? present;
    return { catalogueId, catalogueName, version, tally: event.data.tally };
  }
  return null;
}

type OpenedImport = { readonly catalogue: ExistingCatalogue; readonly position: Position | null };

/**
 * Begins the run: opens its revision, creating the catalogue when none is named. A catalogue created
 * by an earlier run of the command exists already.
 */
async function openImport(
  context: CommandContext,
  command: Command,
  catalogueId: string,
  request: ImportRequest,
): Promise<OpenedImport> {
  const { catalogueId: named, name, access = "internal", regionArea: _, ...others } = request;
  const { agency: options, ...run } = others;
  const { id: agencyId, name: agency } = options;
  const { worker } = context;
  await requireUndone(context, catalogueId, await loadCatalogue(context, catalogueId));
  const create = { catalogueId, name, createdBy: command.actor, ...publicity(access) };
  const { state, position } = await decideOnCatalogue(context, command, catalogueId, (before) => {
    const isNew = named === null && before.status === "absent";
    const created = isNew ? createCatalogue(before, create) : [];
    const present = existing(created.reduce(evolve, before));
    const stream = `${catalogueStream(catalogueId)}-import`;
    const importId = deriveEventId(command.id, stream, present.lastRevision + 1);
    return [...created, ...startImport(present, { importId, worker, agency, agencyId, ...run })];
  });
  return { catalogue: existing(state), position };
}

async function runOpened(
  { context, importer }: ImportDeps,
  command: Command,
  { catalogue, position }: OpenedImport,
  request: ImportRequest,
  { onProgress, ...asker }: ImportRun,
): Promise<ImportedCatalogue> {
  const { catalogueId, name: catalogueName, lastRevision } = catalogue;
  let tally: ImportTally = NOTHING_IMPORTED;
  const follow = (progress: ImportProgress): void => {
    ({ tally } = progress);
    onProgress(progress);
  };
  const keeping = keepTally(context, catalogue, () => tally);
  let hasEnded = true;
  try {
    // From then on, events that an earlier abandoned revision had superseded can be found again.
    await untilCurrent(context, "catalogues", position);
    const base = await baseOf(context, catalogue);
    const task = taskOf(context, request, catalogue, base, lastRevision);
    const run = { ...asker, onProgress: follow };
    const { version, end } = await importer(task, run, (running) =>
      commitWritten(context, command, catalogue, base, running),
    );
    return { catalogueId, catalogueName, version, tally: end.tally };
  } catch (cause) {
    const failed = { tally, failure: failureOf(cause, asker.signal) };
    const waits = !(cause instanceof RetryLater);
    hasEnded = await failImport(context, command, catalogue, failed, waits);
    throw new ImportFailed(catalogueId, cause);
  } finally {
    await keeping.close();
    if (hasEnded) await keeping.forget();
  }
}

export type ScheduledImport = AskedOfAgency & {
  readonly importId: string;
  readonly catalogueId: string;
  readonly scheduleId: string;
  /** When the run began; ISO 8601 UTC. */
  readonly begunAt: string;
  /** How the agency is asked, or what it sent by itself. */
  readonly reading:
    | { readonly scheduled: ScheduledRun }
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

type FailedRun = {
  readonly failure: ImportFailure;
  readonly tally: ImportTally;
  /** Whether the log tells of it: it had changes to write. */
  readonly isInLog: boolean;
};

/** A scheduled run failed. */
export class ScheduledRunFailed extends Error {
  override readonly name = "ScheduledRunFailed";
  readonly run: FailedRun;

  constructor(run: FailedRun, cause: unknown) {
    super(run.failure.message, { cause });
    this.run = run;
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
  const state: ScheduledState = { opened: null, tally: NOTHING_IMPORTED };
  const follow = (progress: ImportProgress): void => {
    state.tally = progress.tally;
    onProgress(progress);
  };
  return context.revisionsInProgress.during(request.catalogueId, async () => {
    try {
      return await runUnopened(deps, command, request, { ...asker, onProgress: follow }, state);
    } catch (cause) {
      if (cause instanceof CatalogueMoved) throw cause;
      const { opened, tally } = state;
      const failure = failureOf(cause, asker.signal);
      if (opened !== null) await failImport(context, command, opened, { tally, failure });
      throw new ScheduledRunFailed({ failure, tally, isInLog: opened !== null }, cause);
    }
  });
}

type ScheduledState = { opened: ExistingCatalogue | null; tally: ImportTally };

async function runUnopened(
  { context, importer }: ImportDeps,
  command: Command,
  request: ScheduledImport,
  run: ImportRun,
  state: ScheduledState,
): Promise<ScheduledResult> {
  const { catalogueId, scheduleId, reading } = request;
  const catalogue = await editable(context, catalogueId, null).catch(rethrowMoved);
  requireSchedule(catalogue, scheduleId);
  const base = await baseOf(context, catalogue);
  const { name: catalogueName, version: before, lastRevision } = catalogue;
  const task = { ...taskOf(context, request, catalogue, base, lastRevision + 1), ...reading };
  return importer(task, run, async (running) => {
    const resultOf = (version: number, { tally, scheduled }: Imported, isInLog: boolean) => ({
      catalogueId,
      catalogueName,
      version,
      tally,
      scheduled: scheduled ?? null,
      isInLog,
    });
    const chunks = await peek(running.chunks);
    if (chunks === null) return resultOf(before, await importedOf(running.end()), false);
    const opened = await openScheduled(context, command, catalogue, request);
    state.opened = opened;
    const keeping = keepTally(context, opened, () => state.tally);
    try {
      const changed = { chunks, end: running.end };
      const { version, end } = await commitWritten(context, command, opened, base, changed, (now) =>
        requireSchedule(now, scheduleId),
      );
      await keeping.forget();
      return resultOf(version, end, true);
    } finally {
      await keeping.close();
    }
  });
}

/** A schedule that was ended meanwhile changes nothing any more. */
function requireSchedule(state: CatalogueState, scheduleId: string): void {
  if (!existing(state).schedules.has(scheduleId)) {
    throw new Refusal("NOT_FOUND", "The schedule was ended");
  }
}

/** @throws CatalogueMoved where others are in the way, else the error */
function rethrowMoved(error: unknown): never {
  const isConflict = error instanceof Refusal && error.code === "CONFLICT";
  throw isConflict ? new CatalogueMoved("others are changing the catalogue") : error;
}

/** Opens the run's revision, where the catalogue is as it was when it was compared. @throws CatalogueMoved */
async function openScheduled(
  context: CommandContext,
  command: Command,
  { catalogueId, lastRevision }: ExistingCatalogue,
  request: ScheduledImport,
): Promise<ExistingCatalogue> {
  const { importId, scheduleId, begunAt, agency } = request;
  const { window, filters, detail, updateExisting } = request;
  const { worker } = context;
  const start = {
    ...{ importId, scheduleId, begunAt, worker, window, filters, detail, updateExisting },
    ...{ agency: agency.name, agencyId: agency.id },
  };
  const { state } = await decideOnCatalogue(context, command, catalogueId, (present) => {
    requireSchedule(present, scheduleId);
    const events = startImport(present, start);
    // A revision that was abandoned meanwhile may have been seen, too.
    if (existing(present).lastRevision !== lastRevision) {
      throw new CatalogueMoved("others have changed the catalogue");
    }
    return events;
  }).catch(rethrowMoved);
  return existing(state);
}

/** @param nextVersion that the run makes */
function taskOf(
  { now }: CommandContext,
  { agency, window, filters, regionArea, detail, updateExisting }: AskedOfAgency,
  { catalogueId: id, bounds, eventCount }: ExistingCatalogue,
  base: BaseVersion,
  nextVersion: number,
) {
  return {
    agency,
    query: { ...filters, regionArea, startTime: window.start, endTime: window.end, detail },
    target: { ...base, id, nextVersion, bounds, hasEvents: eventCount > 0, updateExisting },
    nowMs: now().getTime(),
  };
}

/** Keeps the progress of an open revision for the history, until it is closed. */
function keepTally(
  { pool, logger }: CommandContext,
  { catalogueId, lastRevision: revision }: ExistingCatalogue,
  latest: () => ImportTally,
) {
  const store = createImportProgressStore(pool);
  const keep = (tally: ImportTally) => store.keep(catalogueId, revision, tally);
  return {
    ...keepProgress(keep, latest, logger),
    /** A leftover row is overwritten by the catalogue's next import. */
    forget: () => store.remove(catalogueId, revision).catch(() => undefined),
  };
}

/** The end of a run that has got what it asked for. */
type Imported = Extract<ImportEnd, { outcome: "imported" }>;

/** @throws AgencyFailed */
async function importedOf(end: Promise<ImportEnd>): Promise<Imported> {
  const ended = await end;
  if (ended.outcome === "failed") throw new AgencyFailed(ended.code, ended.message);
  return ended;
}

/**
 * Writes the chunks of an import's open revision and commits it, or ends it without a version where nothing changed.
 * @param check refuses by the catalogue's state at the commit
 * @throws AgencyFailed; Refusal NOT_FOUND, CONFLICT; refusals of `check`
 */
async function commitWritten(
  context: CommandContext,
  command: Command,
  catalogue: ExistingCatalogue,
  base: BaseVersion,
  { chunks, end }: Pick<RevisionContent, "chunks"> & Pick<ChunkStream<ImportEnd>, "end">,
  check: (state: CatalogueState) => void = () => {},
): Promise<{ readonly version: number; readonly end: Imported }> {
  const { catalogueId, lastRevision: revision, version: before } = catalogue;
  const { contentHash, ...written } = await appendChunks(context, command, catalogue, chunks);
  const ended = await importedOf(end());
  const { tally, changes } = ended;
  const bounds = await boundsAfter(context, catalogue.bounds, base, changes);
  const { added, updated, removed } = changes;
  const commit = { revision, ...written, added, updated, removed, bounds, contentHash };
  const { state } = await changeCatalogue(context, command, catalogueId, (present) => {
    check(present);
    return completeImport(present, { commit, tally });
  });
  return { version: state.status === "existing" ? state.version : before, end: ended };
}

/**
 * @param waits until its end is visible
 * @returns false when it could not be ended; the sweep will end it, with the stored progress
 */
async function failImport(
  context: CommandContext,
  command: Command,
  { catalogueId, lastRevision: revision }: ExistingCatalogue,
  how: { readonly tally: ImportTally; readonly failure: ImportFailure },
  waits = true,
): Promise<boolean> {
  try {
    const abandoned = { revision, reason: IMPORT_FAILED, ...how };
    const position = await abandonIfOpen(context, command, catalogueId, abandoned);
    // The first error is the one reported, even if the history shows it later.
    if (waits) await context.untilVisible("catalogues", position).catch(() => undefined);
    return true;
  } catch (error) {
    context.logger.warn({ err: error, catalogueId, revision }, "import left open");
    return false;
  }
}
