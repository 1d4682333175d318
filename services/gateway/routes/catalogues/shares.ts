import { Refusal } from "#contracts/errors.ts";
import { catalogueById } from "#projections/queries/catalogues/catalogue-queries.ts";
import { listShares } from "#projections/queries/catalogues/share-queries.ts";
import {
  endShareCommand,
  shareCatalogueCommand,
} from "#services/commands/catalogues/share-catalogue.ts";
import type { MakeHandler } from "../make-handler.ts";

export const createShareHandler: MakeHandler<"createShare", "context" | "publicBaseUrl"> =
  ({ context, publicBaseUrl }) =>
  async ({ params, body, command }) => {
    const { label = null, expiresInDays = null } = body;
    const wanted = { label, expiresInDays };
    const made = await shareCatalogueCommand(context, command, params.id, wanted);
    const shares = await listShares(context.pool, params.id);
    const share = shares.find(({ id }) => id === made.shareId);
    if (share === undefined) throw new Refusal("NOT_FOUND", "The share was ended meanwhile");
    return {
      body: { share: { ...share, url: `${publicBaseUrl}/api/share/${made.secret}` } },
      headers: { location: `/api/catalogues/${params.id}/shares` },
      isSecret: true,
    };
  };

export const listSharesHandler: MakeHandler<"listShares", "pool" | "lookups"> =
  ({ pool, lookups }) =>
  async ({ params, reader }) => {
    const catalogue = await catalogueById(lookups, params.id, reader);
    if (catalogue === null) throw new Refusal("NOT_FOUND", "Catalogue not found");
    return { body: { shares: [...(await listShares(pool, params.id))] } };
  };

export const endShareHandler: MakeHandler<"endShare"> =
  ({ context }) =>
  async ({ params, command }) => {
    await endShareCommand(context, command, params.id, params.shareId);
    return { body: { success: true } };
  };
