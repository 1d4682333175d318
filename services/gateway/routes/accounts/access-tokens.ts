import { invalid, Refusal } from "#contracts/errors.ts";
import type { Lookups } from "#infra/postgres/statements.ts";
import {
  listAccessTokens,
  ownerOfToken,
} from "#projections/queries/accounts/access-token-queries.ts";
import { findUser } from "#projections/queries/accounts/user-queries.ts";
import { type Reader, thereAmong } from "#projections/queries/rights/reader-rights.ts";
import {
  createAccessTokenCommand,
  endAccessTokenCommand,
} from "#services/commands/accounts/access-tokens.ts";
import { isUserId } from "#services/domain/account/account-fields.ts";
import { requireAdministrator } from "../../auth/authorise.ts";
import type { MakeHandler } from "../make-handler.ts";

export const createTokenHandler: MakeHandler<"createToken", "context" | "lookups"> =
  ({ context, lookups }) =>
  async ({ command, actor, reader, body }) => {
    const { userId } = actor;
    const { name, scopes, expiresInDays, catalogues = null } = body;
    await requireThere(lookups, catalogues ?? [], reader);
    const form = { name, scopes, catalogues, expiresInDays };
    const made = await createAccessTokenCommand(context, command, actor, form);
    const tokens = await listAccessTokens(context.pool, userId);
    const token = tokens.find(({ id }) => id === made.tokenId);
    if (token === undefined) throw new Refusal("NOT_FOUND", "The access token was ended meanwhile");
    return {
      body: { token, secret: made.secret },
      headers: { location: "/api/tokens" },
      isSecret: true,
    };
  };

/** @throws Refusal VALIDATION_ERROR for a catalogue that is not there for the reader */
async function requireThere(
  lookups: Lookups,
  ids: readonly string[],
  reader: Reader,
): Promise<void> {
  const there = await thereAmong(lookups, ids, reader);
  const missing = ids.find((id) => !there.has(id));
  if (missing !== undefined) throw invalid("catalogues", `there is no catalogue ${missing}`);
}

export const listTokensHandler: MakeHandler<"listTokens", "pool" | "lookups"> =
  ({ pool, lookups }) =>
  async ({ actor, query: { user } }) => {
    if (user !== undefined) {
      requireAdministrator(actor);
      if (!isUserId(user) || (await findUser(lookups, user)) === null) {
        throw new Refusal("NOT_FOUND", "User not found");
      }
    }
    return { body: { tokens: [...(await listAccessTokens(pool, user ?? actor.userId))] } };
  };

export const endTokenHandler: MakeHandler<"endToken", "context" | "lookups"> =
  ({ context, lookups }) =>
  async ({ command, actor, params }) => {
    const owner = await ownerOfToken(lookups, params.id);
    const isThere = owner === actor.userId || (owner !== null && actor.role === "admin");
    if (owner === null || !isThere) throw new Refusal("NOT_FOUND", "Access token not found");
    await endAccessTokenCommand(context, command, owner, params.id);
    return { body: { success: true } };
  };
