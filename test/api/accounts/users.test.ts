import { describe, expect, test } from "vitest";
import type { UserDetails } from "#contracts/http/accounts.ts";
import type { Notification } from "#contracts/http/following.ts";
import { administrator, newAccount, newEmail, PASSWORD } from "../../support/api/accounts.ts";
import { expectRefusal } from "../../support/api/refusal.ts";
import { resetTokenOf } from "../../support/api/reset-token.ts";
import { createApiClient } from "../../support/api-client.ts";
import { sharedService, useService } from "../../support/service.ts";

const service = sharedService();

describe("/api/users", () => {
  const admin = () => administrator(service);

  test("/api/users lists every account, newest first, without anything secret", async () => {
    const client = await admin();
    const older = await newAccount(service, "viewer");
    const newer = await newAccount(service, "editor");
    const { body } = await client.get<{ users: UserDetails[] }>("/api/users");
    expect(body.users.slice(0, 2).map(({ id }) => id)).toEqual([newer.id, older.id]);
    expect(Object.keys(body.users[0] ?? {}).sort()).toEqual([
      "created_at",
      "email",
      "email_verified",
      "id",
      "is_active",
      "last_login",
      "name",
      "role",
      "updated_at",
    ]);
    expect(JSON.stringify(body)).not.toMatch(/argon2|password|hash/i);
  });

  test("/api/users changes role, state and name, and answers the user so", async () => {
    const { id, email } = await newAccount(service, "viewer");
    const change = { role: "editor", is_active: false, name: "Ana María" };
    const answer = await (await admin()).send("PATCH", `/api/users/${id}`, change);
    expect(answer).toMatchObject({ status: 200, body: { user: { id, email, ...change } } });
    expect((await (await admin()).get(`/api/users/${id}`)).body).toEqual(answer.body);
  });

  // What schemas say of members, all operations are asked for (hostile/bodies).
  test("/api/users refuses what changes nothing, a name of two lines or of none, and names the field", async () => {
    const { id } = await newAccount(service, "viewer");
    const client = await admin();
    const change = (body: unknown) => client.send("PATCH", `/api/users/${id}`, body);
    const { body: before } = await client.get(`/api/users/${id}`);
    expectRefusal(await change({}), "VALIDATION_ERROR", "role");
    expectRefusal(await change({ name: "a\nb" }), "VALIDATION_ERROR", "name");
    expectRefusal(await change({ name: " " }), "MISSING_NAME");
    expect((await client.get(`/api/users/${id}`)).body).toEqual(before);
  });

  test("/api/users answers 404 for whom nobody knows", async () => {
    const client = await admin();
    for (const id of ["user_1_unknown", "no-user", "%00", "..%2f", "user_1_a'--"]) {
      const path = `/api/users/${id}`;
      expectRefusal(await client.get(path), "NOT_FOUND");
      expectRefusal(await client.send("PATCH", path, { role: "editor" }), "NOT_FOUND");
      expectRefusal(await client.send("DELETE", path), "NOT_FOUND");
    }
  });

  test("/api/users refuses to take yourself a role, your access or your account", async () => {
    const { id, signIn } = await newAccount(service, "admin");
    const { client } = await signIn();
    const path = `/api/users/${id}`;
    for (const change of [{ role: "viewer" }, { role: "editor" }, { is_active: false }]) {
      expectRefusal(await client.send("PATCH", path, change), "VALIDATION_ERROR", "yourself");
    }
    expectRefusal(await client.send("DELETE", path), "VALIDATION_ERROR", "yourself");
    expect((await client.get("/api/users")).status).toBe(200);
  });

  test("/api/users lets you rename yourself", async () => {
    const { id, signIn } = await newAccount(service, "admin");
    const { client } = await signIn();
    const answer = await client.send("PATCH", `/api/users/${id}`, { name: "Me", role: "admin" });
    expect(answer).toMatchObject({ status: 200, body: { user: { name: "Me" } } });
  });
});

const guest = () => createApiClient(service.url);

describe("DELETE /api/users/{id}", () => {
  test("DELETE /api/users/{id} ends the account with its sessions and tokens, and frees its address", async () => {
    const admin = await administrator(service);
    const { id, email, signIn } = await newAccount(service, "editor");
    const { client } = await signIn();
    const token = await resetTokenOf(service, id);
    const answer = await admin.send("DELETE", `/api/users/${id}`);
    expect(answer).toMatchObject({ status: 200, body: { message: "User deleted" } });
    expectRefusal(await client.get("/api/role-requests/me"), "UNAUTHENTICATED");
    expectRefusal(await admin.get(`/api/users/${id}`), "NOT_FOUND");
    const credentials = { email, password: PASSWORD };
    expect((await guest().send("POST", "/api/auth/login", credentials)).status).toBe(401);
    const reset = { token, newPassword: "another password" };
    expectRefusal(
      await guest().send("POST", "/api/auth/reset-password", reset),
      "VALIDATION_ERROR",
    );
    const form = { ...credentials, name: "Ana again" };
    const again = await guest().send<{ user: { id: string } }>("POST", "/api/auth/register", form);
    expect(again.status).toBe(201);
    expect(again.body.user.id).not.toBe(id);
    expectRefusal(await admin.send("DELETE", `/api/users/${id}`), "NOT_FOUND");
  });

  test("DELETE /api/users/{id} takes the user's role requests along", async () => {
    const admin = await administrator(service);
    const { id, signIn } = await newAccount(service, "viewer");
    const form = { requestedRole: "admin", justification: "I run the network." };
    await (await signIn()).client.send("POST", "/api/role-requests", form);
    const requesters = async () => {
      const { body } = await admin.get<{ requests: { user_id: string }[] }>("/api/role-requests");
      return body.requests.map(({ user_id }) => user_id);
    };
    expect(await requesters()).toContain(id);
    await admin.send("DELETE", `/api/users/${id}`);
    expect(await requesters()).not.toContain(id);
  });
});

