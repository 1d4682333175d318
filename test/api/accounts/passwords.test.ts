import { describe, expect, test } from "vitest";
import { newAccount, newEmail, PASSWORD } from "../../support/api/accounts.ts";
import { eventsOfUser } from "../../support/api/log-rows.ts";
import { expectRefusal } from "../../support/api/refusal.ts";
import { resetTokenOf } from "../../support/api/reset-token.ts";
import { createApiClient } from "../../support/api-client.ts";
import { sharedService } from "../../support/service.ts";

const service = sharedService();
const guest = () => createApiClient(service.url);
const NEW = "a wholly new password";
const HOUR_MS = 60 * 60 * 1000;

const login = async (email: string, password: string) =>
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
    expect([await login(email, PASSWORD), await login(email, NEW)]).toEqual([401, 200]);
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
    expect(await login(email, PASSWORD)).toBe(200);
  });

  test("POST /api/auth/change-password answers 400 for a new password under 8 characters", async () => {
    const { email, signIn } = await newAccount(service, "viewer");
    const { client } = await signIn();
    const form = { currentPassword: PASSWORD, newPassword: "1234567" };
    const answer = await client.send("POST", "/api/auth/change-password", form);
    expectRefusal(answer, "VALIDATION_ERROR", "at least 8 characters");
    expect(await login(email, PASSWORD)).toBe(200);
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

  test.each(["no address", "", "a@b", "a@example.org\u0000", 7, null])(
    "POST /api/auth/forgot-password answers 400 for %j",
    async (email) => {
      expectRefusal(await forgot(email), "VALIDATION_ERROR");
    },
  );
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
    expect([await login(email, PASSWORD), await login(email, NEW)]).toEqual([401, 200]);
    expectRefusal(await reset(token, "another password"), "VALIDATION_ERROR", "token");
    expectRefusal(await reset(other, "another password"), "VALIDATION_ERROR", "token");
    expect(await login(email, NEW)).toBe(200);
    expect(await eventsOfUser(service, id)).toContainEqual({
      type: "PasswordChanged",
      data: { userId: id, how: "reset" },
    });
  });

  test("POST /api/auth/reset-password does not use up the token for a password under 8 characters", async () => {
    const { id, email } = await newAccount(service, "viewer");
    const token = await resetTokenOf(service, id);
    expectRefusal(await reset(token, "1234567"), "VALIDATION_ERROR", "at least 8 characters");
    expect(await login(email, PASSWORD)).toBe(200);
    expect((await reset(token)).status).toBe(200);
  });

  test("POST /api/auth/reset-password refuses an expired token, and takes one just under an hour old", async () => {
    const { id } = await newAccount(service, "viewer");
    const issued = (ago: number) => resetTokenOf(service, id, new Date(Date.now() - ago));
    expectRefusal(await reset(await issued(HOUR_MS)), "VALIDATION_ERROR", "token");
    expect((await reset(await issued(HOUR_MS - 30_000))).status).toBe(200);
  });

  test.each(["", "x".repeat(43), "\ud800", "\u0000"])(
    "POST /api/auth/reset-password refuses the token %j",
    async (token) => {
      expectRefusal(await reset(token), "VALIDATION_ERROR", "token");
    },
  );

  test("POST /api/auth/reset-password uses a token once of ten uses at once", async () => {
    const { id } = await newAccount(service, "viewer");
    const token = await resetTokenOf(service, id);
    const answers = await Promise.all(Array.from({ length: 10 }, () => reset(token)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 400)).toHaveLength(9);
  });
});
