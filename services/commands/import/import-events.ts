import type { Logger } from "pino";
import { type ImportTally, NOTHING_IMPORTED } from "#contracts/import-run.ts";
import { createImportProgressStore } from "#infra/jobs/import-progress.ts";
import { repeat } from "#infra/kernel/repeat.ts";
import { existing } from "#services/domain/catalogue/decide.ts";
import { loadCatalogue, untilVisible } from "../catalogues/catalogue-decision.ts";
import { catalogueIdOf } from "../catalogues/create-catalogue.ts";
import { takeBackRevision } from "../catalogues/take-back-revision.ts";
import type { Command, CommandContext } from "../context.ts";
import { failureOf, ImportFailed } from "./import-failure.ts";
import type { ImportProgress } from "./importer.ts";
import {
  type CompletedImport,
  earlierImport,
  type ImportRequest,
  type OpenedImport,
  openImport,
} from "./open-import.ts";
import { type ImportDeps, type ImportRun, writeImport } from "./write-import.ts";

export type ImportedCatalogue = {
  readonly catalogueId: string;
  readonly catalogueName: string;
  /** 0 before the first version. */
  readonly version: number;
  readonly tally: ImportTally;
};

/**
 * Imports matching events of the agency into a catalogue by one new revision; an import without any
 * change makes none. Once begun, the run appears in the history, whatever its outcome. A retried
 * command whose import was completed does nothing.
 * @throws Refusal NOT_FOUND, CONFLICT, MISSING_NAME, NAME_TOO_LONG, VALIDATION_ERROR before it has
 * begun; ImportFailed afterwards
 */
export async function importEventsCommand(
  deps: ImportDeps,
  command: Command,
  request: ImportRequest,
  run: ImportRun,
): Promise<ImportedCatalogue> {
  const { context, importer } = deps;
  const catalogueId = request.catalogueId ?? catalogueIdOf(command);
  const earlier = await earlierImport(context, command, catalogueId);
  if (earlier !== null) return completed(context, catalogueId, earlier);
  const first = { ...command, retried: false };
  return context.revisionsInProgress.during(catalogueId, async () => {
    const opened = await openImport(context, first, catalogueId, importer.agency, request);
    return runOpened(deps, first, opened, request, run);
  });
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
    hasEnded = await fail(context, command, opened, {
      tally,
      failure: failureOf(cause, asker.signal),
    });
    throw new ImportFailed(catalogueId, cause);
  } finally {
    await keeping.close();
    // A leftover row is overwritten by the catalogue's next import.
    if (hasEnded) await store.remove(catalogueId, revision).catch(() => undefined);
  }
}

/** False when it could not be ended; the sweep will end it, with the stored progress. */
async function fail(
  context: CommandContext,
  command: Command,
  { catalogue: { catalogueId, lastRevision: revision } }: OpenedImport,
  how: { tally: ImportTally; failure: ReturnType<typeof failureOf> },
): Promise<boolean> {
  try {
    const abandoned = { revision, reason: "its import failed", ...how };
    const position = await takeBackRevision(context, command, catalogueId, abandoned);
    // The first error is the one reported, even if the history shows it later.
    await untilVisible(context, position).catch(() => undefined);
    return true;
  } catch (error) {
    context.logger.warn({ err: error, catalogueId, revision }, "import left open");
    return false;
  }
}

async function completed(
  context: CommandContext,
  catalogueId: string,
  { tally, version, position }: CompletedImport,
): Promise<ImportedCatalogue> {
  await untilVisible(context, position);
  const { state } = await loadCatalogue(context, catalogueId);
  const catalogue = existing(state);
  return {
    catalogueId,
    catalogueName: catalogue.name,
    version: version ?? catalogue.version,
    tally,
  };
}

const KEEP_MS = 1_000;

/** Stores an import's progress about every second, until closed, so that it survives a crash. */
function keepProgress(
  keep: (tally: ImportTally) => Promise<unknown>,
  latest: () => ImportTally,
  logger: Pick<Logger, "warn">,
) {
  let kept = latest();
  const keepNews = async (): Promise<void> => {
    const tally = latest();
    if (tally === kept) return;
    kept = tally;
    await keep(tally);
  };
  return repeat(KEEP_MS, keepNews, (error) =>
    logger.warn({ err: error }, "the progress of an import cannot be kept"),
  );
}
