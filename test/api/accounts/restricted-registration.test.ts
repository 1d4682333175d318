import { describe, expect, test } from "vitest";
import type { Notification } from "#contracts/http/notifications.ts";
import { newEmail, PASSWORD } from "../../support/api/accounts.ts";
import { resetTokenOf } from "../../support/api/reset-token.ts";
import { createApiClient } from "../../support/api-client.ts";
import { useService } from "../../support/service.ts";

type Answered = { readonly user: { readonly id: string; readonly is_active: boolean } };

describe("with REGISTRATION=approval", () => {
  const service = useService({ REGISTRATION: "approval" });

  test("an account is inactive until an administrator activates it; administrators are told of it, then its owner", async () => {
    const guest = createApiClient(service.url);
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
    const admin = await service.loginAs("admin");
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
    const { body } = await createApiClient(service.url).get("/api/settings");
    expect(body).toMatchObject({ registration: "approval" });
  });
});

describe("with REGISTRATION=closed", () => {
  const service = useService({ REGISTRATION: "closed" });

  test.each([{}, { name: "Ana", email: newEmail(), password: PASSWORD }])(
    "registering with %j is 403, and says that registration is closed",
    async (form) => {
      const guest = createApiClient(service.url);
      const { status, body } = await guest.send("POST", "/api/auth/register", form);
      expect({ status, body }).toEqual({ status: 403, body: { error: "Registration is closed" } });
    },
  );

  test("an account that an administrator makes has no password until its owner chooses one", async () => {
    const admin = await service.loginAs("admin");
    const email = newEmail();
    const form = { name: " Ana ", email, role: "editor" };
    const { status, headers, body } = await admin.send<Answered>("POST", "/api/users", form);
    expect(status).toBe(201);
    expect(body.user).toMatchObject({ name: "Ana", email, role: "editor", is_active: true });
    const { id } = body.user;
    expect(headers.get("location")).toBe(`/api/users/${id}`);
    const guest = createApiClient(service.url);
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
  const service = useService();

  test("POST /api/users makes a viewer where no role is given", async () => {
    const admin = await service.loginAs("admin");
    const form = { name: "Ana", email: newEmail() };
    expect((await admin.send("POST", "/api/users", form)).body).toMatchObject({
      user: { role: "viewer", email_verified: false, last_login: null },
    });
  });

  test.each([
    [{ name: "Ana", email: "no address" }, "Invalid email format"],
    [{ name: " ", email: newEmail() }, "A name is required"],
    [{ name: "a\u0000", email: newEmail() }, /The name /],
    [{ name: "Ana", email: newEmail(), role: "owner" }, /role/],
    [{ name: "Ana", email: newEmail(), password: PASSWORD }, /password/],
  ])("POST /api/users refuses %j", async (form, sentence) => {
    const admin = await service.loginAs("admin");
    const { status, body } = await admin.send<{ error: string }>("POST", "/api/users", form);
    expect(status).toBe(400);
    expect(JSON.stringify(body)).toMatch(sentence);
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
