import { describe, expect, test } from "vitest";
import type { UserDetails } from "#contracts/http/accounts.ts";
import { newAccount, newEmail, PASSWORD } from "../../support/api/accounts.ts";
import { createCatalogue } from "../../support/api/catalogue.ts";
import { eventsOfUser } from "../../support/api/log-rows.ts";
import { expectRefusal } from "../../support/api/refusal.ts";
import { resetTokenOf } from "../../support/api/reset-token.ts";
import { claimsOf } from "../../support/api/tokens.ts";
import { createApiClient } from "../../support/api-client.ts";
import { sharedService } from "../../support/service.ts";
import { tryUpgrade } from "../../support/try-upgrade.ts";

const service = sharedService();
const guest = () => createApiClient(service.url);

describe("POST /api/auth/login", () => {
  const login = (form: unknown) =>
    guest().send<{ user: unknown; token: string }>("POST", "/api/auth/login", form);

  test("POST /api/auth/login answers the user and the token, and sets it as cookie for 30 days", async () => {
    const { id, email } = await newAccount(service, "viewer");
    const { status, body, headers } = await login({
      email: email.toUpperCase(),
      password: PASSWORD,
    });
    expect(status).toBe(200);
    expect(body).toEqual({
      user: { id, email, name: "viewer", role: "viewer" },
      token: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
    });
    const cookie = `session=${body.token}; Max-Age=2592000; Path=/; HttpOnly; SameSite=Lax`;
    expect(headers.getSetCookie()).toEqual([cookie]);
    expect(claimsOf(body.token)).toMatchObject({ sub: id });
  });

  test("POST /api/auth/login answers alike for an unknown address, a wrong password and a disabled account", async () => {
    const { id, email } = await newAccount(service, "viewer");
    const disabled = await newAccount(service, "viewer");
    const admin = await service.loginAs("admin");
    await admin.send("PATCH", `/api/users/${disabled.id}`, { is_active: false });
    for (const form of [
      { email: newEmail(), password: PASSWORD },
      { email: "no address", password: PASSWORD },
      { email, password: `${PASSWORD}!` },
      { email, password: "" },
      { email: id, password: PASSWORD },
      { email: disabled.email, password: PASSWORD },
    ]) {
      const { status, body, headers } = await login(form);
      expect(status).toBe(401);
      expect(body).toEqual({ error: "Invalid email or password", code: "UNAUTHENTICATED" });
      expect(headers.getSetCookie()).toEqual([]);
    }
  });

  test("POST /api/auth/login is the user's last login from then on", async () => {
    const { id, signIn } = await newAccount(service, "viewer");
    const admin = await service.loginAs("admin");
    const lastLogin = async () =>
      (await admin.get<{ user: UserDetails }>(`/api/users/${id}`)).body.user.last_login;
    expect(await lastLogin()).toBeNull();
    await signIn();
    expect(await lastLogin()).toMatch(/Z$/);
  });
});

const BASE_URL = "http://catalogues.example.org";

