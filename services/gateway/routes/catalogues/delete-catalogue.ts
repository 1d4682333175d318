import type { Operations } from "#contracts/http/operations.ts";
import { deleteCatalogueCommand } from "#services/commands/catalogues/delete-catalogue.ts";
import type { CommandContext } from "#services/commands/context.ts";
import type { Handler } from "../../http/handler.ts";
import { catalogueUnchanged } from "../../http/if-match.ts";

export function deleteCatalogueHandler(deps: {
  commands: CommandContext;
}): Handler<Operations["deleteCatalogue"]> {
  return async ({ params, command, ifMatch }) => {
    await deleteCatalogueCommand(deps.commands, command, params.id, catalogueUnchanged(ifMatch));
    return { body: { success: true } };
  };
}
