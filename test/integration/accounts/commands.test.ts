import { randomBytes } from "node:crypto";
import { sql } from "slonik";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { Refusal } from "#contracts/errors.ts";
import { emailStream, userStream } from "#contracts/events/log.ts";
import { fromRecorded, toNewEvents } from "#infra/log/domain-events.ts";
import { NO_STREAM, type Position, Unavailable } from "#infra/log/event-log.ts";
import {
  consumeResetToken,
  endSessions,
  forgetOldNetworks,
  isKnownNetwork,
  issueResetToken,
  readPersonalKey,
  revokeSession,
  storeCredentials,
} from "#infra/vault/credentials.ts";
import { emailHmac, newPersonalKey } from "#infra/vault/personal-data.ts";
import { tokenHa1, tokenSecretHash } from "#infra/vault/tokens.ts";
import { waitForPosition } from "#projections/engine/progress.ts";
import {
  findRoleRequest,
  findUser,
  listAccessTokens,
  listUsers,
  readAccessToken,
  readSession,
} from "#projections/read/accounts.ts";
import {
  createAccessTokenCommand,
  deleteUserCommand,
  finishDeletions,
  submitRoleRequestCommand,
  updateUserCommand,
} from "#services/accounts/commands.ts";
import { loginCommand, verifyPassword } from "#services/accounts/passwords.ts";
import { createAccount, registerUserCommand } from "#services/accounts/registration.ts";
import { errorAnswer } from "#services/errors.ts";
import {
  makerOf,
  newCommand,
  newEmail,
  PASSWORD,
  SOME_NETWORK,
  useAccounts,
} from "./use-accounts.ts";

const accounts = useAccounts();
const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const TAKEN = new Refusal("CONFLICT", "User with this email already exists");

const hmacOf = (email: string) => emailHmac(accounts.context.emailKey, email);
const formOf = (email: string) => ({ email, password: PASSWORD, name: "Ana" });
const registerUser = (email: string, context = accounts.context) =>
  registerUserCommand(context, newCommand(), formOf(email));
const update = (userId: string, change: Parameters<typeof updateUserCommand>[3], by = "system") =>
  updateUserCommand(accounts.context, newCommand(by), userId, change);

async function count(of: ReturnType<typeof sql.fragment>): Promise<number> {
  const Count = z.object({ count: z.number() });
  return accounts.pool.oneFirst(sql.type(Count)`select count(*)::int as count from ${of}`);
}
const countKeys = () => count(sql.fragment`vault.user_keys`);

async function eventsOf(stream: string) {
  return (await accounts.log.read(stream, 0, 100)).map(fromRecorded);
}

type Append = typeof accounts.log.append;

/** The context with a log whose appends to streams of a kind do something else. */
function withAppend(kind: "user-" | "email-", other: Append) {
  const append: Append = (stream, ...rest) =>
    stream.startsWith(kind) ? other(stream, ...rest) : accounts.log.append(stream, ...rest);
  return { ...accounts.context, log: { ...accounts.log, append } };
}

describe("a registration", () => {
  test("takes one of 50 at once of one address in any capitals, refuses the others, and leaves no key behind", async () => {
    const [email, keys] = [newEmail(), await countKeys()];
    const outcomes = await Promise.allSettled(
      Array.from({ length: 50 }, (_, i) => registerUser(i % 2 ? email : email.toUpperCase())),
    );
    const refused = outcomes.filter((outcome) => outcome.status === "rejected");
    expect(refused).toHaveLength(49);
    for (const { reason } of refused) expect(reason).toEqual(TAKEN);
    expect(await accounts.log.read(emailStream(hmacOf(email)), 0, 10)).toHaveLength(1);
    expect(await countKeys()).toBe(keys + 1);
  });

  test("is refused the address of a disabled account", async () => {
    const { userId, email } = await accounts.register("viewer");
    await update(userId, { isActive: false });
    await expect(registerUser(email)).rejects.toThrow(TAKEN);
  });

  test("answers 503 as every other change does where no projector makes it visible in time", async () => {
    const untilVisible = (_: string, position: Position | null) =>
      waitForPosition(accounts.pool, "a projection that nobody runs", position, 50);
    const refused = registerUser(newEmail(), { ...accounts.context, untilVisible });
    expect(errorAnswer(await refused.catch((reason: unknown) => reason))).toEqual({
      status: 503,
      body: { error: expect.stringContaining("not visible yet"), code: "NOT_VISIBLE_YET" },
    });
  });
});

