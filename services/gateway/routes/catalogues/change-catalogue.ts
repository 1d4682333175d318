import { Refusal } from "#contracts/errors.ts";
import {
  deleteCatalogueCommand,
  updateCatalogueCommand,
} from "#services/commands/catalogues/change-catalogue.ts";
import { catalogueUnchanged } from "../../http/headers/etag.ts";
import { requireLicense } from "../../http/require-license.ts";
import type { MakeHandler } from "../make-handler.ts";

export const updateCatalogueHandler: MakeHandler<"updateCatalogue"> =
  ({ context }) =>
  async ({ params, body, command, ifMatch }) => {
    const { name, is_public: isPublic, publishHistory, metadata } = body;
    const isEmpty = name === undefined && isPublic === undefined && metadata === undefined;
    if (isEmpty) throw new Refusal("MISSING_NAME");
    requireLicense(metadata);
    const change = {
      ...(name !== undefined && { name }),
      ...(isPublic !== undefined && { isPublic }),
      ...(publishHistory !== undefined && { publishHistory }),
      ...(metadata !== undefined && { metadata }),
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
