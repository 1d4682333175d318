import type { CatalogueEvent } from "#contracts/domain-events/catalogue-events.ts";
import { Refusal, RetryLater } from "#contracts/errors.ts";
import { catalogueStream } from "#contracts/names.ts";
import { isBeingUndone, presentRevision } from "#projections/read/edits.ts";
import {
  ABSENT,
  type CatalogueState,
  type ExistingCatalogue,
  evolve,
  existing,
} from "#services/domain/catalogues/catalogue.ts";
import type { BaseVersion } from "../changes/revision-changes.ts";
import { type Command, type CommandContext, untilCurrent } from "../context.ts";
import { type Decided, decideOnStream } from "../decide-on-stream.ts";
import { type DecisionModel, loadState, type StreamState } from "../load-state.ts";

type CatalogueContext = Pick<CommandContext, "log" | "now" | "catalogueStates">;

function modelOf({
  catalogueStates: memory,
}: Pick<CatalogueContext, "catalogueStates">): DecisionModel<CatalogueState, CatalogueEvent> {
  return { initial: ABSENT, evolve, memory };
}

/** The catalogue by the log's present state, independent of the read model. */
export function loadCatalogue(
  context: Pick<CatalogueContext, "log" | "catalogueStates">,
  catalogueId: string,
): Promise<StreamState<CatalogueState>> {
  return loadState(context.log, catalogueStream(catalogueId), modelOf(context));
}

/** Decides on one catalogue and appends the events. */
export function decideOnCatalogue(
  context: CatalogueContext,
  command: Command,
  catalogueId: string,
  decide: (state: CatalogueState) => readonly CatalogueEvent[],
): Promise<Decided<CatalogueState, CatalogueEvent>> {
  return decideOnStream(context, command, catalogueStream(catalogueId), modelOf(context), decide);
}

/** Whether the catalogue is unchanged since the client read it (`If-Match`); null for no condition. */
export type Precondition = ((catalogue: ExistingCatalogue) => boolean) | null;

/** @throws Refusal NOT_FOUND, PRECONDITION_FAILED */
export function requireTag(state: CatalogueState, precondition: Precondition): void {
  const catalogue = existing(state);
  if (precondition && !precondition(catalogue)) {
    throw new Refusal("PRECONDITION_FAILED", "The catalogue has changed since it was read");
  }
}

/**
 * Until a revision that was given up is undone in the read model, events that it had ended cannot be found, and the next
 * one cannot be written.
 * @throws Refusal CONFLICT where that takes a while
 */
export async function requireUndone(
  context: Pick<CommandContext, "log" | "pool" | "untilVisible">,
  catalogueId: string,
  { state, revision }: StreamState<CatalogueState>,
): Promise<void> {
  if (state.status !== "existing" || state.lastRevision === state.version) return;
  const [last] = await context.log.read(catalogueStream(catalogueId), revision, 1);
  await untilCurrent(context, "catalogues", last?.position ?? null);
  if (await isBeingUndone(context.pool, catalogueId)) {
    const told = "An earlier change of this catalogue was given up and is being undone";
    throw new RetryLater("CONFLICT", told, 1);
  }
}

/**
 * The read model at the log's latest version; waits until it has caught up.
 * @throws Refusal NOT_FOUND, CONFLICT
 */
export async function baseOf(
  context: CommandContext,
  { catalogueId, version }: ExistingCatalogue,
): Promise<BaseVersion> {
  const present = await presentRevision(context.pool, catalogueId);
  if (present?.version === version) return present;
  await untilCurrent(context, "catalogues", await context.log.head());
  const caughtUp = await presentRevision(context.pool, catalogueId);
  if (caughtUp === null) throw new Refusal("NOT_FOUND", "Catalogue not found");
  // A parked event blocks the read model, so an edit would be based on outdated events.
  if (caughtUp.version < version) {
    throw new Refusal("CONFLICT", "The catalogue is in error and cannot be changed until repaired");
  }
  return caughtUp;
}
