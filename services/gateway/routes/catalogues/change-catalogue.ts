import { Refusal } from "#contracts/errors.ts";
import {
  deleteCatalogueCommand,
  updateCatalogueCommand,
} from "#services/commands/catalogues/change-catalogue.ts";
import { mayOwn } from "#services/domain/catalogue/rights.ts";
import { catalogueUnchanged } from "../../http/headers/etag.ts";
import { requireLicense } from "../../http/require-license.ts";
import type { MakeHandler } from "../make-handler.ts";

export const updateCatalogueHandler: MakeHandler<"updateCatalogue"> =
  ({ context }) =>
  async ({ params, body, actor, facts, command, ifMatch }) => {
    const { name, is_public: isPublic, publishHistory, access, editing, metadata } = body;
    const given = [name, isPublic, access, editing, metadata];
    const isEmpty = given.every((one) => one === undefined);
    if (isEmpty) throw new Refusal("MISSING_NAME");
    requireLicense(metadata);
    const change = {
      isByOwner: facts !== null && mayOwn(actor.role, facts),
      ...(name !== undefined && { name }),
      ...(isPublic !== undefined && { isPublic }),
      ...(access !== undefined && { access }),
      ...(editing !== undefined && { editing }),
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
