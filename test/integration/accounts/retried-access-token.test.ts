import { expect, test } from "vitest";
import { tokenHa1, tokenSecretHash } from "#infra/security/access-token.ts";
import { endSessions } from "#infra/security/vault/sessions.ts";
import {
  listAccessTokens,
  readAccessToken,
} from "#projections/queries/accounts/access-token-queries.ts";
import { createAccessTokenCommand } from "#services/commands/accounts/access-tokens.ts";
import { makerOf, newCommand, useAccounts } from "./use-accounts.ts";

const accounts = useAccounts();
const FORM = { name: "A script", scopes: ["read" as const], catalogues: null, expiresInDays: 1 };

test("an access token whose answer was lost is replaced when the command is sent again", async () => {
  const { context, pool } = accounts;
  const maker = await makerOf(accounts);
  const { userId } = maker;
  const command = newCommand(userId);
  const lost = await createAccessTokenCommand(context, command, maker, FORM);
  const again = { ...command, retried: true };
  const made = await createAccessTokenCommand(context, again, maker, FORM);
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

test("an access token that is made while its session ends has ended with it", async () => {
  const { context, pool } = accounts;
  const maker = await makerOf(accounts);
  const { userId } = maker;
  const untilVisible: typeof context.untilVisible = async (projection, position) => {
    await context.untilVisible(projection, position);
    await endSessions(pool, userId, new Date());
  };
  const meanwhile = { ...context, untilVisible };
  const making = createAccessTokenCommand(meanwhile, newCommand(userId), maker, FORM);
  await expect(making).rejects.toMatchObject({ code: "UNAUTHENTICATED" });
  await context.untilVisible("users", await context.log.head());
  expect(await listAccessTokens(pool, userId)).toEqual([]);
});
