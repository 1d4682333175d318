import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Catalogue } from "#contracts/http/catalogues.ts";
import type { ApiClient } from "../../support/api-client.ts";
import { type KafkaCluster, startKafkaCluster } from "../../support/kafka-cluster.ts";
import { type NatsServer, startNatsServer } from "../../support/nats-server.ts";
import { readTopic } from "../../support/read-topic.ts";
import type { ServiceProcess } from "../../support/service-process.ts";
import { startWebhookReceiver, type WebhookReceiver } from "../../support/webhook-receiver.ts";
import { ADMIN, POLL, type Role, useRoles } from "./use-roles.ts";

const DOUBLED = ["projector", "publisher", "notifier"] as const satisfies readonly Role[];

let kafka: KafkaCluster;
let nats: NatsServer;
let webhook: WebhookReceiver;
beforeAll(async () => {
  kafka = await startKafkaCluster();
  nats = await startNatsServer();
  webhook = await startWebhookReceiver();
});
afterAll(async () => {
  await webhook.close();
  await nats.stop();
  await kafka.stop();
});

const scene = useRoles(() => ({
  KAFKA_BROKERS: kafka.broker,
  NATS_URL: nats.url,
  EMAIL_WEBHOOK_URL: webhook.url,
}));

/** Creates a catalogue and asks for a password reset; resolves when the world has been told of both. */
async function changeAndBeTold(client: ApiClient, name: string): Promise<string> {
  const email = `${randomUUID()}@example.org`;
  const { status, body } = await client.send<Catalogue>("POST", "/api/catalogues", {
    name,
    events: [{ time: "2016-11-13T11:02:56Z", latitude: -42.69, longitude: 173.02, magnitude: 7.8 }],
  });
  expect(status).toBe(201);
  // Each an account of its own: one address gets one mail in a quarter of an hour.
  const account = { name: "Somebody", email, password: ADMIN.password };
  expect((await client.send("POST", "/api/auth/register", account)).status).toBe(201);
  await client.send("POST", "/api/auth/forgot-password", { email });
  await expect.poll(() => webhook.taken.map(({ to }) => to), POLL).toContain(email);
  await expect.poll(async () => committed(await readTopic(kafka.broker)), POLL).toContain(body.id);
  return body.id;
}

function committed(messages: Awaited<ReturnType<typeof readTopic>>): string[] {
  return messages
    .filter(({ message }) => message.type === "catalogue.revision-committed.v1")
    .map(({ key }) => key);
}

test("when a process of any role is killed the one that stands by goes on", async () => {
  const gateway = await scene.start("gateway");
  const active = new Map<Role, ServiceProcess>();
  for (const role of DOUBLED) active.set(role, await scene.start(role));
  const client = await scene.signIn(gateway);
  const ids = [await changeAndBeTold(client, "at first")];
  for (const role of DOUBLED) {
    for (const kill of ["first", "second"]) {
      const standby = await scene.start(role);
      await active.get(role)?.kill();
      active.set(role, standby);
      ids.push(await changeAndBeTold(client, `after the ${kill} ${role}`));
    }
  }
  const messages = await readTopic(kafka.broker);
  expect([...new Set(committed(messages))].toSorted()).toEqual(ids.toSorted());
  const delivered = () => new Set(webhook.taken.map(({ id }) => id)).size;
  await expect.poll(delivered, POLL).toBe(ids.length);
  for (const process of active.values()) expect(await process.stop()).toBe(0);
  expect(await gateway.stop()).toBe(0);
}, 600_000);
