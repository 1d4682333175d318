import {
  type UpdateCatalogue,
  updateCatalogue,
} from "#services/domain/catalogue/update-catalogue.ts";
import type { Command, CommandContext } from "../context.ts";
import {
  decideOnCatalogue,
  type Precondition,
  requireTag,
  untilVisible,
} from "./catalogue-decision.ts";

/**
 * Renames a catalogue or changes its visibility.
 * @throws Refusal NOT_FOUND, MISSING_NAME, NAME_TOO_LONG, PRECONDITION_FAILED
 */
export async function updateCatalogueCommand(
  context: CommandContext,
  command: Command,
  catalogueId: string,
  change: UpdateCatalogue,
  precondition: Precondition,
): Promise<void> {
  const { position } = await decideOnCatalogue(context, command, catalogueId, (state) => {
    requireTag(state, precondition);
    return updateCatalogue(state, change);
  });
  await untilVisible(context, position);
}
