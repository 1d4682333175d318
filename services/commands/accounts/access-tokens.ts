import type { Scope } from "#contracts/access-scopes.ts";
import { Refusal } from "#contracts/errors.ts";
import { TOKEN_NAME_MAX } from "#contracts/http/accounts/access-tokens.ts";
import { DAY_MS } from "#contracts/units.ts";
import { readPersonalKey } from "#infra/vault/credentials.ts";
import { encryptPersonal } from "#infra/vault/personal-data.ts";
import { newTokenSecret, tokenHa1, tokenSecretHash } from "#infra/vault/tokens.ts";
import { readSession } from "#projections/read/accounts.ts";
import { createAccessToken, endAccessToken } from "#services/domain/accounts/account.ts";
import { shortName } from "#services/domain/texts/short-text.ts";
import type { Command, CommandContext } from "../context.ts";
import type { AccountContext } from "./account-context.ts";
import { decideOnAccount } from "./account-decision.ts";

export type AccessTokenForm = {
  readonly name: string;
  readonly scopes: Scope[];
  /** Ids of catalogues; null for no limit. */
  readonly catalogues: string[] | null;
  readonly expiresInDays: number;
};

type Maker = { readonly userId: string; readonly sessionId: string };

/**
 * Makes an access token of a session's user. Its secret is returned this once; only its SHA-256 and its HA1 are
 * stored.
 * @throws Refusal MISSING_NAME, VALIDATION_ERROR, FORBIDDEN, CONFLICT, NOT_FOUND, UNAUTHENTICATED
 */
export async function createAccessTokenCommand(
  context: CommandContext & Pick<AccountContext, "lookups">,
  command: Command,
  { userId, sessionId }: Maker,
  { name, scopes, catalogues, expiresInDays }: AccessTokenForm,
): Promise<{ readonly tokenId: string; readonly secret: string }> {
  const now = context.now();
  const key = await readPersonalKey(context.pool, userId);
  if (key === null) throw new Refusal("NOT_FOUND", "User not found");
  const secret = newTokenSecret();
  const tokenId = command.retried ? context.newId() : command.id;
  const token = {
    tokenId,
    nameEncrypted: encryptPersonal(key, shortName(name, TOKEN_NAME_MAX)),
    scopes,
    catalogues,
    secretHash: tokenSecretHash(secret),
    ha1Encrypted: encryptPersonal(key, tokenHa1(tokenId, secret)),
    expiresAt: new Date(now.getTime() + expiresInDays * DAY_MS).toISOString(),
    now: now.toISOString(),
    insteadOf: command.retried ? command.id : null,
  };
  // A command of its own id: a repetition makes another secret, so it may not find the first run's.
  const { position } = await decideOnAccount(
    { ...context, now: () => now },
    { ...command, id: tokenId, retried: false },
    userId,
    (state) => createAccessToken(state, token),
  );
  await context.untilVisible("users", position);
  // Whoever reset the password meanwhile has ended the session, and after it all tokens that were made by then.
  const session = { sessionId, userId, now: context.now() };
  if ((await readSession(context.lookups, session)) === null) {
    await decideOnAccount(context, { ...command, id: context.newId() }, userId, (state) =>
      state.status === "existing" && state.tokens.has(tokenId)
        ? endAccessToken(state, tokenId)
        : [],
    );
    throw new Refusal("UNAUTHENTICATED");
  }
  return { tokenId, secret };
}

/** Ends an access token of `userId`; it is refused from then on. @throws Refusal NOT_FOUND */
export async function endAccessTokenCommand(
  context: CommandContext,
  command: Command,
  userId: string,
  tokenId: string,
): Promise<void> {
  const { position } = await decideOnAccount(context, command, userId, (state) =>
    endAccessToken(state, tokenId),
  );
  await context.untilVisible("users", position);
}
