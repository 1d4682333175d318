import type { DatabasePool } from "slonik";
import { Refusal } from "#contracts/errors.ts";
import type { Operations } from "#contracts/http/operations.ts";
import type { Lookups } from "#infra/postgres/statements.ts";
import { catalogueById } from "#projections/queries/catalogues/catalogue-queries.ts";
import { listShares } from "#projections/queries/catalogues/share-queries.ts";
import {
  endShareCommand,
  shareCatalogueCommand,
} from "#services/commands/catalogues/share-catalogue.ts";
import type { CommandContext } from "#services/commands/context.ts";
import type { Handler } from "../../http/handler.ts";

type CreateDeps = { readonly commands: CommandContext; readonly publicBaseUrl: string };

export function createShareHandler({
  commands,
  publicBaseUrl,
}: CreateDeps): Handler<Operations["createShare"]> {
  return async ({ params, body, command }) => {
    const { label = null, expiresInDays = null } = body;
    const wanted = { label, expiresInDays };
    const made = await shareCatalogueCommand(commands, command, params.id, wanted);
    const shares = await listShares(commands.pool, params.id);
    const share = shares.find(({ id }) => id === made.shareId);
    if (share === undefined) throw new Refusal("NOT_FOUND", "The share was ended meanwhile");
    return {
      body: { share: { ...share, url: `${publicBaseUrl}/api/share/${made.secret}` } },
      headers: { location: `/api/catalogues/${params.id}/shares` },
      isSecret: true,
    };
  };
}

type ListDeps = { readonly pool: DatabasePool; readonly lookups: Lookups };

export function listSharesHandler({ pool, lookups }: ListDeps): Handler<Operations["listShares"]> {
  return async ({ params }) => {
    const catalogue = await catalogueById(lookups, params.id);
    if (catalogue === null) throw new Refusal("NOT_FOUND", "Catalogue not found");
    return { body: { shares: [...(await listShares(pool, params.id))] } };
  };
}

export function endShareHandler({
  commands,
}: {
  commands: CommandContext;
}): Handler<Operations["endShare"]> {
  return async ({ params, command }) => {
    await endShareCommand(commands, command, params.id, params.shareId);
    return { body: { success: true } };
  };
}