describe("an address that a registration cut off left reserved", () => {
  /** A registration that reserved the address `ageMs` ago and was then cut off. */
  async function cutOffRegistration(email: string, ageMs: number): Promise<string> {
    const userId = `user_${Date.now() - ageMs}_cutoff000`;
    const at = new Date(Date.now() - ageMs);
    const personalKey = newPersonalKey();
    await storeCredentials(accounts.pool, { userId, personalKey, passwordHash: "x", at });
    const stream = emailStream(hmacOf(email));
    const origin = { commandId: newCommand().id, actor: "system", at };
    const data = { emailHmac: hmacOf(email), userId };
    const reserved = toNewEvents(stream, 0, [{ type: "EmailReserved", data }], origin);
    await accounts.log.append(stream, NO_STREAM, reserved);
    return userId;
  }

  test("is refused for a minute, then taken over by one of ten at once, with the cut off account closed and its key gone", async () => {
    const [young, email] = [newEmail(), newEmail()];
    await cutOffRegistration(young, MINUTE - 5_000);
    await expect(registerUser(young)).rejects.toThrow(TAKEN);
    const cutOff = await cutOffRegistration(email, MINUTE);
    const outcomes = await Promise.allSettled(
      Array.from({ length: 10 }, () => registerUser(email)),
    );
    const taken = outcomes.filter((outcome) => outcome.status === "fulfilled");
    expect(taken).toHaveLength(1);
    const userId = taken[0]?.value.userId ?? "";
    const emailHmac = hmacOf(email);
    expect(await eventsOf(emailStream(emailHmac))).toEqual([
      { type: "EmailReserved", data: { emailHmac, userId: cutOff } },
      { type: "EmailReleased", data: { emailHmac, userId: cutOff } },
      { type: "EmailReserved", data: { emailHmac, userId } },
    ]);
    const closed = { type: "UserDeleted", data: { userId: cutOff } };
    expect(await eventsOf(userStream(cutOff))).toEqual([closed]);
    expect(await readPersonalKey(accounts.pool, cutOff)).toBeNull();
    expect(await findUser(accounts.pool, userId)).toMatchObject({ email, is_active: true });
  });

  test("is taken over at once where the registration has failed", async () => {
    const email = newEmail();
    const failing = withAppend("user-", () => Promise.reject(new Unavailable("it is away")));
    await expect(registerUser(email, failing)).rejects.toThrow(Unavailable);
    const { userId } = await registerUser(email);
    expect(await findUser(accounts.pool, userId)).toMatchObject({ email });
  });

  test("cannot be won back by the registration that was only slow", async () => {
    const email = newEmail();
    const reserved = Promise.withResolvers<void>();
    const takenOver = Promise.withResolvers<void>();
    const slowly = withAppend("user-", async (...append) => {
      reserved.resolve();
      await takenOver.promise;
      return accounts.log.append(...append);
    });
    const slow = registerUser(email, slowly);
    await reserved.promise;
    const options = { role: "viewer", unfinishedMs: 0 } as const;
    const fast = await createAccount(accounts.context, newCommand(), formOf(email), options);
    takenOver.resolve();
    await expect(slow).rejects.toThrow(TAKEN);
    expect(await readPersonalKey(accounts.pool, fast.userId)).not.toBeNull();
  });
});

