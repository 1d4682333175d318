import { RetryLater } from "#contracts/errors.ts";
import { type ImportTally, NOTHING_IMPORTED } from "#contracts/events/imports.ts";
import { catalogueStream } from "#contracts/events/log.ts";
import type { RegionArea } from "#contracts/query/filters.ts";
import type { CatalogueAccess } from "#contracts/rights.ts";
import type { Asker } from "#infra/kernel/fair-queue.ts";
import { deriveEventId } from "#infra/log/domain-events.ts";
import type { Position } from "#infra/log/event-log.ts";
import { createImportProgressStore, keepProgress } from "#infra/stores/import-progress.ts";
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
  eventsOfEarlierRun,
  type RevisionContent,
} from "../revision.ts";
import {
  baseOf,
  decideOnCatalogue,
  loadCatalogue,
  requireUndone,
  untilCurrent,
} from "../streams.ts";
import { AgencyFailed, failureOf, type Importer, ImportFailed } from "./agencies.ts";
import type { AgencyOptions, ImportEnd, ImportProgress } from "./worker.ts";

export type ImportRequest = Omit<StartImport, "importId" | "worker" | "agency" | "agencyId"> & {
  readonly agency: AgencyOptions;
  /** What the region of the filters is. */
  readonly regionArea?: RegionArea | undefined;
  /** Null for a new catalogue. */
  readonly catalogueId: string | null;
  /** Name of the new catalogue. */
  readonly name: string;
  /** Who may read it. */
  readonly access?: CatalogueAccess | undefined;
};

export type ImportedCatalogue = {
  readonly catalogueId: string;
  readonly catalogueName: string;
  /** The resulting version, the previous one when nothing changed; 0 before the first. */
  readonly version: number;
  readonly tally: ImportTally;
};

export type ImportDeps = { readonly context: CommandContext; readonly importer: Importer };

/** Its signal cancels the import; only its run in the history remains. */
export type ImportRun = Asker & {
  readonly onProgress: (progress: ImportProgress) => void;
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
    const { name: catalogueName, version } = existing(state);
    const { tally } = event.data;
    return { catalogueId, catalogueName, version: committedIn(written) ?? version, tally };
  }
  return null;
}

/** Null when the import changed nothing. */
function committedIn(written: Awaited<ReturnType<typeof eventsOfEarlierRun>>): number | null {
  const commit = written.find(({ event }) => event.type === "RevisionCommitted")?.event;
  return commit?.type === "RevisionCommitted" ? commit.data.revision : null;
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
  deps: ImportDeps,
  command: Command,
  opened: OpenedImport,
  request: ImportRequest,
  { onProgress, ...asker }: ImportRun,
): Promise<ImportedCatalogue> {
  const { context } = deps;
  const { catalogueId, name: catalogueName, lastRevision: revision } = opened.catalogue;
  const store = createImportProgressStore(context.pool);
  let tally: ImportTally = NOTHING_IMPORTED;
  const follow = (progress: ImportProgress): void => {
    ({ tally } = progress);
    onProgress(progress);
  };
  const keep = (latest: ImportTally) => store.keep(catalogueId, revision, latest);
  const keeping = keepProgress(keep, () => tally, context.logger);
  let hasEnded = true;
  try {
    const run = { ...asker, onProgress: follow };
    const written = await writeImport(deps, command, opened, request, run);
    return { catalogueId, catalogueName, ...written };
  } catch (cause) {
    hasEnded = await failImport(context, command, opened.catalogue, {
      tally,
      failure: failureOf(cause, asker.signal),
      waits: !(cause instanceof RetryLater),
    });
    throw new ImportFailed(catalogueId, cause);
  } finally {
    await keeping.close();
    // A leftover row is overwritten by the catalogue's next import.
    if (hasEnded) await store.remove(catalogueId, revision).catch(() => undefined);
  }
}

/** False when it could not be ended; the sweep will end it, with the stored progress. */
export async function failImport(
  context: CommandContext,
  command: Command,
  { catalogueId, lastRevision: revision }: ExistingCatalogue,
  {
    waits = true,
    ...how
  }: {
    tally: ImportTally;
    failure: ReturnType<typeof failureOf>;
    /** Until its end is visible. */
    waits?: boolean;
  },
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

type WrittenImport = Pick<ImportedCatalogue, "tally" | "version">;

/**
 * Writes the open revision of an import from the agency's events and commits it when it is complete.
 * @throws AgencyFailed; Refusal NOT_FOUND, CONFLICT; the signal's reason
 */
async function writeImport(
  { context, importer }: ImportDeps,
  command: Command,
  { catalogue, position }: OpenedImport,
  { agency, window, filters, regionArea, detail, updateExisting }: ImportRequest,
  run: ImportRun,
): Promise<WrittenImport> {
  // From then on, events that an earlier abandoned revision had superseded can be found again.
  await untilCurrent(context, "catalogues", position);
  const base = await baseOf(context, catalogue);
  const { catalogueId: id, bounds, eventCount, lastRevision: nextVersion } = catalogue;
  const task = {
    agency,
    query: { ...filters, regionArea, startTime: window.start, endTime: window.end, detail },
    target: { ...base, id, nextVersion, bounds, hasEvents: eventCount > 0, updateExisting },
    nowMs: context.now().getTime(),
  };
  return importer.run(task, run, async (running) => {
    const written = await commitWritten(context, command, { catalogue, base }, running);
    return { tally: written.end.tally, version: written.version };
  });
}

/** The end of a run that has got what it asked for. */
export type Imported = Extract<ImportEnd, { outcome: "imported" }>;

/** @throws AgencyFailed */
export async function importedOf(end: Promise<ImportEnd>): Promise<Imported> {
  const ended = await end;
  if (ended.outcome === "failed") throw new AgencyFailed(ended.code, ended.message);
  return ended;
}

/**
 * Writes the chunks of an import's open revision and commits it, or ends it without a version where nothing changed.
 * @param check refuses by the catalogue's state at the commit
 * @throws AgencyFailed; Refusal NOT_FOUND, CONFLICT; refusals of `check`
 */
export async function commitWritten(
  context: CommandContext,
  command: Command,
  { catalogue, base }: { readonly catalogue: ExistingCatalogue; readonly base: BaseVersion },
  { chunks: changes, end }: Pick<RevisionContent, "chunks"> & Pick<ChunkStream<ImportEnd>, "end">,
  check: (state: CatalogueState) => void = () => {},
): Promise<{ readonly version: number; readonly end: Imported }> {
  const { catalogueId, lastRevision: revision, version: before } = catalogue;
  const { contentHash, ...written } = await appendChunks(context, command, catalogue, changes);
  const ended = await importedOf(end());
  const { tally, changes: made } = ended;
  const bounds = await boundsAfter(context, catalogue.bounds, base, made);
  const { added, updated, removed } = made;
  const commit = { revision, ...written, added, updated, removed, bounds, contentHash };
  const { state, position } = await decideOnCatalogue(context, command, catalogueId, (present) => {
    check(present);
    return completeImport(present, { commit, tally });
  });
  await context.untilVisible("catalogues", position);
  return { version: state.status === "existing" ? state.version : before, end: ended };
}
