import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { createLogger } from "#infra/process/logger.ts";
import { administrator } from "../../support/api/accounts.ts";
import { keyed } from "../../support/api/keyed.ts";
import { type ApiClient, createApiClient } from "../../support/api-client.ts";
import { secretForms } from "../../support/secret-forms.ts";
import { useService } from "../../support/service.ts";
import { startWebhookReceiver, type WebhookReceiver } from "../../support/webhook-receiver.ts";

const lines: string[] = [];
const destination = { write: (line: string) => void lines.push(line) };
const logger = createLogger({ level: "trace", pretty: false, destination });

const CONFIGURED = {
  jwt: `jwt ${randomUUID()}`,
  webhook: `webhook ${randomUUID()}`,
  webhookPassword: randomUUID(),
};

let receiver: WebhookReceiver;
beforeAll(async () => {
  receiver = await startWebhookReceiver();
});
const service = useService(
  () => ({
    JWT_SECRET: CONFIGURED.jwt,
    EMAIL_WEBHOOK_URL: receiver.url.replace("://", `://hook:${CONFIGURED.webhookPassword}@`),
    EMAIL_WEBHOOK_SECRET: CONFIGURED.webhook,
    RATE_LIMIT_AUTH: "6",
  }),
  { logger },
);
afterAll(() => receiver.close());

type Told = { token: string; user: { id: string }; request: { id: string } };

/** The token of the reset link in the mail that the webhook has got. */
function mailedToken(): Promise<string> {
  return vi.waitFor(
    () => {
      const mail = receiver.taken.find(({ type }) => type === "password_reset");
      const token = /token=([\w-]+)/.exec(mail?.message ?? "")?.[1];
      expect(token).toBeDefined();
      return token ?? "";
    },
    { timeout: 30_000 },
  );
}

test("log lines, metrics, audit and errors hold nothing personal and nothing secret, whatever goes wrong", async () => {
  const admin = await administrator(service);
  const told: string[] = [];
  const by = (client: ApiClient) => {
    return async (...request: Parameters<ApiClient["send"]>) => {
      const answer = await client.send<Told>(...request);
      if (answer.status >= 400) told.push(JSON.stringify([answer.body, [...answer.headers]]));
      return answer.body;
    };
  };
  const [guest, reviewer] = [by(createApiClient(service.url)), by(admin)];
  const email = `unmistakable.person@${randomUUID()}.example.org`;
  const [name, otherName] = ["Unmistakable Name", "Undeniable Name"];
  const [first = "", second = "", third = "", wrong = "", cookie = "", badToken = ""] = Array.from(
    { length: 6 },
    () => `a secret ${randomUUID()}`,
  );
  const justification = "Unmistakable reasons of mine";
  const notes = "Unmistakable notes of theirs";

  // The webhook refuses once, and says what it has got.
  let refused = 0;
  receiver.behave(() => {
    refused += 1;
    return refused === 1 ? 500 : 200;
  });
  const registration = { name, email, password: first };
  const { id } = (await guest("POST", "/api/auth/register", registration)).user;
  await guest("POST", "/api/auth/register", registration);
  await guest("POST", "/api/auth/register", { name: `${name}\u0000`, email, password: first });
  await guest("POST", "/api/auth/login", { email, password: wrong });
  await guest("POST", "/api/auth/login", `{"email": "${email}", "password": "${wrong}"`);
  await guest("POST", "/api/auth/login", { email: [email], password: { [wrong]: wrong } });
  const { token } = await guest("POST", "/api/auth/login", { email, password: first });
  const user = by(createApiClient(service.url, token));
  const asked = { requestedRole: "editor", justification };
  const { request } = await user("POST", "/api/role-requests", asked, keyed());
  await user("POST", "/api/role-requests", asked, keyed());
  const review = { status: "approved", adminNotes: notes };
  await reviewer("PATCH", `/api/role-requests/${request.id}`, review, keyed());
  await reviewer("PATCH", `/api/role-requests/${request.id}`, { status: notes, adminNotes: notes });
  const change = { currentPassword: wrong, newPassword: second };
  await user("POST", "/api/auth/change-password", change, keyed());
  await user("POST", "/api/auth/change-password", { ...change, currentPassword: first }, keyed());
  await guest("POST", "/api/auth/forgot-password", { email });
  const resetToken = await mailedToken();
  await guest("POST", "/api/auth/reset-password", { token: badToken, newPassword: third });
  await guest("POST", "/api/auth/reset-password", { token: resetToken, newPassword: third });
  await guest("POST", "/api/auth/reset-password", { token: resetToken, newPassword: third });
  await reviewer("PATCH", `/api/users/${id}`, { name: otherName }, keyed());
  await reviewer("PATCH", `/api/users/${id}`, { name: `${otherName}\u202e` });
  await guest("POST", `/reset-password?token=${resetToken}`, {}, { cookie: `session=${cookie}` });
  await guest("DELETE", `/api/users/${id}?token=${badToken}`, undefined, {
    authorization: `Bearer ${badToken.replaceAll(" ", "-")}`,
  });
  for (let i = 0; i < 8; i += 1) await guest("POST", "/api/auth/login", { email, password: wrong });
  await reviewer("DELETE", `/api/users/${id}`);
  expect(told.length).toBeGreaterThan(15);
  expect(refused).toBeGreaterThan(1);

  const seen = {
    lines: lines.join(""),
    errors: told.join("\n"),
    metrics: String((await admin.get("/metrics")).body),
    audit: JSON.stringify((await admin.get("/api/audit?limit=1000")).body),
    notifications: JSON.stringify((await admin.get("/api/notifications")).body),
    log: await service.log.text(),
  };
  for (const type of ["PasswordResetRequested", "RoleRequestReviewed", "UserDeleted"]) {
    expect([seen.audit, seen.log]).toEqual(Array(2).fill(expect.stringContaining(type)));
  }
  expect(seen.metrics).toContain("http_request");
  expect(seen.lines).toContain("notification not delivered");
  const secrets = [
    ...["unmistakable.person", name, otherName, justification, notes],
    ...[first, second, third, wrong, cookie, badToken, resetToken, token],
    ...token.split(".").slice(1),
    ...Object.values(CONFIGURED),
    ...["a long admin password", "argon2"],
  ];
  for (const [where, text] of Object.entries(seen)) {
    const folded = text.toLowerCase();
    for (const form of secrets.flatMap(secretForms)) {
      expect(folded.includes(form.toLowerCase()), `${where} hold ${form}`).toBe(false);
    }
  }
});
