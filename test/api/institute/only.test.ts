import { describe, expect, test } from "vitest";
import { newAccount, newEmail, PASSWORD } from "../../support/api/accounts.ts";
import { createApiClient } from "../../support/api-client.ts";
import { createVisitor } from "../../support/openid/start-institute.ts";
import { signInOf, useService } from "../../support/service.ts";
import { newPerson, useInstitute } from "./use-institute.ts";

const before = useService();

describe("with OIDC_ONLY", () => {
  const scene = useInstitute({ OIDC_ONLY: "true" }, { copyOf: before });
  const guest = () => createApiClient(scene.service.url);
  const OFF = { error: expect.stringContaining("institute's account"), code: "FORBIDDEN" };

  test("registration is closed", async () => {
    const form = { name: "Ana", email: newEmail(), password: PASSWORD };
    const { status, body } = await guest().send("POST", "/api/auth/register", form);
    expect({ status, body }).toEqual({ status: 403, body: { error: "Registration is closed" } });
  });

  test("passwords are neither forgotten, reset nor changed", async () => {
    const { email } = signInOf("admin");
    const reset = { token: "any", newPassword: PASSWORD };
    const answers = [
      await guest().send("POST", "/api/auth/forgot-password", { email }),
      await guest().send("POST", "/api/auth/reset-password", reset),
      await (await scene.service.loginAs("admin")).send("POST", "/api/auth/change-password", {
        currentPassword: signInOf("admin").password,
        newPassword: PASSWORD,
      }),
    ];
    for (const { status, body } of answers)
      expect({ status, body }).toEqual({ status: 403, body: OFF });
  });

  test("only the bootstrap administrator signs in by a password", async () => {
    const { email } = await newAccount(before, "admin");
    const login = (credentials: object) => guest().send("POST", "/api/auth/login", credentials);
    const refused = await login({ email, password: PASSWORD });
    expect(refused).toMatchObject({ status: 401, body: { error: "Invalid email or password" } });
    const { email: bootstrap, password } = signInOf("admin");
    expect((await login({ email: bootstrap.toUpperCase(), password })).status).toBe(200);
  });

  test("whoever had a password joins the account by it", async () => {
    const { id, email } = await newAccount(before, "editor");
    const visitor = createVisitor();
    expect((await scene.signIn(newPerson({ email }), visitor)).location).toMatch(/^\/join/);
    const joined = await visitor.post(`${scene.service.url}/api/auth/oidc/join`, {
      password: PASSWORD,
    });
    expect(joined.status).toBe(200);
    expect(await scene.session(visitor)).toMatchObject({ id });
  });

  test("the settings say so", async () => {
    expect((await guest().get("/api/settings")).body).toMatchObject({
      registration: "closed",
      signIn: { passwords: false, institute: true },
    });
  });
});

describe("with REGISTRATION=approval", () => {
  const scene = useInstitute({ REGISTRATION: "approval" });

  test("a first sign-in makes an account that an administrator has to activate", async () => {
    const person = newPerson();
    const visitor = createVisitor();
    expect((await scene.signIn(person, visitor)).status).toBe(403);
    expect((await scene.signIn(person, visitor)).status).toBe(403);
    const admin = await scene.service.loginAs("admin");
    const { body } = await admin.get<{ users: { id: string; email: string }[] }>("/api/users");
    const [user] = body.users.filter(({ email }) => email === person["email"]);
    expect(user).toMatchObject({ is_active: false });
    await admin.send("PATCH", `/api/users/${user?.id}`, { is_active: true });
    expect((await scene.signIn(person, visitor)).status).toBe(302);
    expect(await scene.session(visitor)).toMatchObject({ id: user?.id });
  });
});

describe("without OIDC_ISSUER", () => {
  test.each([
    ["GET", "/api/auth/oidc"],
    ["GET", "/api/auth/oidc?next=/profile"],
    ["GET", "/api/auth/oidc/callback?code=a&state=b"],
    ["POST", "/api/auth/oidc/join"],
  ])("%s %s is 404", async (method, path) => {
    expect((await fetch(before.url + path, { method })).status).toBe(404);
  });

  test("the settings tell of no institute", async () => {
    expect((await createApiClient(before.url).get("/api/settings")).body).toMatchObject({
      signIn: { passwords: true, institute: false },
    });
  });
});
