import { sql } from "slonik";
import { beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { Refusal } from "#contracts/errors.ts";
import { emailStream } from "#contracts/names.ts";
import { ROLE_PERMISSIONS } from "#contracts/roles.ts";
import { toNewEvents } from "#infra/event-log/domain-events.ts";
import { NO_STREAM } from "#infra/event-log/event-log.ts";
import { emailHmac } from "#infra/security/personal-data.ts";
import { listUsers } from "#projections/queries/accounts/user-queries.ts";
import { loginCommand } from "#services/commands/accounts/login.ts";
import { registerUserCommand } from "#services/commands/accounts/register-user.ts";
import { runSetup } from "#services/setup/run-setup.ts";
import { collectingLogger } from "../../support/logger.ts";
import { newCommand, newEmail, PASSWORD, SOME_NETWORK, useAccounts } from "./use-accounts.ts";

const accounts = useAccounts();
let email: string;

beforeEach(() => {
  email = newEmail();
});

/** One process's setup step, and what it logged. */
async function setup(password = PASSWORD, address = email) {
  const { log: logger, lines } = collectingLogger();
  const administrator = { email: address, password, name: "Admin" };
  const { emailKey } = await runSetup({ ...accounts.context, logger }, administrator);
  return { emailKey, lines };
}

/** The users with the address, once the read model has applied the whole log. */
async function usersOfAddress() {
  await accounts.register("viewer");
  return (await listUsers(accounts.pool, { limit: 1_000 })).rows.filter(
    (user) => user.email === email,
  );
}

describe("the setup step", () => {
  test("the setup step creates an administrator who can log in", async () => {
    const { lines } = await setup();
    expect(lines).toMatchObject([{ msg: "bootstrap administrator created" }]);
    expect(await usersOfAddress()).toMatchObject([
      { role: "admin", is_active: true, name: "Admin" },
    ]);
    expect(
      await loginCommand(
        accounts.context,
        { email, password: PASSWORD, network: SOME_NETWORK },
        1_000,
      ),
    ).not.toBeNull();
  });

  test("the setup step leaves an administrator who is there as it is, password included", async () => {
    await setup();
    const { lines } = await setup("another password");
    expect(lines).toMatchObject([
      { msg: "bootstrap administrator not created: its address has an account" },
    ]);
    expect(await usersOfAddress()).toHaveLength(1);
    const login = (password: string) =>
      loginCommand(accounts.context, { email, password, network: SOME_NETWORK }, 1_000);
    expect(await login(PASSWORD)).not.toBeNull();
    expect(await login("another password")).toBeNull();
  });

  test("the setup step leaves another account of the address as it is", async () => {
    const form = { email, password: PASSWORD, name: "Ana" };
    await registerUserCommand(accounts.context, newCommand(), form);
    await setup();
    expect(await usersOfAddress()).toMatchObject([{ role: "viewer", name: "Ana" }]);
  });

  test("the setup step creates one administrator from two processes at once", async () => {
    await Promise.all([setup(), setup()]);
    expect(await usersOfAddress()).toMatchObject([{ role: "admin" }]);
  });

  test("the setup step creates the administrator although a start before was cut off a moment ago", async () => {
    const hmac = emailHmac(accounts.context.emailKey, email);
    const stream = emailStream(hmac);
    const origin = { commandId: newCommand().id, actor: "system", at: new Date() };
    const data = { emailHmac: hmac, userId: "user_1_cutoff000" };
    const reserved = toNewEvents(stream, 0, [{ type: "EmailReserved", data }], origin);
    await accounts.log.append(stream, NO_STREAM, reserved);
    await setup();
    expect(await usersOfAddress()).toMatchObject([{ role: "admin" }]);
  });

  test("the setup step refuses an administrator without a valid address", async () => {
    await expect(setup(PASSWORD, "nobody")).rejects.toThrow(Refusal);
  });

  test("the setup step never logs the address, the name or the password", async () => {
    const lines = [...(await setup()).lines, ...(await setup()).lines];
    const text = JSON.stringify(lines);
    for (const secret of [email, PASSWORD, 'Admin"']) expect(text).not.toContain(secret);
  });

  test("the setup step makes one key of 32 bytes, whoever asks and however often", async () => {
    const runs = await Promise.all([setup(), setup(), setup()]);
    const keys = new Set(runs.map(({ emailKey }) => emailKey.export().toString("hex")));
    expect([...keys]).toEqual([expect.stringMatching(/^[0-9a-f]{64}$/)]);
  });

  test("the setup step stores the definition of every role", async () => {
    await setup();
    const definitions = await accounts.pool.any(
      sql.type(z.object({ role: z.string(), permissions: z.array(z.string()) }))`
        select role, permissions from vault.role_definitions`,
    );
    const stored = Object.fromEntries(definitions.map((row) => [row.role, row.permissions]));
    expect(stored).toEqual(ROLE_PERMISSIONS);
  });
});
