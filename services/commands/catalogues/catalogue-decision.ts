import type { CatalogueEvent } from "#contracts/domain-events/catalogue-events.ts";
import { catalogueStream, PROJECTIONS } from "#contracts/names.ts";
import type { Position } from "#infra/event-log/event-log.ts";
import { ABSENT, type CatalogueState, evolve } from "#services/domain/catalogue/state.ts";
import type { Command, CommandContext } from "../context.ts";
import { type Decided, type DecisionModel, decideOnStream } from "../decide-on-stream.ts";

export const catalogueModel: DecisionModel<CatalogueState, CatalogueEvent> = {
  initial: ABSENT,
  evolve,
};

/** Decides on one catalogue and appends the events. */
export function decideOnCatalogue(
  context: Pick<CommandContext, "log" | "now">,
  command: Command,
  catalogueId: string,
  decide: (state: CatalogueState) => readonly CatalogueEvent[],
): Promise<Decided<CatalogueState, CatalogueEvent>> {
  return decideOnStream(context, command, catalogueStream(catalogueId), catalogueModel, decide);
}

/**
 * Resolves when the read models have applied the position, so that the client's next read shows the
 * change.
 */
export async function untilVisible(
  context: Pick<CommandContext, "waitFor">,
  position: Position | null,
): Promise<void> {
  if (position !== null) await context.waitFor(PROJECTIONS.catalogues, position);
}