test("a deletion cut off after its event is finished: the key is destroyed and the address free", async () => {
  const { userId, email } = await accounts.register("viewer");
  const cutOff = withAppend("email-", () => Promise.reject(new Error("killed")));
  await expect(deleteUserCommand(cutOff, newCommand(), userId)).rejects.toThrow("killed");
  await accounts.context.untilVisible("users", await accounts.log.head());
  expect(await findUser(accounts.pool, userId)).toBeNull();
  expect(await readPersonalKey(accounts.pool, userId)).not.toBeNull();
  expect(await finishDeletions(accounts.context)).toBe(1);
  expect(await finishDeletions(accounts.context)).toBe(0);
  expect(await readPersonalKey(accounts.pool, userId)).toBeNull();
  const again = await registerUser(email);
  const emailHmac = hmacOf(email);
  expect(await eventsOf(emailStream(emailHmac))).toEqual([
    { type: "EmailReserved", data: { emailHmac, userId } },
    { type: "EmailReleased", data: { emailHmac, userId } },
    { type: "EmailReserved", data: { emailHmac, userId: again.userId } },
  ]);
});

test("the last active administrator is left, whoever demotes, deactivates or deletes whom at once", async () => {
  const admins = async () =>
    (await listUsers(accounts.pool, { limit: 1_000 })).rows
      .filter(({ role, is_active }) => role === "admin" && is_active)
      .map(({ id }) => id);
  /** Leaves new administrators as the only active ones. */
  async function onlyAdministrators(number: number): Promise<string[]> {
    const made = Array.from({ length: number }, () => accounts.register("admin"));
    const kept = (await Promise.all(made)).map(({ userId }) => userId);
    for (const id of await admins()) if (!kept.includes(id)) await update(id, { role: "viewer" });
    return kept;
  }
  const deleteUser = (id: string, by: string) =>
    deleteUserCommand(accounts.context, newCommand(by), id);
  const demote = (id: string, by: string) => update(id, { role: "viewer" }, by);
  const deactivate = (id: string, by: string) => update(id, { isActive: false }, by);
  const rings = [
    [demote],
    [deactivate],
    [demote, demote],
    [demote, deactivate],
    [deactivate, deactivate],
    [deleteUser, deleteUser],
    [deleteUser, deleteUser],
    [deleteUser, demote],
    Array.from({ length: 12 }, () => demote),
  ];
  for (const ring of rings) {
    const ids = await onlyAdministrators(ring.length);
    // One alone is changed by somebody who was an administrator.
    const former = ids.length === 1 ? "user_1_former" : undefined;
    const outcomes = await Promise.allSettled(
      ring.map((act, i) => act(ids[(i + 1) % ids.length] ?? "", former ?? ids[i] ?? "")),
    );
    const refused = outcomes.filter((outcome) => outcome.status === "rejected");
    expect(refused.map(({ reason }) => reason.code)).toEqual(["CONFLICT"]);
    expect(await admins()).toHaveLength(1);
  }
});

test("a change in which nothing becomes another appends nothing", async () => {
  const { userId } = await accounts.register("viewer");
  await update(userId, { role: "viewer", isActive: true, name: "Ana" });
  expect(await accounts.log.read(userStream(userId), 0, 10)).toHaveLength(1);
});

describe("a sign-in", () => {
  test("verifies one password whoever asks", async () => {
    const { email } = await accounts.register("viewer");
    const verified: string[] = [];
    const verify = async (_hash: string | null, password: string) => {
      verified.push(password);
      return false;
    };
    const context = {
      ...accounts.context,
      passwords: { ...accounts.context.passwords, verify },
    };
    for (const address of [email, newEmail(), "nonsense"]) {
      const form = { email: address, password: PASSWORD, network: SOME_NETWORK };
      await loginCommand(context, form, DAY);
    }
    expect(verified).toEqual([PASSWORD, PASSWORD, PASSWORD]);
  });

  test("clears away the user's sessions that have ended, and is the last login", async () => {
    const { email, userId } = await accounts.register("viewer");
    const form = { email, password: PASSWORD, network: SOME_NETWORK };
    const at = async (now: Date) => {
      const loggedIn = await loginCommand({ ...accounts.context, now: () => now }, form, 30 * DAY);
      const sessions = await count(sql.fragment`vault.sessions where user_id = ${userId}`);
      const last_login = now.toISOString();
      expect(await findUser(accounts.pool, userId)).toMatchObject({ last_login });
      return { sessionId: loggedIn?.sessionId ?? "", sessions };
    };
    const now = new Date();
    const { sessionId } = await at(now);
    await revokeSession(accounts.pool, sessionId, now);
    expect((await at(now)).sessions).toBe(1);
    expect((await at(new Date(Date.now() + 40 * DAY))).sessions).toBe(1);
  });
});

