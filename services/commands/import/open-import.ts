import type { ImportDetail, ImportFilters, ImportWindow } from "#contracts/import-run.ts";
import { catalogueStream } from "#contracts/names.ts";
import { deriveEventId } from "#infra/event-log/domain-events.ts";
import type { Position } from "#infra/event-log/event-log.ts";
import { createCatalogue, existing } from "#services/domain/catalogue/decide.ts";
import { startImport } from "#services/domain/catalogue/imports.ts";
import { type ExistingCatalogue, evolve } from "#services/domain/catalogue/state.ts";
import { decideOnCatalogue } from "../catalogues/catalogue-decision.ts";
import type { Command, CommandContext } from "../context.ts";

export type ImportRequest = {
  /** Null for a new catalogue. */
  readonly catalogueId: string | null;
  /** Name of the new catalogue. */
  readonly name: string;
  readonly window: ImportWindow;
  readonly filters: ImportFilters;
  readonly detail: ImportDetail;
  readonly updateExisting: boolean;
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
