import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { SERVICE } from "#projections/queries/rights/reader-rights.ts";
import { holds } from "#projections/rebuild/verify-projection.ts";
import { usersProjection } from "#projections/users/users-projection.ts";
import {
  createAccessTokenCommand,
  endAccessTokenCommand,
} from "#services/commands/accounts/access-tokens.ts";
import { deleteUserCommand } from "#services/commands/accounts/delete-user.ts";
import {
  createGroupCommand,
  deleteGroupCommand,
  updateGroupCommand,
} from "#services/commands/accounts/groups.ts";
import {
  reviewRoleRequestCommand,
  submitRoleRequestCommand,
} from "#services/commands/accounts/role-requests.ts";
import { updateUserCommand } from "#services/commands/accounts/update-user.ts";
import { makerOf, newCommand, useAccounts } from "../accounts/use-accounts.ts";
import { useRebuild } from "./use-rebuild.ts";

const accounts = useAccounts();
const scene = useRebuild(accounts, usersProjection);

async function dump(): Promise<unknown[][]> {
  const dumps = usersProjection.tables.map(async ({ name, key }) => {
    const { rows } = await scene.pool.query(
      `select * from read_model.${name} order by ${key.join()}`,
    );
    return rows;
  });
  return Promise.all(dumps);
}

/** Accounts renamed, deactivated and deleted; role requests and access tokens of all states, and of a deleted account; groups. */
async function makeHistory(): Promise<void> {
  const { context, register } = accounts;
  const admin = await makerOf(accounts, "admin");
  const ask = async (userId: string) => {
    const form = { requestedRole: "editor" as const, justification: "I keep the catalogue." };
    return submitRoleRequestCommand(context, newCommand(userId), userId, form);
  };
  const makeToken = (maker: typeof admin, catalogues: string[] | null = null) => {
    const form = { name: "A script", scopes: ["read" as const], catalogues, expiresInDays: 1 };
    return createAccessTokenCommand(context, newCommand(maker.userId), maker, form);
  };
  await makeToken(admin, [randomUUID(), randomUUID()]);
  for (const status of ["approved", "rejected"] as const) {
    const { userId } = await register("viewer");
    const roleRequestId = await ask(userId);
    const review = { status, adminNotes: `${status} by hand` };
    await reviewRoleRequestCommand(context, newCommand(admin.userId), roleRequestId, review);
    await updateUserCommand(context, newCommand(admin.userId), userId, { name: "Bea" });
  }
  const pending = await register("viewer");
  await ask(pending.userId);
  const deleted = await makerOf(accounts);
  await ask(deleted.userId);
  for (const maker of [admin, admin, deleted]) await makeToken(maker);
  const ended = await makeToken(admin);
  await endAccessTokenCommand(context, newCommand(admin.userId), admin.userId, ended.tokenId);
  const by = newCommand(admin.userId);
  const members = [pending.userId, deleted.userId];
  const group = await createGroupCommand(context, by, { name: "Analysts", members });
  await updateGroupCommand(
    context,
    newCommand(admin.userId),
    group,
    { name: "Night shift" },
    SERVICE,
  );
  const gone = await createGroupCommand(context, newCommand(admin.userId), {
    name: "Gone",
    members,
  });
  await deleteGroupCommand(context, newCommand(admin.userId), gone, SERVICE);
  await deleteUserCommand(context, newCommand(admin.userId), deleted.userId);
  await updateUserCommand(context, newCommand(admin.userId), pending.userId, { isActive: false });
}

test("accounts, role requests, access tokens and groups rebuilt from the log equal the live ones, row for row", async () => {
  await makeHistory();
  const live = await dump();
  expect(live.map((rows) => rows.length)).toEqual([4, 3, 4, 1, 1]);
  expect(holds(await scene.verify())).toBe(true);
  await scene.rebuild();
  expect(await dump()).toEqual(live);
  expect(holds(await scene.verify())).toBe(true);
});

test("a role request that was changed by hand is found", async () => {
  const { rows } = await scene.pool.query<{ id: string }>(
    "update read_model.role_requests set justification = 'None' where status = 'rejected' returning id",
  );
  const { tables } = await scene.verify();
  expect(tables.flatMap(({ differences }) => differences)).toEqual([
    { key: rows[0]?.id, kind: "different", columns: ["justification"] },
  ]);
});
