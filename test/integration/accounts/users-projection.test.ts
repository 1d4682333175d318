import { createSecretKey, type KeyObject, randomBytes, randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { userStream } from "#contracts/events/log.ts";
import { AlertBody } from "#contracts/http/alerts.ts";
import { createAddressGuard } from "#infra/agency/http/address-guard.ts";
import { type DomainEvent, toNewEvents } from "#infra/log/domain-events.ts";
import type { Position, RecordedEvent } from "#infra/log/event-log.ts";
import { migrate } from "#infra/postgres/migrations/migrate.ts";
import { createDatabase } from "#infra/postgres/pool.ts";
import { forgetUser, storeCredentials } from "#infra/vault/credentials.ts";
import { readKey } from "#infra/vault/idempotency-keys.ts";
import { encryptPersonal, newPersonalKey } from "#infra/vault/personal-data.ts";
import { inReadModel, LIVE_SCHEMA } from "#projections/engine/projection.ts";
import { findUser, listUsers } from "#projections/read/accounts.ts";
import { SERVICE } from "#projections/read/rights.ts";
import { holds } from "#projections/rebuild/rebuild.ts";
import { usersProjection } from "#projections/users/projection.ts";
import {
  createAccessTokenCommand,
  createGroupCommand,
  deleteGroupCommand,
  deleteUserCommand,
  endAccessTokenCommand,
  reviewRoleRequestCommand,
  submitRoleRequestCommand,
  updateGroupCommand,
  updateUserCommand,
} from "#services/accounts/commands.ts";
import { createAlertCommand } from "#services/alerts/commands.ts";
import { createTestDatabase } from "../../support/database.ts";
import { withClient } from "../../support/database-template.ts";
import { migrationsUpTo } from "../../support/migrations-up-to.ts";
import { useRebuild } from "../rebuild/use-rebuild.ts";
import { makerOf, newCommand, useAccounts } from "./use-accounts.ts";

const accounts = useAccounts();
const scene = useRebuild(accounts, usersProjection);

async function dump(): Promise<unknown[][]> {
  const dumps = usersProjection.tables.map(async ({ name, key }) => {
    const query = `select * from read_model.${name} order by ${key.join()}`;
    return (await scene.pool.query(query)).rows;
  });
  return Promise.all(dumps);
}

/** Accounts renamed, deactivated and deleted; role requests and access tokens of all states, and of a deleted account, alerts too; groups. */
async function makeHistory(): Promise<void> {
  const { context, register } = accounts;
  const admin = await makerOf(accounts, "admin");
  const by = () => newCommand(admin.userId);
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
    const review = { status, adminNotes: `${status} by hand` };
    await reviewRoleRequestCommand(context, by(), await ask(userId), review);
    await updateUserCommand(context, by(), userId, { name: "Bea" });
  }
  const pending = await register("viewer");
  await ask(pending.userId);
  const deleted = await makerOf(accounts);
  await ask(deleted.userId);
  for (const maker of [admin, admin, deleted]) await makeToken(maker);
  const guard = createAddressGuard({ isOpen: true, ports: [] });
  const body = AlertBody.parse({
    ...{ name: "Mine", catalogues: [randomUUID()], filter: { region: randomUUID() } },
    to: { kind: "webhook", url: "https://receiver.example/" },
  });
  for (const { userId } of [admin, deleted]) {
    await createAlertCommand({ context, guard }, newCommand(userId), userId, body);
  }
  const ended = await makeToken(admin);
  await endAccessTokenCommand(context, by(), admin.userId, ended.tokenId);
  const members = [pending.userId, deleted.userId];
  const group = await createGroupCommand(context, by(), { name: "Analysts", members });
  await updateGroupCommand(context, by(), group, { name: "Night shift" }, SERVICE);
  const gone = await createGroupCommand(context, by(), { name: "Gone", members });
  await deleteGroupCommand(context, by(), gone, SERVICE);
  await deleteUserCommand(context, by(), deleted.userId);
  await updateUserCommand(context, by(), pending.userId, { isActive: false });
}

test("accounts, role requests, access tokens, alerts and groups rebuilt from the log equal the live ones, and what was changed by hand is found", async () => {
  await makeHistory();
  const live = await dump();
  expect(live.map((rows) => rows.length)).toEqual([4, 3, 4, 1, 1, 1]);
  expect(holds(await scene.verify())).toBe(true);
  await scene.rebuild();
  expect(await dump()).toEqual(live);
  const { rows } = await scene.pool.query<{ id: string }>(
    "update read_model.role_requests set justification = 'None' where status = 'rejected' returning id",
  );
  const { tables } = await scene.verify();
  expect(tables.flatMap(({ differences }) => differences)).toEqual([
    { key: rows[0]?.id, kind: "different", columns: ["justification"] },
  ]);
  const users = (await listUsers(accounts.pool, { limit: 1_000 })).rows;
  expect(users).toHaveLength(4);
  const newestFirst = users.toSorted((a, b) => (a.created_at < b.created_at ? 1 : -1));
  expect(users).toEqual(newestFirst);
  for (const user of users) expect(await findUser(accounts.pool, user.id)).toEqual(user);
});

