import { describe, expect, test } from "vitest";
import type { UserDetails } from "#contracts/http/accounts/users.ts";
import { newAccount, newEmail, PASSWORD } from "../../support/api/accounts.ts";
import { expectRefusal } from "../../support/api/refusal.ts";
import { claimsOf } from "../../support/api/tokens.ts";
import { createApiClient } from "../../support/api-client.ts";
import { sharedService } from "../../support/service.ts";

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

  test.each([[{}], [{ email: "a@example.org" }], [{ email: 1, password: PASSWORD }]])(
    "POST /api/auth/login refuses %j by name",
    async (form) => {
      expectRefusal(
        await login(form),
        "VALIDATION_ERROR",
        "email" in form && form.email !== 1 ? "password" : "email",
      );
    },
  );

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
