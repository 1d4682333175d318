import { sql } from "slonik";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { Refusal } from "#contracts/errors.ts";
import { consumeResetToken, issueResetToken } from "#infra/security/vault/reset-tokens.ts";
import { findUser, readSession } from "#projections/queries/accounts/user-queries.ts";
import { loginCommand } from "#services/commands/accounts/login.ts";
import { updateUserCommand } from "#services/commands/accounts/update-user.ts";
import {
  getSessionHandler,
  loginHandler,
  logoutHandler,
} from "#services/gateway/routes/accounts/sessions.ts";
import { callOf } from "./call-of.ts";
import { newCommand, newEmail, PASSWORD, SOME_NETWORK, useAccounts } from "./use-accounts.ts";

const accounts = useAccounts();
const DAY = 24 * 60 * 60 * 1_000;
const publicBaseUrl = "https://quakes.example.org";

function login() {
  return loginHandler({
    context: accounts.context,
    signToken: (claims, lifetimeSeconds) => JSON.stringify({ ...claims, lifetimeSeconds }),
    openId: null,
    sessionDays: 30,
    publicBaseUrl,
  });
}

/** A new account of the role that has logged in. */
async function signedIn() {
  const { userId, email } = await accounts.register("viewer");
  const loggedIn = await loginCommand(
    accounts.context,
    { email, password: PASSWORD, network: SOME_NETWORK },
    30 * DAY,
  );
  if (!loggedIn) throw new Error("login failed");
  const { sessionId } = loggedIn;
  const read = (now = new Date()) => readSession(accounts.pool, { sessionId, userId, now });
  return { userId, email, sessionId, read };
}

async function countSessions(userId: string): Promise<number> {
  return accounts.pool.oneFirst(sql.type(z.object({ count: z.number() }))`
    select count(*)::int as count from vault.sessions where user_id = ${userId}`);
}

describe("login", () => {
  test("login answers the user, a token of the session and its cookie, in any capitals of the address", async () => {
    const { userId, email } = await accounts.register("editor");
    const answer = await login()(
      callOf({ body: { email: email.toUpperCase(), password: PASSWORD } }),
    );
    expect(answer.body.user).toEqual({ id: userId, email, name: "Ana", role: "editor" });
    const claims = z
      .object({ sub: z.literal(userId), sid: z.uuid(), lifetimeSeconds: z.literal(2_592_000) })
      .parse(JSON.parse(answer.body.token));
    expect(answer.headers?.["set-cookie"]).toBe(
      `__Host-session=${answer.body.token}; Max-Age=2592000; Path=/; HttpOnly; SameSite=Lax; Secure`,
    );
    const session = { sessionId: claims.sid, userId, now: new Date() };
    expect(await readSession(accounts.pool, session)).not.toBeNull();
  });

  test("login is refused alike for an unknown address, a wrong password and a disabled account", async () => {
    const { email } = await accounts.register("viewer");
    const disabled = await accounts.register("viewer");
    const change = { isActive: false };
    await updateUserCommand(accounts.context, newCommand(), disabled.userId, change);
    const attempts = [
      { email: newEmail(), password: PASSWORD },
      { email, password: `${PASSWORD}!` },
      { email: disabled.email, password: PASSWORD },
      { email: "no address\u0000", password: PASSWORD },
      { email, password: "" },
      { email, password: PASSWORD.padEnd(5_000) },
    ];
    for (const body of attempts) {
      await expect(login()(callOf({ body }))).rejects.toEqual(
        new Refusal("UNAUTHENTICATED", "Invalid email or password"),
      );
    }
  });

  test("login verifies one password whoever asks", async () => {
    const { email } = await accounts.register("viewer");
    const verified: string[] = [];
    const passwords = {
      ...accounts.context.passwords,
      verify: async (_hash: string | null, password: string) => {
        verified.push(password);
        return false;
      },
    };
    const context = { ...accounts.context, passwords };
    for (const address of [email, newEmail(), "nonsense"]) {
      await loginCommand(
        context,
        { email: address, password: PASSWORD, network: SOME_NETWORK },
        DAY,
      );
    }
    expect(verified).toEqual([PASSWORD, PASSWORD, PASSWORD]);
  });

  test("login updates the last login of the user", async () => {
    const { userId, email } = await accounts.register("viewer");
    expect(await findUser(accounts.pool, userId)).toMatchObject({ last_login: null });
    const at = new Date("2026-05-04T03:02:01.234Z");
    const context = { ...accounts.context, now: () => at };
    await loginCommand(context, { email, password: PASSWORD, network: SOME_NETWORK }, DAY);
    expect(await findUser(accounts.pool, userId)).toMatchObject({ last_login: at.toISOString() });
  });

  test("login clears away the user's sessions that have ended", async () => {
    const { userId, email, sessionId } = await signedIn();
    await logoutHandler({ ...accounts.context, publicBaseUrl })(
      callOf({ actor: { ...actorOf(userId, email), sessionId } }),
    );
    const later = new Date(Date.now() + 40 * DAY);
    for (const now of [new Date(), later]) {
      const context = { ...accounts.context, now: () => now };
      await loginCommand(context, { email, password: PASSWORD, network: SOME_NETWORK }, 30 * DAY);
      expect(await countSessions(userId)).toBe(1);
    }
  });
});