const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, second));

function recorded(userId: string, revision: number, event: DomainEvent): RecordedEvent {
  const stream = userStream(userId);
  const origin = { commandId: newCommand().id, actor: "system", at: at(revision) };
  const [made] = toNewEvents(stream, revision, [event], origin);
  if (!made) throw new Error("no event");
  const position = `${revision}` as Position;
  return { ...made, stream, revision, position, recordedAt: at(revision).toISOString() };
}

/** Applies events of an account, the first at revision 0, in one transaction. */
async function apply(userId: string, ...events: DomainEvent[]): Promise<void> {
  const batch = events.map((event, revision) => recorded(userId, revision, event));
  await inReadModel(accounts.pgPool, LIVE_SCHEMA, (transaction) =>
    usersProjection.apply(transaction, batch),
  );
}

async function userKey(userId: string): Promise<KeyObject> {
  const personalKey = newPersonalKey();
  await storeCredentials(accounts.pool, { userId, personalKey, passwordHash: "x", at: at(0) });
  return personalKey;
}

function registered(userId: string, key: KeyObject, emailHmac = userId) {
  const emailEncrypted = encryptPersonal(key, `${userId}@example.org`);
  const nameEncrypted = encryptPersonal(key, "Ana");
  const data = { userId, emailEncrypted, nameEncrypted, emailHmac, role: "viewer" } as const;
  return { type: "UserRegistered", data } as const;
}

test("every event of an account shows in its row, with the time it was decided, until it is deleted", async () => {
  const userId = "user_1_history00";
  const key = await userKey(userId);
  const identity = { issuer: "https://sso.example.org", identityHmac: userId };
  const subjectEncrypted = encryptPersonal(key, "a subject");
  await apply(
    userId,
    registered(userId, key),
    { type: "UserRenamed", data: { userId, nameEncrypted: encryptPersonal(key, "Bea") } },
    { type: "UserRoleChanged", data: { userId, role: "editor" } },
    { type: "UserDeactivated", data: { userId } },
    { type: "UserReactivated", data: { userId } },
    { type: "UserDeactivated", data: { userId } },
  );
  const row = {
    id: userId,
    email: `${userId}@example.org`,
    name: "Bea",
    role: "editor",
    is_active: false,
    email_verified: false,
    created_at: "2026-01-01T00:00:00.000Z",
    updated_at: "2026-01-01T00:00:05.000Z",
    last_login: null,
  };
  expect(await findUser(accounts.pool, userId)).toEqual(row);
  await apply(userId, { type: "IdentityTied", data: { userId, ...identity, subjectEncrypted } });
  expect(await findUser(accounts.pool, userId)).toMatchObject({ email_verified: true });
  const { rows } = await accounts.pgPool.query(
    "select identity_issuer, identity_hmac from read_model.users where id = $1",
    [userId],
  );
  expect(rows).toEqual([{ identity_issuer: identity.issuer, identity_hmac: userId }]);
  await apply(userId, { type: "UserDeleted", data: { userId } });
  expect(await findUser(accounts.pool, userId)).toBeNull();
});

test("an account whose key is destroyed can be replayed, without its personal data; a second one of an address is an error", async () => {
  const [one, two] = ["user_1_address01", "user_1_address02"] as const;
  const key = await userKey(one);
  await forgetUser(accounts.pool, one);
  await apply(one, registered(one, key));
  const forgotten = { email: "[deleted]", name: "[deleted]" };
  expect(await findUser(accounts.pool, one)).toMatchObject(forgotten);
  const double = apply(two, registered(two, await userKey(two), one));
  await expect(double).rejects.toThrow("users_email_hmac_key");
});

test("answers that an older installation kept in clear are replayed where they name nobody", async () => {
  const database = await createTestDatabase({ empty: true });
  await migrate(database.url, { directory: await migrationsUpTo("0014") });
  const pool = await createDatabase(database.url, { applicationName: "older-answers" });
  const userId = "user_1_abc";
  const personalKey = createSecretKey(randomBytes(32));
  await storeCredentials(pool, { userId, personalKey, passwordHash: "", at: new Date() });
  const hash = randomBytes(32);
  const user = { id: userId, email: "ana@example.org", name: "Ana" };
  const kept = {
    user: { user },
    request: { request: { user_email: user.email } },
    catalogue: { id: randomUUID(), name: "user" },
  };
  await withClient(database.url, async (client) => {
    for (const [key, body] of Object.entries(kept)) {
      await client.query(
        `insert into vault.idempotency_keys
           (user_id, key, request_hash, command_id, status, headers, body)
         values ($1, $2, $3, $4, 200, '{}', $5)`,
        [userId, key, hash, randomUUID(), JSON.stringify(body)],
      );
    }
  });
  await migrate(database.url);
  const read = async (key: string) => (await readKey(pool, { userId, key }, hash))?.body ?? null;
  expect(await read("user")).toBeNull();
  expect(await read("request")).toBeNull();
  expect(await read("catalogue")).toContain('"name":"user"');
  await pool.end();
  await database.drop();
});
