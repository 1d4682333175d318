import type { CatalogueEvent } from "#contracts/domain-events/catalogue-events.ts";
import {
  type CatalogueState,
  deleteCatalogue,
  type UpdateCatalogue,
  updateCatalogue,
} from "#services/domain/catalogues/catalogue.ts";
import type { Command, CommandContext } from "../context.ts";
import { decideOnCatalogue, type Precondition, requireTag } from "./catalogue-decision.ts";

/**
 * Renames a catalogue or changes its visibility.
 * @throws Refusal NOT_FOUND, MISSING_NAME, NAME_TOO_LONG, PRECONDITION_FAILED
 */
export function updateCatalogueCommand(
  context: CommandContext,
  command: Command,
  catalogueId: string,
  change: UpdateCatalogue,
  precondition: Precondition,
): Promise<void> {
  const decide = (state: CatalogueState) => updateCatalogue(state, change);
  return decideIfUnchanged(context, command, catalogueId, precondition, decide);
}

/**
 * Deletes a catalogue with all its events.
 * @throws Refusal NOT_FOUND, PRECONDITION_FAILED
 */
export function deleteCatalogueCommand(
  context: CommandContext,
  command: Command,
  catalogueId: string,
  precondition: Precondition,
): Promise<void> {
  return decideIfUnchanged(context, command, catalogueId, precondition, deleteCatalogue);
}

async function decideIfUnchanged(
  context: CommandContext,
  command: Command,
  catalogueId: string,
  precondition: Precondition,
  decide: (state: CatalogueState) => CatalogueEvent[],
): Promise<void> {
  const { position } = await decideOnCatalogue(context, command, catalogueId, (state) => {
    requireTag(state, precondition);
    return decide(state);
  });
  await context.untilVisible("catalogues", position);
}
