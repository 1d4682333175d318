import { sql } from "slonik";
import { beforeEach, expect, test } from "vitest";
import { z } from "zod";
import { Refusal } from "#contracts/errors.ts";
import { emailStream } from "#contracts/events/log.ts";
import { ROLE_PERMISSIONS } from "#contracts/rights.ts";
import { toNewEvents } from "#infra/log/domain-events.ts";
import { NO_STREAM } from "#infra/log/event-log.ts";
import { emailHmac } from "#infra/vault/personal-data.ts";
import { listUsers } from "#projections/read/accounts.ts";
import { loginCommand, resetPasswordCommand } from "#services/accounts/passwords.ts";
import { registerUserCommand } from "#services/accounts/registration.ts";
import { runSetup } from "#services/open-accounts.ts";
import { cli } from "../../support/cli.ts";
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
  const { rows } = await listUsers(accounts.pool, { limit: 1_000 });
  return rows.filter((user) => user.email === email);
}

const login = (password: string) =>
  loginCommand(accounts.context, { email, password, network: SOME_NETWORK }, 1_000);

test("the setup step makes one administrator from processes at once, and one key of 32 bytes, and logs nothing secret", async () => {
  const made = await Promise.all([setup(), setup(), setup()]);
  const keys = new Set(made.map(({ emailKey }) => emailKey.export().toString("hex")));
  expect([...keys]).toEqual([expect.stringMatching(/^[0-9a-f]{64}$/)]);
  expect(made.flatMap(({ lines }) => lines)).toContainEqual(
    expect.objectContaining({ msg: "bootstrap administrator created" }),
  );
  expect(await usersOfAddress()).toMatchObject([{ role: "admin", is_active: true, name: "Admin" }]);
  expect(await login(PASSWORD)).not.toBeNull();
  const { lines } = await setup("another password");
  const msg = "bootstrap administrator not created: its address has an account";
  expect(lines).toMatchObject([{ msg }]);
  expect(await usersOfAddress()).toHaveLength(1);
  expect(await login(PASSWORD)).not.toBeNull();
  expect(await login("another password")).toBeNull();
  const told = JSON.stringify([lines, ...made.map((one) => one.lines)]);
  for (const secret of [email, PASSWORD, "another password", 'Admin"']) {
    expect(told).not.toContain(secret);
  }
});

test("the setup step leaves another account of the address as it is, and refuses one that is no address", async () => {
  const form = { email, password: PASSWORD, name: "Ana" };
  await registerUserCommand(accounts.context, newCommand(), form);
  await setup();
  expect(await usersOfAddress()).toMatchObject([{ role: "viewer", name: "Ana" }]);
  await expect(setup(PASSWORD, "nobody")).rejects.toThrow(Refusal);
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

test("the setup step stores the definition of every role", async () => {
  await setup();
  const definitions = await accounts.pool.any(
    sql.type(z.object({ role: z.string(), permissions: z.array(z.string()) }))`
      select role, permissions from vault.role_definitions`,
  );
  const stored = Object.fromEntries(definitions.map((row) => [row.role, row.permissions]));
  expect(stored).toEqual(ROLE_PERMISSIONS);
});

test("the command admin prints a link by which an account gets a new password, once, and says where there is no such account", async () => {
  const { context, databaseUrl } = accounts;
  const env = { DATABASE_URL: databaseUrl, PUBLIC_BASE_URL: "https://quakes.example.org" };
  const reset = (address: string) => cli(env, "admin", "reset-password", address);
  const account = await accounts.register("admin");
  const { exitCode, lines } = await reset(account.email.toUpperCase());
  expect([exitCode, lines.length]).toEqual([0, 1]);
  const { origin, pathname, searchParams } = new URL(lines[0] ?? "");
  expect(origin + pathname).toBe("https://quakes.example.org/reset-password");
  const newPassword = "another horse, another battery";
  const change = { token: searchParams.get("token") ?? "", newPassword, network: SOME_NETWORK };
  await resetPasswordCommand(context, newCommand(), change);
  email = account.email;
  expect(await login(newPassword)).toMatchObject({ user: { email } });
  const again = resetPasswordCommand(context, newCommand(), change);
  await expect(again).rejects.toThrow("invalid or has expired");
  expect(await reset(newEmail())).toMatchObject({ exitCode: 1, lines: [] });
  await expect(cli({}, "admin", "reset-password")).rejects.toThrow("reset-password EMAIL");
  await expect(cli({}, "admin", "promote", "a@example.org")).rejects.toThrow("Name an action");
});
