import { randomBytes } from "node:crypto";
import { sql } from "slonik";
import { expect, test } from "vitest";
import { z } from "zod";
import { forgetOldNetworks, isKnownNetwork } from "#infra/security/vault/known-networks.ts";
import { loginCommand } from "#services/commands/accounts/login.ts";
import { verifyPassword } from "#services/commands/accounts/passwords.ts";
import { PASSWORD, useAccounts } from "./use-accounts.ts";

const accounts = useAccounts();
const DAY = 24 * 60 * 60 * 1_000;
const newTag = () => randomBytes(32);

/** Signs in from a network, days from now. */
async function signIn(email: string, tag: Buffer, days = 0) {
  const context = { ...accounts.context, now: () => new Date(Date.now() + days * DAY) };
  const network = { tag, mustBeKnown: false };
  expect(await loginCommand(context, { email, password: PASSWORD, network }, DAY)).not.toBeNull();
}

const isKnown = (userId: string, networkTag: Buffer, days = 0) =>
  isKnownNetwork(accounts.pool, { userId, networkTag }, new Date(Date.now() + days * DAY));

function countNetworks(userId: string): Promise<number> {
  return accounts.pool.oneFirst(sql.type(z.object({ count: z.number() }))`
    select count(*)::int as count from vault.known_networks where user_id = ${userId}`);
}

test("a network is known to the account that has signed in from there, for 90 days", async () => {
  const [{ userId, email }, other] = [
    await accounts.register("viewer"),
    await accounts.register("viewer"),
  ];
  const home = newTag();
  expect(await isKnown(userId, home)).toBe(false);
  await signIn(email, home);
  expect(await isKnown(userId, home)).toBe(true);
  expect(await isKnown(userId, newTag())).toBe(false);
  expect(await isKnown(other.userId, home)).toBe(false);
  expect(await isKnown(userId, home, 89)).toBe(true);
  expect(await isKnown(userId, home, 91)).toBe(false);
  await signIn(email, home, 60);
  expect(await isKnown(userId, home, 149)).toBe(true);
});

test("twenty networks of an account are kept, those last signed in from", async () => {
  const { userId, email } = await accounts.register("viewer");
  const tags = Array.from({ length: 23 }, newTag);
  const [home = newTag(), ...others] = tags;
  for (const [day, tag] of others.entries()) {
    await signIn(email, tag, day);
    await signIn(email, home, day);
  }
  expect(await countNetworks(userId)).toBe(20);
  expect(await isKnown(userId, home)).toBe(true);
  const known = await Promise.all(others.map((tag) => isKnown(userId, tag)));
  expect(known).toEqual(others.map((_, place) => place >= 3));
});

test("networks that nobody has signed in from for 90 days are cleared away", async () => {
  const { userId, email } = await accounts.register("viewer");
  await signIn(email, newTag(), -91);
  await signIn(email, newTag(), -89);
  await forgetOldNetworks(accounts.pool);
  expect(await countNetworks(userId)).toBe(1);
});

test("a password is verified by the same work whether the account or its network is known or not", async () => {
  const { userId, email } = await accounts.register("viewer");
  const home = newTag();
  await signIn(email, home);
  const { password_hash: passwordHash } = await accounts.pool.one(
    sql.type(z.object({ password_hash: z.string() }))`
      select password_hash from vault.credentials where user_id = ${userId}`,
  );
  async function workOf(holder: { userId: string; passwordHash: string } | null, tag: Buffer) {
    const work: string[] = [];
    const { context } = accounts;
    const matches = await verifyPassword(
      {
        now: context.now,
        lookups: {
          maybeOne: (query) => {
            work.push("lookup");
            return context.lookups.maybeOne(query);
          },
        },
        passwords: {
          ...context.passwords,
          verify: (hash, password) => {
            work.push("verification");
            return context.passwords.verify(hash, password);
          },
        },
      },
      holder,
      PASSWORD,
      { tag, mustBeKnown: true },
    );
    return { matches, work };
  }
  const work = ["lookup", "verification"];
  expect(await workOf({ userId, passwordHash }, home)).toEqual({ matches: true, work });
  expect(await workOf({ userId, passwordHash }, newTag())).toEqual({ matches: false, work });
  expect(await workOf(null, home)).toEqual({ matches: false, work });
});
