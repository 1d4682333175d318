import { expect, test } from "vitest";
import { submitRoleRequestCommand } from "#services/commands/accounts/submit-role-request.ts";
import { newCommand, useAccounts } from "./use-accounts.ts";

const accounts = useAccounts();

test("a role request that is submitted again by the same command is the same request", async () => {
  const { userId } = await accounts.register("viewer");
  const command = newCommand(userId);
  const form = { requestedRole: "editor", justification: "I locate earthquakes." } as const;
  const submit = (retried: boolean) =>
    submitRoleRequestCommand(accounts.context, { ...command, retried }, userId, form);
  const first = await submit(false);
  expect(await submit(true)).toBe(first);
});
