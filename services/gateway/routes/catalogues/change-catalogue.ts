import { Refusal } from "#contracts/errors.ts";
import {
  deleteCatalogueCommand,
  updateCatalogueCommand,
} from "#services/commands/catalogues/change-catalogue.ts";
import { catalogueUnchanged } from "../../http/etag.ts";
import type { MakeHandler } from "../make-handler.ts";

export const updateCatalogueHandler: MakeHandler<"updateCatalogue"> =
  ({ context }) =>
  async ({ params, body, command, ifMatch }) => {
    const { name, is_public: isPublic, publishHistory } = body;
    if (name === undefined && isPublic === undefined) throw new Refusal("MISSING_NAME");
    const change = {
      ...(name !== undefined && { name }),
      ...(isPublic !== undefined && { isPublic }),
      ...(publishHistory !== undefined && { publishHistory }),
    };
    await updateCatalogueCommand(context, command, params.id, change, catalogueUnchanged(ifMatch));
    return { body: { success: true } };
  };

export const deleteCatalogueHandler: MakeHandler<"deleteCatalogue"> =
  ({ context }) =>
  async ({ params, command, ifMatch }) => {
    await deleteCatalogueCommand(context, command, params.id, catalogueUnchanged(ifMatch));
    return { body: { success: true } };
  };