describe("a session", () => {
  test("a session is shown to its user, and is empty for anybody else", async () => {
    const { id, email, signIn } = await newAccount(service, "editor");
    const { client } = await signIn();
    expect((await client.get("/api/auth/session")).body).toEqual({
      user: { id, email, name: "editor", role: "editor" },
      expires: expect.stringMatching(/Z$/),
    });
    for (const stranger of [guest(), createApiClient(service.url, "no.good.token")]) {
      expect(await stranger.get("/api/auth/session")).toMatchObject({ status: 200, body: {} });
    }
  });

  test("a session ends by logging out, which takes the cookie away; others of the user live on", async () => {
    const { signIn } = await newAccount(service, "viewer");
    const [first, second] = [await signIn(), await signIn()];
    const { status, body, headers } = await first.client.send("POST", "/api/auth/logout");
    expect({ status, body }).toEqual({ status: 200, body: { success: true } });
    expect(headers.getSetCookie()).toEqual(["session=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax"]);
    expect((await first.client.get("/api/auth/session")).body).toEqual({});
    expect((await second.client.get("/api/auth/session")).body).toHaveProperty("user");
    expect((await guest().send("POST", "/api/auth/logout")).status).toBe(200);
  });

  test("a session is carried by the cookie as well as by the bearer token", async () => {
    const { signIn } = await newAccount(service, "editor");
    const { token } = await signIn();
    for (const headers of [
      { cookie: `session=${token}` },
      { cookie: `other=1; session=${token}` },
      { authorization: `bearer ${token}` },
    ]) {
      expect((await guest().get("/api/auth/session", headers)).body).toHaveProperty("user");
    }
  });

  const create = (headers: Record<string, string>) =>
    guest().send("POST", "/api/catalogues", { name: "by cookie", events: [] }, headers);

  test("a session by cookie writes without an origin, as from curl, and from the service's own", async () => {
    const { token } = await (await newAccount(service, "editor")).signIn();
    const cookie = `session=${token}`;
    expect((await create({ cookie })).status).toBe(201);
    expect((await create({ cookie, origin: BASE_URL })).status).toBe(201);
    for (const origin of [
      "http://evil.example.org",
      "https://catalogues.example.org",
      `${BASE_URL}:8080`,
      `${BASE_URL}.evil.org`,
      "null",
    ]) {
      expectRefusal(await create({ cookie, origin }), "FORBIDDEN", "origin");
    }
  });

  test("a session by cookie reads, and by bearer token writes, from any origin", async () => {
    const { token } = await (await newAccount(service, "editor")).signIn();
    const origin = "http://evil.example.org";
    const read = await guest().get("/api/auth/session", { cookie: `session=${token}`, origin });
    expect(read.status).toBe(200);
    expect((await create({ authorization: `Bearer ${token}`, origin })).status).toBe(201);
  });

  test("a session cannot be ended from another origin by its cookie", async () => {
    const { token, client } = await (await newAccount(service, "viewer")).signIn();
    const headers = { cookie: `session=${token}`, origin: "http://evil.example.org" };
    expectRefusal(await guest().send("POST", "/api/auth/logout", undefined, headers), "FORBIDDEN");
    expect((await client.get("/api/auth/session")).body).toHaveProperty("user");
  });

  const evil = { origin: "http://evil.example.org" };

  test("a WebSocket is given to who asks by a cookie from here, and to who asks without one", async () => {
    const { token, client } = await (await newAccount(service, "editor")).signIn();
    const cookie = { cookie: `session=${token}` };
    const bearer = { authorization: `Bearer ${token}` };
    const { id: open } = await createCatalogue(client, { is_public: true });
    const { id: closed } = await createCatalogue(client);
    for (const [headers, id, expected] of [
      [{ ...cookie, ...evil }, closed, 403],
      [{ ...cookie, origin: "null" }, closed, 403],
      [{ ...cookie, origin: BASE_URL }, closed, 101],
      [cookie, closed, 101],
      [{ ...bearer, ...evil }, closed, 101],
      [evil, open, 101],
    ] as const) {
      for (const path of [
        `/api/catalogues/${id}/feed/websocket`,
        `/api/feed/websocket?catalogue=${id}`,
      ]) {
        const status = await tryUpgrade(`${service.url}${path}`, headers);
        expect([path, headers, status]).toEqual([path, headers, expected]);
      }
    }
  });
});

const NEW = "a wholly new password";
const HOUR_MS = 60 * 60 * 1000;

const loginStatus = async (email: string, password: string) =>
  (await guest().send("POST", "/api/auth/login", { email, password })).status;

async function isSignedIn(client: ReturnType<typeof guest>): Promise<boolean> {
  const { body } = await client.get<{ user?: unknown }>("/api/auth/session");
  return body.user !== undefined;
}

describe("POST /api/auth/change-password", () => {
  test("POST /api/auth/change-password replaces the password; this session stays, the others end, reset tokens are void", async () => {
    const { id, email, signIn } = await newAccount(service, "viewer");
    const [here, there] = [(await signIn()).client, (await signIn()).client];
    const token = await resetTokenOf(service, id);
    const form = { currentPassword: PASSWORD, newPassword: NEW };
    const answer = await here.send("POST", "/api/auth/change-password", form);
    expect(answer).toMatchObject({ status: 200, body: { message: expect.stringMatching(/\S/) } });
    expect([await isSignedIn(here), await isSignedIn(there)]).toEqual([true, false]);
    expect([await loginStatus(email, PASSWORD), await loginStatus(email, NEW)]).toEqual([401, 200]);
    const reset = { token, newPassword: "another password" };
    expectRefusal(
      await guest().send("POST", "/api/auth/reset-password", reset),
      "VALIDATION_ERROR",
    );
    expect(await eventsOfUser(service, id)).toContainEqual({
      type: "PasswordChanged",
      data: { userId: id, how: "changed" },
    });
  });

  test("POST /api/auth/change-password answers 401 for a wrong current password, and changes nothing", async () => {
    const { email, signIn } = await newAccount(service, "viewer");
    const [here, there] = [(await signIn()).client, (await signIn()).client];
    const form = { currentPassword: `${PASSWORD}!`, newPassword: NEW };
    expectRefusal(await here.send("POST", "/api/auth/change-password", form), "UNAUTHENTICATED");
    expect(await isSignedIn(there)).toBe(true);
    expect(await loginStatus(email, PASSWORD)).toBe(200);
  });

  test("POST /api/auth/change-password answers 400 for a new password under 8 characters", async () => {
    const { email, signIn } = await newAccount(service, "viewer");
    const { client } = await signIn();
    const form = { currentPassword: PASSWORD, newPassword: "1234567" };
    const answer = await client.send("POST", "/api/auth/change-password", form);
    expectRefusal(answer, "VALIDATION_ERROR", "at least 8 characters");
    expect(await loginStatus(email, PASSWORD)).toBe(200);
  });

  test("POST /api/auth/change-password lets one of five changes at once through", async () => {
    const { signIn } = await newAccount(service, "viewer");
    const { client } = await signIn();
    const answers = await Promise.all(
      Array.from({ length: 5 }, (_, i) =>
        client.send("POST", "/api/auth/change-password", {
          currentPassword: PASSWORD,
          newPassword: `${NEW} ${i}`,
        }),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401, 401, 401]);
  });
});

