import { describe, expect, test } from "vitest";
import type { UserDetails } from "#contracts/http/accounts/users.ts";
import { administrator, newEmail, PASSWORD } from "../../support/api/accounts.ts";
import { createApiClient } from "../../support/api-client.ts";
import { sharedService } from "../../support/service.ts";

const service = sharedService();
const guest = () => createApiClient(service.url);

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
  test.each([
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
  ])("POST /api/auth/register answers %j with 400 and {error} alone: %s", async (form, error) => {
    expect(await register(form)).toMatchObject({ status: 400, body: { error } });
    expect((await register(form)).body).toEqual({ error });
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

  test("POST /api/auth/register gives an address to one of 50 that ask at once", async () => {
    const form = { name: "a", email: newEmail(), password: PASSWORD };
    const answers = await Promise.all(Array.from({ length: 50 }, () => register(form)));
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses).toEqual([201, ...Array(49).fill(409)]);
  });
});
