import { expect, onTestFinished, test } from "vitest";
import type { Notification } from "#contracts/http/following.ts";
import { loadConfig } from "#infra/config/config.ts";
import { createLifecycle, type Lifecycle } from "#infra/process/lifecycle.ts";
import { createPasswords } from "#infra/vault/credentials.ts";
import { startService } from "#services/start-service.ts";
import { signIn } from "../../support/api-client.ts";
import { collectingLogger, silentLogger } from "../../support/logger.ts";
import { useBroker } from "../../support/nats-server.ts";
import { PASSWORD } from "../accounts/use-accounts.ts";
import { resetOf, useNotifications } from "./use-notifications.ts";

/** Its accounts sign in at a service. */
const scene = useNotifications(createPasswords());
const broker = useBroker();
const POLL = { timeout: 20_000, interval: 20 };

/** A part of the service as a process of its own has it. */
async function startPart(
  roles: string,
  natsUrl: string,
  { webhookUrl = scene.webhook.url, webhookSecret = "", logger = silentLogger() } = {},
): Promise<{ url: string; lifecycle: Lifecycle }> {
  const lifecycle = createLifecycle({ log: logger, timeoutMs: 20_000 });
  const config = loadConfig({
    ROLES: roles,
    PORT: "0",
    DATABASE_URL: scene.accounts.databaseUrl,
    PUBLIC_BASE_URL: "http://quakes.example.org",
    JWT_SECRET: "a secret of this test alone, 32 long",
    EMAIL_WEBHOOK_URL: webhookUrl,
    EMAIL_WEBHOOK_SECRET: webhookSecret,
    NATS_URL: natsUrl,
  });
  const { url } = await startService({
    config,
    databaseUrl: scene.accounts.databaseUrl,
    lifecycle,
    logger,
    checkAnswers: true,
    onFatal: (error) => {
      throw error;
    },
  });
  onTestFinished(async () => {
    await lifecycle.stop();
  });
  return { url: url ?? "", lifecycle };
}

test("each role runs alone, any number of times, and ends in order", async () => {
  const roles = ["gateway", "publisher", "publisher", "notifier", "notifier"];
  const parts = await Promise.all(roles.map((role) => startPart(role, broker.url)));
  const { userId, email } = await scene.accounts.register("admin");
  const { id } = await scene.append(resetOf(userId));
  await expect.poll(() => scene.webhook.calls.map(({ body }) => body.id), POLL).toEqual([id]);
  const admin = await signIn(parts[0]?.url ?? "", { email, password: PASSWORD });
  const list = async () =>
    (await admin.get<{ notifications: Notification[] }>("/api/notifications")).body.notifications;
  await expect.poll(list, POLL).toMatchObject([{ id, status: "delivered" }]);
  for (const { lifecycle } of parts) expect(await lifecycle.stop()).toBe(true);
});

test("what has gone by way of the broker is not sent again when the broker is given up", async () => {
  const { userId } = await scene.accounts.register("viewer");
  const before = await startPart("publisher,notifier", broker.url);
  const first = await scene.append(resetOf(userId));
  await expect.poll(() => scene.webhook.calls.length, POLL).toBe(1);
  await before.lifecycle.stop();
  await startPart("publisher,notifier", "");
  const second = await scene.append(resetOf(userId));
  await expect.poll(() => scene.webhook.calls.length, POLL).toBe(2);
  expect(scene.webhook.calls.map(({ body }) => body.id)).toEqual([first.id, second.id]);
});

test.each([
  ["without a secret is warned of once", "", 1],
  ["with a secret is not warned of", "known to the receiver", 0],
])("at the start a webhook %s", async (_, secret, times) => {
  const { log: logger, lines } = collectingLogger();
  await startPart("gateway,notifier", broker.url, { logger, webhookSecret: secret });
  const warnings = lines.filter(({ msg }) =>
    String(msg).includes("EMAIL_WEBHOOK_SECRET is not set"),
  );
  expect(warnings.map(({ level }) => level)).toEqual(Array(times).fill(40));
});
