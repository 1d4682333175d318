import { deleteCatalogue } from "#services/domain/catalogue/decide.ts";
import type { Command, CommandContext } from "../context.ts";
import {
  decideOnCatalogue,
  type Precondition,
  requireTag,
  untilVisible,
} from "./catalogue-decision.ts";

/**
 * Deletes a catalogue with all its events.
 * @throws Refusal NOT_FOUND, PRECONDITION_FAILED
 */
export async function deleteCatalogueCommand(
  context: CommandContext,
  command: Command,
  catalogueId: string,
  precondition: Precondition,
): Promise<void> {
  const { position } = await decideOnCatalogue(context, command, catalogueId, (state) => {
    requireTag(state, precondition);
    return deleteCatalogue(state);
  });
  await untilVisible(context, position);
}