describe("a session", () => {
  test("gives its user as of now until it expires, to nobody else, and ends for good with a deactivation, which takes reset tokens along", async () => {
    const [{ userId, sessionId }, other] = [await makerOf(accounts), await makerOf(accounts)];
    const read = (now = new Date()) => readSession(accounts.pool, { sessionId, userId, now });
    const session = await read();
    const expires = expect.stringMatching(/Z$/);
    const facts = { userId, email: expect.any(String), name: "Ana", role: "viewer" };
    expect(session).toEqual({ ...facts, sessionId, expires });
    const end = Date.parse(session?.expires ?? "");
    expect(await read(new Date(end - 1))).not.toBeNull();
    expect(await read(new Date(end))).toBeNull();
    const stolen = { sessionId, userId: other.userId, now: new Date() };
    expect(await readSession(accounts.pool, stolen)).toBeNull();
    await update(userId, { role: "editor", name: "Anna", isActive: true });
    expect(await read()).toMatchObject({ role: "editor", name: "Anna" });
    const token = await issueResetToken(accounts.pool, userId, new Date(), MINUTE);
    await update(userId, { isActive: false });
    expect(await read()).toBeNull();
    await update(userId, { isActive: true });
    expect(await read()).toBeNull();
    expect(await consumeResetToken(accounts.pool, token ?? "", new Date())).toBeNull();
  });

  test("does not outlive a deactivation that its sign-in did not see", async () => {
    const { userId, email } = await accounts.register("viewer");
    const verify = async () => {
      await update(userId, { isActive: false });
      return true;
    };
    const context = {
      ...accounts.context,
      passwords: { ...accounts.context.passwords, verify },
    };
    const form = { email, password: PASSWORD, network: SOME_NETWORK };
    const begun = await loginCommand(context, form, DAY);
    await update(userId, { isActive: true });
    const session = { sessionId: begun?.sessionId ?? "", userId, now: new Date() };
    expect(await readSession(accounts.pool, session)).toBeNull();
  });
});