const REQUIRED = "Email, password, and name are required";
const EMAIL_FORMAT = "Invalid email format";
const SHORT_PASSWORD = "Password must be at least 8 characters long";
const LONG_PASSWORD = "Password must be at most 1000 characters long";
const LONG_NAME = "The name is longer than 255 characters";

describe("POST /api/auth/register", () => {
  const register = (form: unknown) => guest().send("POST", "/api/auth/register", form);

  test("POST /api/auth/register makes an active viewer and answers the user without anything secret", async () => {
    const email = newEmail();
    const { status, body } = await register({ name: " Ana ", email, password: PASSWORD });
    expect(status).toBe(201);
    expect(body).toEqual({
      message: expect.stringMatching(/\S/),
      user: {
        id: expect.stringMatching(/^user_\d+_[0-9a-z]+$/),
        email,
        name: "Ana",
        role: "viewer",
        is_active: true,
        email_verified: false,
        created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      },
    });
  });

  test("POST /api/auth/register answers the account as an administrator then sees it", async () => {
    const form = { name: "\u0041\u030a 🜨", email: newEmail().toUpperCase(), password: PASSWORD };
    const { user } = (await register(form)).body as { user: { id: string; created_at: string } };
    const admin = await administrator(service);
    const { body } = await admin.get<{ users: UserDetails[] }>("/api/users");
    expect(body.users.find(({ id }) => id === user.id)).toEqual({
      ...user,
      updated_at: user.created_at,
      last_login: null,
    });
  });

  test("POST /api/auth/register takes no role from who registers", async () => {
    const form = { name: "Eve", email: newEmail(), password: PASSWORD, role: "admin" };
    expect((await register(form)).body).toMatchObject({ user: { role: "viewer" } });
  });

  // The order of the checks: required fields, then the email's form, then the password.
  const REFUSED: readonly [form: object, error: string][] = [
    [{}, REQUIRED],
    [{ name: "a", email: "a@example.org" }, REQUIRED],
    [{ name: "a", password: PASSWORD }, REQUIRED],
    [{ email: "a@example.org", password: PASSWORD }, REQUIRED],
    [{ name: "", email: "a@example.org", password: PASSWORD }, REQUIRED],
    [{ name: "a", email: null, password: PASSWORD }, REQUIRED],
    [{ name: ["a"], email: "a@example.org", password: PASSWORD }, REQUIRED],
    [{ name: "", email: "no address", password: "short" }, REQUIRED],
    [{ name: "a", email: "no address", password: PASSWORD }, EMAIL_FORMAT],
    [{ name: "a", email: "no address", password: "short" }, EMAIL_FORMAT],
    [{ name: "a", email: "a@b", password: PASSWORD }, EMAIL_FORMAT],
    [{ name: "a", email: "a@example.org\0", password: PASSWORD }, EMAIL_FORMAT],
    [{ name: "a", email: "a@example.org\nBcc: b@example.org", password: PASSWORD }, EMAIL_FORMAT],
    [{ name: "a", email: "admin@example.org", password: "1234567" }, SHORT_PASSWORD],
    [{ name: "a", email: newEmail(), password: "🜨".repeat(7) }, SHORT_PASSWORD],
    [{ name: "a", email: newEmail(), password: "x".repeat(1_001) }, LONG_PASSWORD],
    [{ name: "x".repeat(256), email: newEmail(), password: PASSWORD }, LONG_NAME],
    [{ name: "x".repeat(256), email: newEmail(), password: "x".repeat(1_001) }, LONG_PASSWORD],
  ];

  test("POST /api/auth/register answers what it refuses with 400 and {error} alone", async () => {
    for (const [form, error] of REFUSED) {
      const { status, body } = await register(form);
      expect([form, status, body]).toEqual([form, 400, { error }]);
    }
  });

  test("POST /api/auth/register takes a password of 8 and of 1,000 characters, and a name of 255", async () => {
    for (const form of [
      { name: "a", email: newEmail(), password: "12345678" },
      { name: "🜨".repeat(255), email: newEmail(), password: "🜨".repeat(1_000) },
    ]) {
      expect((await register(form)).status).toBe(201);
      expect((await guest().send("POST", "/api/auth/login", form)).status).toBe(200);
    }
  });

  test("POST /api/auth/register answers 409 and {error} alone for an address in use, in any case", async () => {
    const email = newEmail();
    await register({ name: "a", email, password: PASSWORD });
    const again = await register({ name: "b", email: email.toUpperCase(), password: PASSWORD });
    expect(again.status).toBe(409);
    expect(again.body).toEqual({ error: "User with this email already exists" });
  });
});

