import { describe, expect, test } from "vitest";
import type { RoleRequest } from "#contracts/http/accounts.ts";
import { administrator, newAccount, newEmail, PASSWORD } from "../../support/api/accounts.ts";
import { createCatalogue } from "../../support/api/catalogue.ts";
import { eventsOfUser } from "../../support/api/log-rows.ts";
import { expectRefusal } from "../../support/api/refusal.ts";
import { resetTokenOf } from "../../support/api/reset-token.ts";
import { claimsOf } from "../../support/api/tokens.ts";
import { type ApiClient, createApiClient } from "../../support/api-client.ts";
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

const JUSTIFICATION = "I review the network's catalogue.\nEvery week.";

type One = { request: RoleRequest };

function ask(client: ApiClient, requestedRole: unknown = "editor", justification = JUSTIFICATION) {
  return client.send<One>("POST", "/api/role-requests", { requestedRole, justification });
}

async function review(id: string, body: unknown) {
  return (await administrator(service)).send<One>("PATCH", `/api/role-requests/${id}`, body);
}

async function requester() {
  const account = await newAccount(service, "viewer");
  return { ...account, client: (await account.signIn()).client };
}

describe("POST /api/role-requests", () => {
  test("POST /api/role-requests answers the record, which the requester and administrators then list", async () => {
    const { id: userId, email, client } = await requester();
    const { status, body } = await ask(client, "editor", `  ${JUSTIFICATION} `);
    expect(status).toBe(201);
    expect(body.request).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      user_id: userId,
      user_email: email,
      user_name: "viewer",
      current_role: "viewer",
      requested_role: "editor",
      justification: JUSTIFICATION,
      status: "pending",
      admin_notes: null,
      created_at: expect.stringMatching(/Z$/),
      updated_at: body.request.created_at,
      reviewed_at: null,
      reviewed_by: null,
    });
    expect((await client.get("/api/role-requests/me")).body).toEqual({ requests: [body.request] });
    const admin = await administrator(service);
    const listed = async (status: string) =>
      (await admin.get<{ requests: unknown[] }>(`/api/role-requests?status=${status}`)).body
        .requests;
    expect((await listed("pending"))[0]).toEqual(body.request);
    expect(await listed("approved")).not.toContainEqual(body.request);
  });

  // What schemas say of members, all operations are asked for (hostile/bodies).
  test("POST /api/role-requests refuses blanks, controls and a role that is none above", async () => {
    const { client } = await requester();
    for (const [role, justification, field] of [
      ["editor", " ".repeat(20), "justification"],
      ["editor", "long \u0007enough", "justification"],
      ["viewer", JUSTIFICATION, "requestedRole"],
    ] as const) {
      expectRefusal(await ask(client, role, justification), "VALIDATION_ERROR", field);
    }
  });

  test("POST /api/role-requests takes a justification of several lines", async () => {
    const { client } = await requester();
    const justification = "I run the network.\r\n\tAnd its archive.";
    const { status, body } = await ask(client, "editor", justification);
    expect(status).toBe(201);
    expect(body.request).toMatchObject({ justification });
    const adminNotes = "Not\u202eyet";
    const refused = await review(body.request.id, { status: "rejected", adminNotes });
    expectRefusal(refused, "VALIDATION_ERROR", "adminNotes");
  });

  test("POST /api/role-requests keeps one pending request of ten at once", async () => {
    const { client } = await requester();
    const answers = await Promise.all(Array.from({ length: 10 }, () => ask(client)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(9).fill(409)]);
  });
});

describe("PATCH /api/role-requests/{id}", () => {
  test("PATCH /api/role-requests/{id} approves: the role bites on the requester's next request", async () => {
    const { client } = await requester();
    const { request } = (await ask(client)).body;
    const create = async () =>
      (await client.send("POST", "/api/catalogues", { name: "x", events: [] })).status;
    expect(await create()).toBe(403);
    const { status, body } = await review(request.id, { status: "approved", adminNotes: "Agreed" });
    expect(status).toBe(200);
    const { reviewed_at: reviewedAt } = body.request;
    expect(body.request).toEqual({
      ...request,
      status: "approved",
      admin_notes: "Agreed",
      reviewed_at: expect.stringMatching(/Z$/),
      reviewed_by: expect.stringMatching(/^user_/),
      updated_at: reviewedAt,
    });
    expect(await create()).toBe(201);
    expectRefusal(await review(request.id, { status: "rejected" }), "CONFLICT");
  });

  test("PATCH /api/role-requests/{id} rejects: the role stays, and another request may follow", async () => {
    const { client } = await requester();
    const { request } = (await ask(client, "admin")).body;
    const { body } = await review(request.id, { status: "rejected" });
    expect(body.request).toMatchObject({ status: "rejected", admin_notes: null });
    expectRefusal(await client.get("/api/users"), "FORBIDDEN");
    expectRefusal(await review(request.id, { status: "approved" }), "CONFLICT");
    expect((await ask(client, "editor")).status).toBe(201);
  });

  test("PATCH /api/role-requests/{id} never demotes whoever was meanwhile given a higher role", async () => {
    const { id, client } = await requester();
    const { request } = (await ask(client, "editor")).body;
    const admin = await administrator(service);
    await admin.send("PATCH", `/api/users/${id}`, { role: "admin" });
    const { body } = await review(request.id, { status: "approved" });
    expect(body.request.status).toBe("approved");
    expect((await client.get("/api/users")).status).toBe(200);
  });

  test("PATCH /api/role-requests/{id} is decided once by ten reviews at once", async () => {
    const { client } = await requester();
    const { request } = (await ask(client)).body;
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, i) =>
        review(request.id, { status: i % 2 === 0 ? "approved" : "rejected" }),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(409)]);
  });

  test("PATCH /api/role-requests/{id} answers 404 for what is not there", async () => {
    for (const id of ["00000000-0000-4000-8000-000000000000", "nothing", "%00"])
      expectRefusal(await review(id, { status: "approved" }), "NOT_FOUND");
  });
});
