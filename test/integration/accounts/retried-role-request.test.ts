import { expect, test } from "vitest";
import { findRoleRequest } from "#projections/queries/accounts/role-request-queries.ts";
import { submitRoleRequestCommand } from "#services/commands/accounts/role-requests.ts";
import { newCommand, useAccounts } from "./use-accounts.ts";

const accounts = useAccounts();
const FORM = { requestedRole: "editor", justification: "to look after the catalogues" } as const;

test("a role request that is sent again is answered with the one that it has made", async () => {
  const { userId } = await accounts.register("viewer");
  const command = newCommand(userId);
  const id = await submitRoleRequestCommand(accounts.context, command, userId, FORM);
  const again = { ...command, retried: true };
  expect(await submitRoleRequestCommand(accounts.context, again, userId, FORM)).toBe(id);
  expect(await findRoleRequest(accounts.pool, id)).toMatchObject({ status: "pending" });
});
