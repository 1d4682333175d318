import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { userStream } from "#contracts/events/log.ts";
import type { Notification } from "#contracts/http/following.ts";
import type { ReadinessReport } from "#contracts/http/service.ts";
import { toNewEvents } from "#infra/log/domain-events.ts";
import { createPostgresEventLog } from "#infra/log/postgres-event-log.ts";
import { createApiClient, signIn } from "../support/api-client.ts";
import { createTestDatabase, type TestDatabase } from "../support/database.ts";
import { withClient } from "../support/database-template.ts";
import { type NatsServer, startNatsServer } from "../support/nats-server.ts";
import { type ServiceProcess, startServiceProcess } from "../support/service-process.ts";
import { startWebhookReceiver, type WebhookReceiver } from "../support/webhook-receiver.ts";

const ADMIN = { email: "webhook@example.org", password: "only for the webhook test" };
const POLL = { timeout: 30_000, interval: 50 };

let database: TestDatabase;
let broker: NatsServer;
let webhook: WebhookReceiver;
let service: ServiceProcess | undefined;

beforeAll(async () => {
  database = await createTestDatabase();
  broker = await startNatsServer();
  webhook = await startWebhookReceiver();
});

afterAll(async () => {
  await service?.stop();
  await webhook.close();
  await broker.stop();
  await database.drop();
});

function start(): Promise<ServiceProcess> {
  return startServiceProcess({
    DATABASE_URL: database.url,
    JWT_SECRET: "a secret of this test alone, 32 long",
    PUBLIC_BASE_URL: "http://quakes.example.org",
    NATS_URL: broker.url,
    EMAIL_WEBHOOK_URL: webhook.url,
    EMAIL_WEBHOOK_SECRET: "known to the receiver",
    CREATE_ADMIN_USER: "true",
    ADMIN_EMAIL: ADMIN.email,
    ADMIN_PASSWORD: ADMIN.password,
    RATE_LIMIT_READ: "0",
    RATE_LIMIT_AUTH: "0",
  });
}

/** Asks for a password reset, as the command does. */
async function requestReset(userId: string): Promise<string> {
  const log = await createPostgresEventLog(database.url);
  try {
    const stream = userStream(userId);
    const revision = (await log.read(stream, 0, 100)).length;
    const event = { type: "PasswordResetRequested", data: { userId, resetId: randomUUID() } };
    const origin = { commandId: randomUUID(), actor: "guest", at: new Date() };
    const events = toNewEvents(stream, revision, [event as never], origin);
    await log.append(stream, revision - 1, events);
    return events[0]?.id ?? "";
  } finally {
    await log.close();
  }
}

/** The bootstrap administrator may be seen only a moment after the service listens. */
async function administratorId(url: string): Promise<string> {
  let id: string | undefined;
  const logIn = async (): Promise<number> => {
    const client = createApiClient(url);
    const answer = await client.send<{ user?: { id: string } }>("POST", "/api/auth/login", ADMIN);
    id = answer.body.user?.id;
    return answer.status;
  };
  await expect.poll(logIn, POLL).toBe(200);
  return id ?? "";
}

async function listed(url: string): Promise<Notification[]> {
  const client = await signIn(url, ADMIN);
  const { body } = await client.get<{ notifications: Notification[] }>("/api/notifications");
  return body.notifications;
}

async function deliveryState(url: string): Promise<string> {
  const { status, body } = await createApiClient(url).get<ReadinessReport>("/api/ready");
  expect(status).toBe(200);
  return body.checks.find(({ name }) => name === "notifications")?.message ?? "";
}

/** As if the minute had passed after which others may take over what a dead process had begun. */
async function endClaims(): Promise<void> {
  await withClient(database.url, (client) =>
    client.query("update notifications.notifications set next_attempt_at = now()"),
  );
}

test("a service killed after it has called the webhook delivers again, under the same id", async () => {
  await broker.kill();
  service = await start();
  const first = service;
  await expect
    .poll(() => deliveryState(first.url), POLL)
    .toBe(
      "publisher: disconnected; notifier: disconnected; the broker cannot be reached; 0 pending, 0 parked",
    );
  await broker.restart();

  const adminId = await administratorId(first.url);
  webhook.behave(async () => {
    await first.kill();
    return 200;
  });
  const id = await requestReset(adminId);
  await expect.poll(() => webhook.calls.length, POLL).toBe(1);

  webhook.behave(() => 200);
  await endClaims();
  const second = await start();
  service = second;
  await expect.poll(() => webhook.taken.length, POLL).toBe(2);
  expect(webhook.taken.map((body) => [body.id, body.to])).toEqual([
    [id, ADMIN.email],
    [id, ADMIN.email],
  ]);
  await expect
    .poll(() => listed(second.url), POLL)
    .toMatchObject([{ id, status: "delivered", attempts: 2 }]);
  await expect
    .poll(() => deliveryState(second.url), POLL)
    .toBe("publisher: connected; notifier: connected; 0 pending, 0 parked");
  expect(await second.stop()).toBe(0);
});
