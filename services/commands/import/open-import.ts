import type { ImportTally } from "#contracts/import-run.ts";
import { catalogueStream } from "#contracts/names.ts";
import { deriveEventId } from "#infra/event-log/domain-events.ts";
import type { Position } from "#infra/event-log/event-log.ts";
import { createCatalogue, existing, openRevision } from "#services/domain/catalogue/decide.ts";
import { type StartImport, startImport } from "#services/domain/catalogue/imports.ts";
import { type ExistingCatalogue, evolve } from "#services/domain/catalogue/state.ts";
import { decideOnCatalogue, loadCatalogue } from "../catalogues/catalogue-decision.ts";
import { eventsOfEarlierRun } from "../catalogues/earlier-run.ts";
import type { Command, CommandContext } from "../context.ts";

export type ImportRequest = Omit<StartImport, "importId" | "worker" | "agency"> & {
  /** Null for a new catalogue. */
  readonly catalogueId: string | null;
  /** Name of the new catalogue. */
  readonly name: string;
};

export type OpenedImport = {
  readonly catalogue: ExistingCatalogue;
  readonly position: Position | null;
};

/**
 * Begins the run: opens its revision, creating the catalogue when none is named. A catalogue created
 * by an earlier run of the command exists already.
 * @throws Refusal NOT_FOUND, CONFLICT (another revision is open), MISSING_NAME, NAME_TOO_LONG,
 * VALIDATION_ERROR
 */
export async function openImport(
  context: CommandContext,
  command: Command,
  catalogueId: string,
  agency: string,
  { catalogueId: named, name, ...run }: ImportRequest,
): Promise<OpenedImport> {
  const { worker } = context;
  const create = { catalogueId, name, isPublic: false, createdBy: command.actor };
  const { state, position } = await decideOnCatalogue(context, command, catalogueId, (before) => {
    const isNew = named === null && before.status === "absent";
    const created = isNew ? createCatalogue(before, create) : [];
    const present = existing(created.reduce(evolve, before));
    const stream = `${catalogueStream(catalogueId)}-import`;
    const importId = deriveEventId(command.id, stream, present.lastRevision + 1);
    return [...created, ...startImport(present, { importId, worker, agency, ...run })];
  });
  return { catalogue: existing(state), position };
}

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
  const { state } = await loadCatalogue(context, catalogueId);
  if (retried) existing(state);
  else openRevision(state, { cause: "import", worker: context.worker });
}

export type CompletedImport = {
  readonly tally: ImportTally;
  /** Null when the import changed nothing. */
  readonly version: number | null;
  readonly position: Position;
};

/**
 * The import completed by an earlier run of `command`, or null. An interrupted import ends here as
 * failed: if its run is still alive, it can no longer commit.
 */
export async function earlierImport(
  context: CommandContext,
  command: Command,
  catalogueId: string,
): Promise<CompletedImport | null> {
  if (!command.retried) return null;
  const written = await eventsOfEarlierRun(context, command, catalogueId, "its run did not end");
  const commit = written.find(({ event }) => event.type === "RevisionCommitted")?.event;
  const version = commit?.type === "RevisionCommitted" ? commit.data.revision : null;
  for (const { event, position } of written) {
    if (event.type === "ImportCompleted") return { tally: event.data.tally, version, position };
  }
  return null;
}