type Answered = { readonly user: { readonly id: string; readonly is_active: boolean } };

describe("with REGISTRATION=approval", () => {
  const approving = useService({ REGISTRATION: "approval" });

  test("an account is inactive until an administrator activates it; administrators are told of it, then its owner", async () => {
    const guest = createApiClient(approving.url);
    const credentials = { email: newEmail(), password: PASSWORD };
    const form = { name: "Ana", ...credentials };
    const { status, body } = await guest.send<Answered>("POST", "/api/auth/register", form);
    expect(status).toBe(201);
    expect(body).toMatchObject({
      message: expect.stringContaining("activate"),
      user: { role: "viewer", is_active: false },
    });
    const { id } = body.user;
    expect(await guest.send("POST", "/api/auth/login", credentials)).toMatchObject({
      status: 401,
      body: { error: "Invalid email or password" },
    });
    const admin = await approving.loginAs("admin");
    const mails = async () => {
      const listed = await admin.get<{ notifications: Notification[] }>("/api/notifications");
      return listed.body.notifications.map(({ type, status }) => ({ type, status }));
    };
    const asked = { type: "approval_requested", status: "delivered" };
    await expect.poll(mails).toEqual([asked]);
    const { body: audit } = await admin.get<{ entries: { type: string; summary: string }[] }>(
      `/api/audit?subject=user-${id}`,
    );
    expect(audit.entries).toMatchObject([
      { type: "EmailReserved" },
      { type: "UserRegistered" },
      {
        type: "ApprovalRequested",
        summary: "Account registered, to be activated by an administrator",
      },
    ]);
    await admin.send("PATCH", `/api/users/${id}`, { is_active: true });
    expect((await guest.send("POST", "/api/auth/login", credentials)).status).toBe(200);
    await expect.poll(mails).toEqual([{ type: "account_activated", status: "delivered" }, asked]);
  });

  test("the settings say that an administrator has to approve", async () => {
    const { body } = await createApiClient(approving.url).get("/api/settings");
    expect(body).toMatchObject({ registration: "approval" });
  });
});

describe("with REGISTRATION=closed", () => {
  const closed = useService({ REGISTRATION: "closed", ROLES: "gateway" }, { copyOf: service });

  test("registering is 403, and says that registration is closed", async () => {
    for (const form of [{}, { name: "Ana", email: newEmail(), password: PASSWORD }]) {
      const guest = createApiClient(closed.url);
      const { status, body } = await guest.send("POST", "/api/auth/register", form);
      expect({ status, body }).toEqual({ status: 403, body: { error: "Registration is closed" } });
    }
  });

  test("an account that an administrator makes has no password until its owner chooses one", async () => {
    const admin = await closed.loginAs("admin");
    const email = newEmail();
    const form = { name: " Ana ", email, role: "editor" };
    const { status, headers, body } = await admin.send<Answered>("POST", "/api/users", form);
    expect(status).toBe(201);
    expect(body.user).toMatchObject({ name: "Ana", email, role: "editor", is_active: true });
    const { id } = body.user;
    expect(headers.get("location")).toBe(`/api/users/${id}`);
    const guest = createApiClient(closed.url);
    for (const password of ["", PASSWORD, "null"]) {
      expect((await guest.send("POST", "/api/auth/login", { email, password })).status).toBe(401);
    }
    const reset = { token: await resetTokenOf(service, id), newPassword: PASSWORD };
    expect((await guest.send("POST", "/api/auth/reset-password", reset)).status).toBe(200);
    expect(
      await guest.send("POST", "/api/auth/login", { email, password: PASSWORD }),
    ).toMatchObject({ status: 200, body: { user: { id, role: "editor" } } });
  });
});

describe("POST /api/users", () => {
  test("POST /api/users makes a viewer where no role is given", async () => {
    const admin = await service.loginAs("admin");
    const form = { name: "Ana", email: newEmail() };
    expect((await admin.send("POST", "/api/users", form)).body).toMatchObject({
      user: { role: "viewer", email_verified: false, last_login: null },
    });
  });

  test("POST /api/users refuses an address that has an account", async () => {
    const admin = await service.loginAs("admin");
    const form = { name: "Ana", email: newEmail() };
    await admin.send("POST", "/api/users", form);
    expect(await admin.send("POST", "/api/users", form)).toMatchObject({
      status: 409,
      body: { error: "User with this email already exists" },
    });
  });
});