function actorOf(userId: string, email: string) {
  return { userId, email, name: "Ana", role: "viewer", sessionId: "", expires: "" } as const;
}

describe("a session", () => {
  test("a session gives the user as of now until it expires", async () => {
    const { userId, email, sessionId, read } = await signedIn();
    const session = await read();
    expect(session).toEqual({
      userId,
      email,
      name: "Ana",
      role: "viewer",
      sessionId,
      expires: expect.stringMatching(/Z$/),
    });
    const expires = Date.parse(session?.expires ?? "");
    expect(await read(new Date(expires - 1))).not.toBeNull();
    expect(await read(new Date(expires))).toBeNull();
  });

  test("a session shows a change of role and name at once", async () => {
    const { userId, read } = await signedIn();
    const change = { role: "editor", name: "Anna" } as const;
    await updateUserCommand(accounts.context, newCommand(), userId, change);
    expect(await read()).toMatchObject({ role: "editor", name: "Anna" });
  });

  const setActive = (userId: string, isActive: boolean) =>
    updateUserCommand(accounts.context, newCommand(), userId, { isActive });

  test("a session ends for good when the account is deactivated", async () => {
    const { userId, read } = await signedIn();
    await setActive(userId, true);
    expect(await read()).not.toBeNull();
    await setActive(userId, false);
    expect(await read()).toBeNull();
    await setActive(userId, true);
    expect(await read()).toBeNull();
  });

  test("a session does not outlive a deactivation that its sign-in did not see", async () => {
    const { userId, email } = await accounts.register("viewer");
    const passwords = {
      ...accounts.context.passwords,
      verify: async () => {
        await setActive(userId, false);
        return true;
      },
    };
    const context = { ...accounts.context, passwords };
    const form = { email, password: PASSWORD, network: SOME_NETWORK };
    const begun = await loginCommand(context, form, DAY);
    const session = { sessionId: begun?.sessionId ?? "", userId, now: new Date() };
    await setActive(userId, true);
    expect(await readSession(accounts.pool, session)).toBeNull();
  });

  test("a session ends together with the reset tokens when the account is deactivated", async () => {
    const { userId } = await signedIn();
    const token = await issueResetToken(accounts.pool, userId, new Date(), 60_000);
    await setActive(userId, false);
    await setActive(userId, true);
    expect(await consumeResetToken(accounts.pool, token ?? "", new Date())).toBeNull();
  });

  test("a session is another user's for nobody", async () => {
    const { sessionId } = await signedIn();
    const { userId } = await signedIn();
    const stolen = { sessionId, userId, now: new Date() };
    expect(await readSession(accounts.pool, stolen)).toBeNull();
  });

  test("a session is destroyed by logout, which clears the cookie and leaves other sessions", async () => {
    const { read, email, userId } = await signedIn();
    const other = await loginCommand(
      accounts.context,
      { email, password: PASSWORD, network: SOME_NETWORK },
      DAY,
    );
    const actor = await read();
    if (!actor || !other) throw new Error("no session");
    const answer = await logoutHandler({ ...accounts.context, publicBaseUrl })(callOf({ actor }));
    expect(answer).toEqual({
      body: { success: true },
      headers: {
        "set-cookie": "__Host-session=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax; Secure",
      },
    });
    expect(await read()).toBeNull();
    const { sessionId } = other;
    const remaining = { sessionId, userId, now: new Date() };
    expect(await readSession(accounts.pool, remaining)).not.toBeNull();
  });

  test("a session is shown to the one who is signed in, and nothing to a guest", async () => {
    const { read, userId, email } = await signedIn();
    const actor = await read();
    if (!actor) throw new Error("no session");
    expect(await getSessionHandler({})(callOf({ actor }))).toEqual({
      body: { user: { id: userId, email, name: "Ana", role: "viewer" }, expires: actor.expires },
    });
    expect(await getSessionHandler({})(callOf({}))).toEqual({ body: {} });
  });
});

test("logout answers success to a guest too", async () => {
  const handler = logoutHandler({ ...accounts.context, publicBaseUrl });
  expect(await handler(callOf({}))).toMatchObject({ body: { success: true } });
});
