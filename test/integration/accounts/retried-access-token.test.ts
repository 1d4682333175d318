import { expect, test } from "vitest";
import { tokenHa1, tokenSecretHash } from "#infra/security/access-token.ts";
import {
  listAccessTokens,
  readAccessToken,
} from "#projections/queries/accounts/access-token-queries.ts";
import { createAccessTokenCommand } from "#services/commands/accounts/access-tokens.ts";
import { newCommand, useAccounts } from "./use-accounts.ts";

const accounts = useAccounts();
const FORM = { name: "A script", scopes: ["read" as const], catalogues: null, expiresInDays: 1 };

test("an access token whose answer was lost is replaced when the command is sent again", async () => {
  const { context, pool } = accounts;
  const { userId } = await accounts.register("viewer");
  const command = newCommand(userId);
  const lost = await createAccessTokenCommand(context, command, userId, FORM);
  const again = { ...command, retried: true };
  const made = await createAccessTokenCommand(context, again, userId, FORM);
  expect(made.secret).not.toBe(lost.secret);
  const tokens = await listAccessTokens(pool, userId);
  expect(tokens.map(({ id }) => id)).toEqual([made.tokenId]);
  const ofSecret = (secret: string) =>
    readAccessToken(pool, { secretHash: tokenSecretHash(secret) }, new Date());
  expect(await ofSecret(lost.secret)).toMatchObject({ id: lost.tokenId, isEnded: true });
  expect(await ofSecret(made.secret)).toMatchObject({
    id: made.tokenId,
    ha1: tokenHa1(made.tokenId, made.secret),
    isEnded: false,
  });
});
