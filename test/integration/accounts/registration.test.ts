import { sql } from "slonik";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { Refusal } from "#contracts/errors.ts";
import { User } from "#contracts/http/accounts/accounts.ts";
import { emailStream } from "#contracts/names.ts";
import type { Position } from "#infra/event-log/event-log.ts";
import { emailHmac } from "#infra/security/personal-data.ts";
import { waitForPosition } from "#projections/engine/wait-for-position.ts";
import { registerUserCommand } from "#services/commands/accounts/register-user.ts";
import { updateUserCommand } from "#services/commands/accounts/update-user.ts";
import { errorAnswer, RegistrationError } from "#services/gateway/http/error-answer.ts";
import { registerHandler } from "#services/gateway/routes/accounts/register.ts";
import { callOf } from "./call-of.ts";
import { newCommand, newEmail, PASSWORD, useAccounts } from "./use-accounts.ts";

const accounts = useAccounts();

const hmacOf = (email: string) => emailHmac(accounts.context.emailKey, email);

/** What the handler needs, where everybody may register. */
const open = () => ({ context: accounts.context, registration: "open" as const, openId: null });

async function countKeys(): Promise<number> {
  return accounts.pool.oneFirst(
    sql.type(z.object({ count: z.number() }))`select count(*)::int as count from vault.user_keys`,
  );
}

describe("registration", () => {
  test("registration answers 201 with an active viewer whose address is as given and not verified", async () => {
    const email = `Ana.${newEmail()}`;
    const handler = registerHandler(open());
    const before = Date.now();
    const { body, status } = await handler(
      callOf({ body: { email, password: PASSWORD, name: " Ana Ōkahu " } }),
    );
    expect(status ?? 201).toBe(201);
    expect(body).toEqual({
      message: expect.any(String),
      user: {
        id: expect.stringMatching(/^user_\d+_[0-9a-z]{9}$/),
        email,
        name: "Ana Ōkahu",
        role: "viewer",
        is_active: true,
        email_verified: false,
        created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      },
    });
    const { created_at } = User.parse(body.user);
    expect(Date.parse(created_at)).toBeGreaterThanOrEqual(before);
    expect(Date.parse(created_at)).toBeLessThanOrEqual(Date.now());
  });

  test.each([
    [{}, 400, "Email, password, and name are required"],
    [{ email: "nope", password: "short", name: "Ana" }, 400, "Invalid email format"],
    [
      { email: "a@example.org", password: "short", name: "Ana" },
      400,
      "Password must be at least 8 characters long",
    ],
  ])("registration refuses %j with %i %s", async (body, status, message) => {
    const refused = registerHandler(open())(callOf({ body }));
    await expect(refused).rejects.toThrow(RegistrationError);
    await expect(refused).rejects.toMatchObject({ status, message });
  });

  test("registration refuses an address in use in other capitals with 409, and leaves no key behind", async () => {
    const { email } = await accounts.register("viewer");
    const keys = await countKeys();
    const body = { email: email.toUpperCase(), password: PASSWORD, name: "Eve" };
    await expect(registerHandler(open())(callOf({ body }))).rejects.toMatchObject({
      status: 409,
      message: "User with this email already exists",
    });
    expect(await countKeys()).toBe(keys);
  });

  test("registration refuses the address of a disabled account", async () => {
    const { userId, email } = await accounts.register("viewer");
    await updateUserCommand(accounts.context, newCommand(), userId, { isActive: false });
    const form = { email, password: PASSWORD, name: "Ana" };
    await expect(registerUserCommand(accounts.context, newCommand(), form)).rejects.toThrow(
      new Refusal("CONFLICT", "User with this email already exists"),
    );
  });

  test("registration answers 500 Registration failed for a fault, and tells nothing of it", async () => {
    const fault = new Error("connection to 10.0.0.1 lost");
    const context = {
      ...accounts.context,
      passwords: { ...accounts.context.passwords, hash: () => Promise.reject(fault) },
    };
    const body = { email: newEmail(), password: PASSWORD, name: "Ana" };
    await expect(registerHandler({ ...open(), context })(callOf({ body }))).rejects.toMatchObject({
      status: 500,
      message: "Registration failed",
      cause: fault,
    });
  });

  test("registration answers 503 as every other change does where no projector makes it visible in time", async () => {
    const context = {
      ...accounts.context,
      untilVisible: (_: string, position: Position | null) =>
        waitForPosition(accounts.pool, "a projection that nobody runs", position, 50),
    };
    const body = { email: newEmail(), password: PASSWORD, name: "Ana" };
    const refused = registerHandler({ ...open(), context })(callOf({ body }));
    const error = await refused.catch((reason: unknown) => reason);
    expect(errorAnswer(error)).toEqual({
      status: 503,
      body: { error: expect.stringContaining("not visible yet"), code: "NOT_VISIBLE_YET" },
    });
  });

  test("registration takes one of 50 concurrent registrations of one address and refuses the others", async () => {
    const email = newEmail();
    const keys = await countKeys();
    const registrations = Array.from({ length: 50 }, (_, i) =>
      registerUserCommand(accounts.context, newCommand(), {
        email: i % 2 === 0 ? email : email.toUpperCase(),
        password: PASSWORD,
        name: `Ana ${i}`,
      }),
    );
    const outcomes = await Promise.allSettled(registrations);
    const taken = outcomes.filter((outcome) => outcome.status === "fulfilled");
    const refused = outcomes.filter((outcome) => outcome.status === "rejected");
    expect(taken).toHaveLength(1);
    expect(new Set(refused.map(({ reason }) => String(reason)))).toEqual(
      new Set(["Refusal: User with this email already exists"]),
    );
    expect(await accounts.log.read(emailStream(hmacOf(email)), 0, 10)).toHaveLength(1);
    expect(await countKeys()).toBe(keys + 1);
  });

  test("registration leaves nothing of the address, the name or the password in the log", async () => {
    const email = "vertraulich@example.org";
    const name = "Vertraulich Anzengruber";
    const password = "sehr-geheimes-wort";
    const form = { email, password, name };
    const { userId } = await registerUserCommand(accounts.context, newCommand(), form);
    const log = JSON.stringify(await accounts.events());
    expect(log).toContain(userId);
    for (const secret of ["vertraulich", "anzengruber", password, "$argon2id$"]) {
      expect(log.toLowerCase()).not.toContain(secret);
    }
  });
});
