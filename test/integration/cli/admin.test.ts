import { expect, test } from "vitest";
import { loginCommand } from "#services/commands/accounts/login.ts";
import { resetPasswordCommand } from "#services/commands/accounts/reset-password.ts";
import { newCommand, newEmail, SOME_NETWORK, useAccounts } from "../accounts/use-accounts.ts";
import { cli } from "./use-cli.ts";

const accounts = useAccounts();

const reset = (email: string) =>
  cli(
    { DATABASE_URL: accounts.databaseUrl, PUBLIC_BASE_URL: "https://quakes.example.org" },
    "admin",
    "reset-password",
    email,
  );

test("the command admin prints a link by which an account gets a new password, once", async () => {
  const { email } = await accounts.register("admin");
  const { exitCode, lines } = await reset(email.toUpperCase());
  expect([exitCode, lines.length]).toEqual([0, 1]);
  const { origin, pathname, searchParams } = new URL(lines[0] ?? "");
  expect(origin + pathname).toBe("https://quakes.example.org/reset-password");
  const change = {
    token: searchParams.get("token") ?? "",
    newPassword: "another horse, another battery",
    network: SOME_NETWORK,
  };
  await resetPasswordCommand(accounts.context, newCommand(), change);
  const form = { email, password: change.newPassword, network: SOME_NETWORK };
  await expect(loginCommand(accounts.context, form, 60_000)).resolves.toMatchObject({
    user: { email },
  });
  const again = resetPasswordCommand(accounts.context, newCommand(), change);
  await expect(again).rejects.toThrow("invalid or has expired");
});

test("the command admin says where there is no such account, and how it is called", async () => {
  expect(await reset(newEmail())).toMatchObject({ exitCode: 1, lines: [] });
  await expect(cli({}, "admin", "reset-password")).rejects.toThrow("reset-password EMAIL");
  await expect(cli({}, "admin", "promote", "a@example.org")).rejects.toThrow("Name an action");
});
