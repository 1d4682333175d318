import { afterAll, beforeAll, expect, test } from "vitest";
import type { ReadinessReport } from "#contracts/http/service.ts";
import { createApiClient } from "../../support/api-client.ts";
import { type NatsServer, startNatsServer } from "../../support/nats-server.ts";
import { useService } from "../../support/service.ts";

const POLL = { timeout: 30_000, interval: 100 };

let broker: NatsServer;
beforeAll(async () => {
  broker = await startNatsServer();
  await broker.kill();
});
afterAll(() => broker.stop());

const service = useService(() => ({ NATS_URL: broker.url }));

async function readiness(): Promise<string> {
  const { status, body } = await createApiClient(service.url).get<ReadinessReport>("/api/ready");
  expect(status).toBe(200);
  return body.checks.find(({ name }) => name === "notifications")?.message ?? "";
}

/** Once for each: the next one would wait for a quarter of an hour. */
async function askForReset(role: "admin" | "viewer"): Promise<void> {
  const form = { email: `${role}@example.org` };
  const guest = createApiClient(service.url);
  expect((await guest.send("POST", "/api/auth/forgot-password", form)).status).toBe(200);
}

test("readiness tells that the broker cannot be reached and how many notices wait for it, and stays healthy", async () => {
  const away = "publisher: disconnected; notifier: disconnected; the broker cannot be reached";
  const queue = "0 pending, 0 parked";
  await service.loginAs("admin");
  await service.loginAs("viewer");
  await expect.poll(readiness, POLL).toBe(`${away}; ${queue}`);
  await askForReset("admin");
  await expect.poll(readiness, POLL).toBe(`${away}, 1 notice waits for the broker; ${queue}`);
  await askForReset("viewer");
  await expect.poll(readiness, POLL).toBe(`${away}, 2 notices wait for the broker; ${queue}`);
  await broker.restart();
  await expect.poll(readiness, POLL).toBe(`publisher: connected; notifier: connected; ${queue}`);
});
