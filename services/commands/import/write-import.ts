import type { Bounds } from "#contracts/domain-events/catalogue-events.ts";
import { ApiError } from "#contracts/errors.ts";
import type { ImportTally } from "#contracts/import-run.ts";
import { mergeBounds } from "#contracts/seismic-event/bounds.ts";
import { boundsWithout } from "#projections/queries/edit-queries.ts";
import { completeImport } from "#services/domain/catalogue/imports.ts";
import type { ExistingCatalogue } from "#services/domain/catalogue/state.ts";
import { appendChunks } from "../catalogues/append-chunks.ts";
import { baseOf } from "../catalogues/base-version.ts";
import { decideOnCatalogue, untilVisible } from "../catalogues/catalogue-decision.ts";
import type { BaseVersion } from "../catalogues/edit.ts";
import type { Command, CommandContext } from "../context.ts";
import type { ImportedChanges } from "./import-changes.ts";
import type { Importer, ImportProgress, RunningImport } from "./importer.ts";
import type { ImportRequest, OpenedImport } from "./open-import.ts";

export type ImportDeps = { readonly context: CommandContext; readonly importer: Importer };

export type ImportRun = {
  /** Gives the import up: nothing of it stays but its run in the history. */
  readonly signal: AbortSignal;
  readonly onProgress: (progress: ImportProgress) => void;
};

export type WrittenImport = {
  readonly tally: ImportTally;
  /** The version that shows it; the one before where nothing has changed. */
  readonly version: number;
};

/**
 * Writes the open revision of an import from what the agency gives, and commits it once all of it is
 * there.
 * @throws ApiError AGENCY_…, CIRCUIT_OPEN; Refusal not-found, conflict; the signal's reason
 */
export async function writeImport(
  { context, importer }: ImportDeps,
  command: Command,
  { catalogue, position }: OpenedImport,
  { window, filters, detail, updateExisting }: ImportRequest,
  run: ImportRun,
): Promise<WrittenImport> {
  // What a revision given up before had superseded can be found again from then on.
  await untilVisible(context, position);
  const base = await baseOf(context, catalogue);
  const { bounds, eventCount } = catalogue;
  const task = {
    query: { ...filters, startTime: window.start, endTime: window.end, detail },
    target: { ...base, bounds, hasEvents: eventCount > 0, updateExisting },
    nowMs: context.now().getTime(),
  };
  return importer.run(task, run, (running) =>
    commitWritten(context, command, catalogue, base, running),
  );
}

async function commitWritten(
  context: CommandContext,
  command: Command,
  catalogue: ExistingCatalogue,
  base: BaseVersion,
  { chunks: changes, end }: RunningImport,
): Promise<WrittenImport> {
  const { catalogueId, lastRevision: revision, version: before } = catalogue;
  const { chunks, hash: contentHash } = await appendChunks(context, command, catalogue, changes);
  const ended = await end();
  if (ended.outcome === "failed") throw new ApiError(ended.code, ended.message);
  const { tally, changes: made } = ended;
  const bounds = await boundsAfter(context, catalogue, base, made);
  const { added, updated } = made;
  const commit = { revision, chunks, added, updated, removed: 0, bounds, contentHash };
  const { state, position } = await decideOnCatalogue(context, command, catalogueId, (present) =>
    completeImport(present, { commit, tally }),
  );
  await untilVisible(context, position);
  return { tally, version: state.status === "existing" ? state.version : before };
}

/** Those bounds are looked up anew on which an event lay that was updated. */
async function boundsAfter(
  { pool }: CommandContext,
  catalogue: ExistingCatalogue,
  base: BaseVersion,
  { bounds, touched, updatedIds }: ImportedChanges,
): Promise<Bounds> {
  const shrunk = await boundsWithout(pool, base, updatedIds, touched);
  return mergeBounds({ ...catalogue.bounds, ...shrunk }, bounds);
}
