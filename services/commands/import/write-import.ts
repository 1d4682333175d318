import type { ImportTally } from "#contracts/import-run.ts";
import type { Asker } from "#infra/kernel/asker.ts";
import { completeImport } from "#services/domain/catalogue/imports.ts";
import type { ExistingCatalogue } from "#services/domain/catalogue/state.ts";
import { baseOf, decideOnCatalogue, untilVisible } from "../catalogues/catalogue-decision.ts";
import { appendChunks } from "../catalogues/write-revision.ts";
import { type BaseVersion, boundsAfter } from "../changes/changes.ts";
import type { Command, CommandContext } from "../context.ts";
import { AgencyFailed } from "./import-failure.ts";
import type { Importer, ImportProgress, RunningImport } from "./importer.ts";
import type { ImportRequest, OpenedImport } from "./open-import.ts";

export type ImportDeps = { readonly context: CommandContext; readonly importer: Importer };

/** Its signal cancels the import; only its run in the history remains. */
export type ImportRun = Asker & {
  readonly onProgress: (progress: ImportProgress) => void;
};

export type WrittenImport = {
  readonly tally: ImportTally;
  /** The resulting version; the previous one when nothing changed. */
  readonly version: number;
};

/**
 * Writes the open revision of an import from the agency's events and commits it when it is complete.
 * @throws AgencyFailed; Refusal NOT_FOUND, CONFLICT; the signal's reason
 */
export async function writeImport(
  { context, importer }: ImportDeps,
  command: Command,
  { catalogue, position }: OpenedImport,
  { window, filters, detail, updateExisting }: ImportRequest,
  run: ImportRun,
): Promise<WrittenImport> {
  // From then on, events that an earlier abandoned revision had superseded can be found again.
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
  if (ended.outcome === "failed") throw new AgencyFailed(ended.code, ended.message);
  const { tally, changes: made } = ended;
  const bounds = await boundsAfter(context, catalogue.bounds, base, made);
  const { added, updated, removed } = made;
  const commit = { revision, chunks, added, updated, removed, bounds, contentHash };
  const { state, position } = await decideOnCatalogue(context, command, catalogueId, (present) =>
    completeImport(present, { commit, tally }),
  );
  await untilVisible(context, position);
  return { tally, version: state.status === "existing" ? state.version : before };
}
