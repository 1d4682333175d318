import { invalid, Refusal } from "#contracts/errors.ts";
import {
  listAccessTokens,
  ownerOfToken,
} from "#projections/queries/accounts/access-token-queries.ts";
import { findUser } from "#projections/queries/accounts/user-queries.ts";
import {
  createAccessTokenCommand,
  endAccessTokenCommand,
} from "#services/commands/accounts/access-tokens.ts";
import { isAdministrator } from "../../auth/authorise.ts";
import type { MakeHandler } from "../make-handler.ts";

export const createTokenHandler: MakeHandler<"createToken"> =
  ({ context }) =>
  async ({ command, actor, body }) => {
    // No access token has fewer catalogues than its owner as long as reads do not ask for that.
    if (body.catalogues) throw invalid("catalogues", "cannot be limited yet");
    const { name, scopes, expiresInDays } = body;
    const form = { name, scopes, catalogues: body.catalogues ?? null, expiresInDays };
    const { userId } = actor;
    const made = await createAccessTokenCommand(context, command, userId, form);
    const tokens = await listAccessTokens(context.pool, userId);
    const token = tokens.find(({ id }) => id === made.tokenId);
    if (token === undefined) throw new Refusal("NOT_FOUND", "The access token was ended meanwhile");
    return {
      body: { token, secret: made.secret },
      headers: { location: "/api/tokens" },
      isSecret: true,
    };
  };

export const listTokensHandler: MakeHandler<"listTokens", "pool" | "lookups"> =
  ({ pool, lookups }) =>
  async ({ actor, query: { user } }) => {
    if (user !== undefined) {
      if (!isAdministrator(actor)) throw new Refusal("FORBIDDEN");
      if ((await findUser(lookups, user)) === null) {
        throw new Refusal("NOT_FOUND", "User not found");
      }
    }
    return { body: { tokens: [...(await listAccessTokens(pool, user ?? actor.userId))] } };
  };

export const endTokenHandler: MakeHandler<"endToken", "context" | "lookups"> =
  ({ context, lookups }) =>
  async ({ command, actor, params }) => {
    const owner = await ownerOfToken(lookups, params.id);
    const isThere = owner === actor.userId || (owner !== null && isAdministrator(actor));
    if (owner === null || !isThere) throw new Refusal("NOT_FOUND", "Access token not found");
    await endAccessTokenCommand(context, command, owner, params.id);
    return { body: { success: true } };
  };