describe("a network", () => {
  const newTag = () => randomBytes(32);
  const inDays = (days: number) => new Date(Date.now() + days * DAY);

  /** Signs in from a network, days from now. */
  async function signIn(email: string, tag: Buffer, days = 0) {
    const context = { ...accounts.context, now: () => inDays(days) };
    const form = { email, password: PASSWORD, network: { tag, mustBeKnown: false } };
    expect(await loginCommand(context, form, DAY)).not.toBeNull();
  }
  const isKnown = (userId: string, networkTag: Buffer, days = 0) =>
    isKnownNetwork(accounts.pool, { userId, networkTag }, inDays(days));
  const countNetworks = (userId: string) =>
    count(sql.fragment`vault.known_networks where user_id = ${userId}`);

  test("is known to the account that has signed in from there, for 90 days, and then cleared away", async () => {
    const { userId, email } = await accounts.register("viewer");
    const other = await accounts.register("viewer");
    const home = newTag();
    expect(await isKnown(userId, home)).toBe(false);
    await signIn(email, home);
    expect(await isKnown(userId, newTag())).toBe(false);
    expect(await isKnown(other.userId, home)).toBe(false);
    const known = [0, 89, 91].map((days) => isKnown(userId, home, days));
    expect(await Promise.all(known)).toEqual([true, true, false]);
    await signIn(email, home, 60);
    expect(await isKnown(userId, home, 149)).toBe(true);
    for (const days of [-91, -89]) await signIn(other.email, newTag(), days);
    await forgetOldNetworks(accounts.pool);
    expect(await countNetworks(other.userId)).toBe(1);
  });

  test("is one of twenty that are kept of an account, those last signed in from", async () => {
    const { userId, email } = await accounts.register("viewer");
    const [home, others] = [newTag(), Array.from({ length: 22 }, newTag)];
    await signIn(email, home);
    for (const [day, tag] of others.entries()) await signIn(email, tag, day);
    expect(await countNetworks(userId)).toBe(20);
    expect(await isKnown(userId, home)).toBe(false);
    await signIn(email, home, 22);
    const known = await Promise.all(others.map((tag) => isKnown(userId, tag)));
    expect(known).toEqual(others.map((_, place) => place >= 3));
    expect(await isKnown(userId, home)).toBe(true);
  });

  test("costs a password the same work, whether the account or its network is known or not", async () => {
    const { userId, email } = await accounts.register("viewer");
    const home = newTag();
    await signIn(email, home);
    const passwordHash = await accounts.pool.oneFirst(
      sql.type(z.object({ password_hash: z.string() }))`
        select password_hash from vault.credentials where user_id = ${userId}`,
    );
    async function workOf(holder: { userId: string; passwordHash: string } | null, tag: Buffer) {
      const work: string[] = [];
      const { now, lookups, passwords } = accounts.context;
      const counted: Parameters<typeof verifyPassword>[0] = {
        now,
        lookups: {
          maybeOne: (query) => {
            work.push("lookup");
            return lookups.maybeOne(query);
          },
        },
        passwords: {
          ...passwords,
          verify: (hash, password) => {
            work.push("verification");
            return passwords.verify(hash, password);
          },
        },
      };
      const matches = await verifyPassword(counted, holder, PASSWORD, { tag, mustBeKnown: true });
      return { matches, work };
    }
    const work = ["lookup", "verification"];
    const holder = { userId, passwordHash };
    expect(await workOf(holder, home)).toEqual({ matches: true, work });
    expect(await workOf(holder, newTag())).toEqual({ matches: false, work });
    expect(await workOf(null, home)).toEqual({ matches: false, work });
  });
});

describe("an access token", () => {
  const FORM = { name: "A script", scopes: ["read" as const], catalogues: null, expiresInDays: 1 };

  test("whose answer was lost is replaced when the command is sent again", async () => {
    const { context, pool } = accounts;
    const maker = await makerOf(accounts);
    const command = newCommand(maker.userId);
    const lost = await createAccessTokenCommand(context, command, maker, FORM);
    const again = { ...command, retried: true };
    const made = await createAccessTokenCommand(context, again, maker, FORM);
    expect(made.secret).not.toBe(lost.secret);
    const tokens = await listAccessTokens(pool, maker.userId);
    expect(tokens.map(({ id }) => id)).toEqual([made.tokenId]);
    const ofSecret = (secret: string) =>
      readAccessToken(pool, { secretHash: tokenSecretHash(secret) }, new Date());
    expect(await ofSecret(lost.secret)).toMatchObject({ id: lost.tokenId, isEnded: true });
    const ha1 = tokenHa1(made.tokenId, made.secret);
    expect(await ofSecret(made.secret)).toMatchObject({ id: made.tokenId, ha1, isEnded: false });
  });

  test("that is made while its session ends has ended with it", async () => {
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
});

test("a role request that is sent again is answered with the one that it has made", async () => {
  const form = { requestedRole: "editor", justification: "to look after the catalogues" } as const;
  const { userId } = await accounts.register("viewer");
  const command = newCommand(userId);
  const id = await submitRoleRequestCommand(accounts.context, command, userId, form);
  const again = { ...command, retried: true };
  expect(await submitRoleRequestCommand(accounts.context, again, userId, form)).toBe(id);
  expect(await findRoleRequest(accounts.pool, id)).toMatchObject({ status: "pending" });
});
