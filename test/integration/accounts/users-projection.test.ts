import type { KeyObject } from "node:crypto";
import { expect, test } from "vitest";
import { userStream } from "#contracts/names.ts";
import { type DomainEvent, toNewEvents } from "#infra/event-log/domain-events.ts";
import type { Position, RecordedEvent } from "#infra/event-log/event-log.ts";
import { encryptPersonal, newPersonalKey } from "#infra/security/personal-data.ts";
import { forgetUser, storeCredentials } from "#infra/security/vault/credentials.ts";
import { inReadModel, LIVE_SCHEMA } from "#projections/engine/read-model-schema.ts";
import { findUser, listUsers } from "#projections/queries/accounts/user-queries.ts";
import { usersProjection } from "#projections/users/users-projection.ts";
import { updateUserCommand } from "#services/commands/accounts/update-user.ts";
import { newCommand, useAccounts } from "./use-accounts.ts";

const accounts = useAccounts();

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

function registered(userId: string, key: KeyObject): DomainEvent {
  return {
    type: "UserRegistered",
    data: {
      userId,
      emailEncrypted: encryptPersonal(key, `${userId}@example.org`),
      nameEncrypted: encryptPersonal(key, "Ana"),
      emailHmac: userId,
      role: "viewer",
    },
  };
}

test("every event of an account shows in its row, with the time it was decided", async () => {
  const userId = "user_1_history00";
  const key = await userKey(userId);
  await apply(
    userId,
    registered(userId, key),
    { type: "UserRenamed", data: { userId, nameEncrypted: encryptPersonal(key, "Bea") } },
    { type: "UserRoleChanged", data: { userId, role: "editor" } },
    { type: "UserDeactivated", data: { userId } },
    { type: "UserReactivated", data: { userId } },
    { type: "UserDeactivated", data: { userId } },
  );
  expect(await findUser(accounts.pool, userId)).toEqual({
    id: userId,
    email: `${userId}@example.org`,
    name: "Bea",
    role: "editor",
    is_active: false,
    email_verified: false,
    created_at: "2026-01-01T00:00:00.000Z",
    updated_at: "2026-01-01T00:00:05.000Z",
    last_login: null,
  });
});

test("an account that is tied to an institute's has a verified address and is found by it", async () => {
  const userId = "user_1_tied00000";
  const key = await userKey(userId);
  const identity = { issuer: "https://sso.example.org", identityHmac: userId };
  const subjectEncrypted = encryptPersonal(key, "a subject");
  await apply(userId, registered(userId, key), {
    type: "IdentityTied",
    data: { userId, ...identity, subjectEncrypted },
  });
  expect(await findUser(accounts.pool, userId)).toMatchObject({ email_verified: true });
  const { rows } = await accounts.pgPool.query(
    "select identity_issuer, identity_hmac from read_model.users where id = $1",
    [userId],
  );
  expect(rows).toEqual([{ identity_issuer: identity.issuer, identity_hmac: userId }]);
});

test("a deleted account has no row", async () => {
  const userId = "user_1_deleted00";
  const key = await userKey(userId);
  await apply(userId, registered(userId, key), { type: "UserDeleted", data: { userId } });
  expect(await findUser(accounts.pool, userId)).toBeNull();
});

test("an account whose key is destroyed can be replayed, without its personal data", async () => {
  const userId = "user_1_forgotten";
  const key = await userKey(userId);
  await forgetUser(accounts.pool, userId);
  await apply(userId, registered(userId, key));
  const user = await findUser(accounts.pool, userId);
  expect(user).toMatchObject({ email: "[deleted]", name: "[deleted]" });
});

test("a second account of one address is an error", async () => {
  const [one, two] = ["user_1_address01", "user_1_address02"] as const;
  await apply(one, registered(one, await userKey(one)));
  const key = await userKey(two);
  const event = registered(two, key) as Extract<DomainEvent, { type: "UserRegistered" }>;
  const double = { ...event, data: { ...event.data, emailHmac: one } };
  await expect(apply(two, double)).rejects.toThrow("users_email_hmac_key");
});

test("replaying the log gives the rows again that were there", async () => {
  const { userId } = await accounts.register("admin");
  const change = { role: "editor", isActive: false, name: "Bea" } as const;
  await accounts.register("admin");
  await updateUserCommand(accounts.context, newCommand(), userId, change);
  const types = new Set(usersProjection.types);
  const events = (await accounts.events()).filter(({ type }) => types.has(type));
  const ids = events.map(({ stream }) => stream.slice("user-".length));
  const rows = async () =>
    (await listUsers(accounts.pool, { limit: 1_000 })).rows.filter(({ id }) => ids.includes(id));
  const before = await rows();
  await inReadModel(accounts.pgPool, LIVE_SCHEMA, async (transaction) => {
    await transaction.client.query("delete from users where id = any($1)", [ids]);
    await usersProjection.apply(transaction, events);
  });
  expect(before.length).toBeGreaterThan(1);
  expect(await rows()).toEqual(before);
});