describe("POST /api/auth/forgot-password", () => {
  const forgot = (email: unknown) => guest().send("POST", "/api/auth/forgot-password", { email });

  test("POST /api/auth/forgot-password answers alike for every well-formed address; only an active account gets a reset", async () => {
    const active = await newAccount(service, "viewer");
    const disabled = await newAccount(service, "viewer");
    const admin = await service.loginAs("admin");
    await admin.send("PATCH", `/api/users/${disabled.id}`, { is_active: false });
    const answers = await Promise.all(
      [active.email.toUpperCase(), disabled.email, newEmail()].map(forgot),
    );
    for (const { status, body } of answers) {
      expect(status).toBe(200);
      expect(body).toEqual(answers[0]?.body);
    }
    const requested = async (id: string) =>
      (await eventsOfUser(service, id)).filter(({ type }) => type === "PasswordResetRequested")
        .length;
    expect([await requested(active.id), await requested(disabled.id)]).toEqual([1, 0]);
    const again = await Promise.all([active.email, active.email].map(forgot));
    expect(again.map(({ body }) => body)).toEqual([answers[0]?.body, answers[0]?.body]);
    expect(await requested(active.id)).toBe(1);
  });

  test("POST /api/auth/forgot-password answers 400 for what is no address", async () => {
    for (const email of ["no address", "a@b"]) {
      expectRefusal(await forgot(email), "VALIDATION_ERROR");
    }
  });
});

describe("POST /api/auth/reset-password", () => {
  const reset = (token: string, newPassword = NEW) =>
    guest().send("POST", "/api/auth/reset-password", { token, newPassword });

  test("POST /api/auth/reset-password sets the password once, and ends every session", async () => {
    const { id, email, signIn } = await newAccount(service, "viewer");
    const { client } = await signIn();
    const [token, other] = [await resetTokenOf(service, id), await resetTokenOf(service, id)];
    expect((await reset(token)).status).toBe(200);
    expect(await isSignedIn(client)).toBe(false);
    expect([await loginStatus(email, PASSWORD), await loginStatus(email, NEW)]).toEqual([401, 200]);
    expectRefusal(await reset(token, "another password"), "VALIDATION_ERROR", "token");
    expectRefusal(await reset(other, "another password"), "VALIDATION_ERROR", "token");
    expect(await loginStatus(email, NEW)).toBe(200);
    expect(await eventsOfUser(service, id)).toContainEqual({
      type: "PasswordChanged",
      data: { userId: id, how: "reset" },
    });
  });

  test("POST /api/auth/reset-password does not use up the token for a password under 8 characters", async () => {
    const { id, email } = await newAccount(service, "viewer");
    const token = await resetTokenOf(service, id);
    expectRefusal(await reset(token, "1234567"), "VALIDATION_ERROR", "at least 8 characters");
    expect(await loginStatus(email, PASSWORD)).toBe(200);
    expect((await reset(token)).status).toBe(200);
  });

  test("POST /api/auth/reset-password refuses an expired or unknown token, and takes one just under an hour old", async () => {
    const { id } = await newAccount(service, "viewer");
    const issued = (ago: number) => resetTokenOf(service, id, new Date(Date.now() - ago));
    for (const token of [await issued(HOUR_MS), "x".repeat(43)])
      expectRefusal(await reset(token), "VALIDATION_ERROR", "token");
    expect((await reset(await issued(HOUR_MS - 30_000))).status).toBe(200);
  });

  test("POST /api/auth/reset-password uses a token once of ten uses at once", async () => {
    const { id } = await newAccount(service, "viewer");
    const token = await resetTokenOf(service, id);
    const answers = await Promise.all(Array.from({ length: 10 }, () => reset(token)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 400)).toHaveLength(9);
  });
});
