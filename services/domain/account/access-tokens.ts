/** Decisions about access tokens: credentials by which scripts speak for an account. */

import { ROLE_OF_SCOPE } from "#contracts/access-scopes.ts";
import type { UserEventData } from "#contracts/domain-events/user-events.ts";
import { Refusal } from "#contracts/errors.ts";
import { roleAtLeast } from "#contracts/roles.ts";
import { existing } from "./decide.ts";
import type { AccountEvent, AccountState } from "./state.ts";

/** Tokens of one account that have neither been ended nor expired. */
const MAX_TOKENS = 100;

export type CreateAccessToken = Omit<UserEventData<"AccessTokenCreated">, "userId"> & {
  /** ISO 8601 UTC. */
  readonly now: string;
  /**
   * The token that an earlier run of the same command may have made. Its secret is lost, so it is ended.
   */
  readonly insteadOf: string | null;
};

/** @throws Refusal NOT_FOUND, FORBIDDEN for a scope above the role, CONFLICT for too many tokens */
export function createAccessToken(
  state: AccountState,
  { now, insteadOf, ...token }: CreateAccessToken,
): AccountEvent[] {
  const { userId, role, tokens } = existing(state);
  const above = token.scopes.find((scope) => !roleAtLeast(role, ROLE_OF_SCOPE[scope]));
  if (above !== undefined) {
    const message = `An access token with the scope ${above} is beyond your role: ${role}`;
    throw new Refusal("FORBIDDEN", message);
  }
  const isReplaced = insteadOf !== null && tokens.has(insteadOf);
  const good = [...tokens.values()].filter((expiresAt) => expiresAt > now);
  if (!isReplaced && good.length >= MAX_TOKENS) {
    throw new Refusal("CONFLICT", `You have ${MAX_TOKENS} access tokens already`);
  }
  const created: AccountEvent = { type: "AccessTokenCreated", data: { userId, ...token } };
  return [...(isReplaced ? endAccessToken(state, insteadOf) : []), created];
}

/**
 * Ends all tokens that are good still: whoever made them may be somebody else than who holds the account now.
 * @param now ISO 8601 UTC
 */
export function endAccessTokens(state: AccountState, now: string): AccountEvent[] {
  const { userId, tokens } = existing(state);
  const good = [...tokens].filter(([, expiresAt]) => expiresAt > now);
  return good.map(([tokenId]) => ({ type: "AccessTokenEnded", data: { userId, tokenId } }));
}

/** @throws Refusal NOT_FOUND for one that was never there or has been ended */
export function endAccessToken(state: AccountState, tokenId: string): AccountEvent[] {
  const { userId, tokens } = existing(state);
  if (!tokens.has(tokenId)) throw new Refusal("NOT_FOUND", "Access token not found");
  return [{ type: "AccessTokenEnded", data: { userId, tokenId } }];
}
