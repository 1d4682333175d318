import { Refusal } from "#contracts/errors.ts";
import type { Operations } from "#contracts/http/operations.ts";
import { deleteCatalogueCommand } from "#services/commands/catalogues/delete-catalogue.ts";
import { updateCatalogueCommand } from "#services/commands/catalogues/update-catalogue.ts";
import type { CommandContext } from "#services/commands/context.ts";
import { catalogueUnchanged } from "../../http/etag.ts";
import type { Handler } from "../../http/handler.ts";

export function updateCatalogueHandler(deps: {
  commands: CommandContext;
}): Handler<Operations["updateCatalogue"]> {
  return async ({ params, body, command, ifMatch }) => {
    const { name, is_public: isPublic, publishHistory } = body;
    if (name === undefined && isPublic === undefined) throw new Refusal("MISSING_NAME");
    const change = {
      ...(name !== undefined && { name }),
      ...(isPublic !== undefined && { isPublic }),
      ...(publishHistory !== undefined && { publishHistory }),
    };
    await updateCatalogueCommand(
      deps.commands,
      command,
      params.id,
      change,
      catalogueUnchanged(ifMatch),
    );
    return { body: { success: true } };
  };
}

export function deleteCatalogueHandler(deps: {
  commands: CommandContext;
}): Handler<Operations["deleteCatalogue"]> {
  return async ({ params, command, ifMatch }) => {
    await deleteCatalogueCommand(deps.commands, command, params.id, catalogueUnchanged(ifMatch));
    return { body: { success: true } };
  };
}
