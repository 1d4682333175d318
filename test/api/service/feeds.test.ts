import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ANALYTICS } from "#contracts/events/log.ts";
import type { ReadinessReport } from "#contracts/http/service.ts";
import { noteRefusal } from "#infra/brokers/relay.ts";
import { freePort } from "#infra/postgres/embedded/embedded.ts";
import { createDatabase } from "#infra/postgres/pool.ts";
import { newAccount, PASSWORD } from "../../support/api/accounts.ts";
import { createCatalogue } from "../../support/api/catalogue.ts";
import { createApiClient, signIn } from "../../support/api-client.ts";
import { type KafkaCluster, startKafkaCluster } from "../../support/kafka-cluster.ts";
import { type NatsServer, startNatsServer } from "../../support/nats-server.ts";
import { readChanges } from "../../support/read-changes.ts";
import { readTopic } from "../../support/read-topic.ts";
import { useService } from "../../support/service.ts";

const POLL = { timeout: 60_000, interval: 100 };
type Feed = "analytics" | "changes" | "notifications";
const FEEDS = ["analytics", "changes"] as const;

/** What readiness, which stays, tells of a feed. */
async function checkOf(url: string, feed: Feed): Promise<string> {
  const { status, body } = await createApiClient(url).get<ReadinessReport>("/api/ready");
  const check = body.checks.find(({ name }) => name === feed);
  expect([status, check?.status]).toEqual([200, "healthy"]);
  return check?.message ?? "";
}

const untilChecked = (url: string, feed: Feed, message: string) =>
  expect.poll(() => checkOf(url, feed), POLL).toBe(message);

async function lagOf(url: string, feed: Feed): Promise<string | undefined> {
  const { body } = await createApiClient(url).get<string>("/metrics");
  return new RegExp(`^${feed}_lag_events (\\d+)$`, "m").exec(body)?.[1];
}

describe("with NATS and Kafka", () => {
  let broker: NatsServer;
  let cluster: KafkaCluster;
  beforeAll(async () => {
    [broker, cluster] = await Promise.all([startNatsServer(), startKafkaCluster()]);
  });
  afterAll(async () => void (await Promise.all([broker.stop(), cluster.stop()])));
  const variables = () => ({ NATS_URL: broker.url, KAFKA_BROKERS: cluster.broker });
  const service = useService(variables);
  const gateway = useService(() => ({ ...variables(), ROLES: "gateway" }), { copyOf: service });
  const settled = (feed: Feed) =>
    untilChecked(service.url, feed, "publisher: connected; up to date");

  test("the service publishes, and tells in its readiness and metrics how far it is, as does a gateway without a publisher", async () => {
    const { id } = await createCatalogue(await service.loginAs("editor"));
    for (const feed of FEEDS) {
      await settled(feed);
      const elsewhere = "publisher: in another process; up to date";
      await untilChecked(gateway.url, feed, elsewhere);
      for (const { url } of [service, gateway]) {
        await expect.poll(() => lagOf(url, feed), POLL).toBe("0");
      }
    }
    const messages = (await readTopic(cluster.broker)).filter(({ key }) => key === id);
    expect(messages[0]?.message.type).toBe("catalogue.created.v1");
    expect(messages.at(-1)?.message.type).toBe("catalogue.revision-committed.v1");
    const told = (await readChanges(broker.url)).filter(({ change }) => change.subject === id);
    const kinds = ["created", "version"];
    expect(told.map(({ subject }) => subject)).toEqual(kinds.map((k) => `catalogues.${id}.${k}`));
  });

  test("a version is told as its address, source and number, tells it", async () => {
    const editor = await service.loginAs("editor");
    const { id } = await createCatalogue(editor);
    await settled("changes");
    const told = (await readChanges(broker.url)).find(
      ({ subject }) => subject === `catalogues.${id}.version`,
    );
    if (told?.change.type !== "catalogue-change.version.v1") throw new Error("it was not told");
    const { catalogue_id, ...facts } = told.change.data;
    expect(catalogue_id).toBe(id);
    const path = `${new URL(told.change.source).pathname}/versions/${facts.version}`;
    const { body } = await editor.get<{ version: object }>(path);
    expect(body.version).toMatchObject({ ...facts, version: 1 });
  });

  test("nothing in the stream of changes tells of a person, a share or a role", async () => {
    const admin = await service.loginAs("admin");
    const form = { name: "Inge Lehmann", email: "inge.lehmann@example.org", password: PASSWORD };
    const guest = createApiClient(service.url);
    type Made = { user: { id: string } };
    const { body } = await guest.send<Made>("POST", "/api/auth/register", form);
    const { id: userId } = body.user;
    await admin.send("PATCH", `/api/users/${userId}`, { role: "editor" });
    const editor = await signIn(service.url, form);
    const { id } = await createCatalogue(editor);
    const label = "for Beno Gutenberg";
    const share = await editor.send("POST", `/api/catalogues/${id}/shares`, { label });
    expect(share.status).toBe(201);
    await editor.send("DELETE", `/api/catalogues/${id}`);
    await settled("changes");
    const text = JSON.stringify(await readChanges(broker.url));
    expect(text).toContain(id);
    expect(text).not.toMatch(/lehmann|gutenberg|editor|user_|share|secret|@/i);
    expect(text).not.toContain(userId);
  });
});

describe("with NATS and Kafka away", () => {
  let broker: NatsServer;
  let kafka: string;
  beforeAll(async () => {
    broker = await startNatsServer();
    await broker.kill();
    kafka = `127.0.0.1:${await freePort()}`;
  });
  afterAll(() => broker.stop());
  const service = useService(() => ({ NATS_URL: broker.url, KAFKA_BROKERS: kafka }));

  test("the service changes catalogues, and readiness tells that feeds wait and which message a topic refuses for its size", async () => {
    await createCatalogue(await service.loginAs("editor"));
    const behind = "publisher: disconnected; behind";
    for (const feed of FEEDS) await untilChecked(service.url, feed, behind);
    const pool = await createDatabase(service.databaseUrl, { applicationName: "test" });
    try {
      const refusal = { topic: ANALYTICS.topic, bytes: 3_120, limit: 1_000 };
      expect(await noteRefusal(pool, ANALYTICS.feed, refusal)).toBe(true);
      expect(await noteRefusal(pool, ANALYTICS.feed, refusal)).toBe(false);
    } finally {
      await pool.end();
    }
    expect(await checkOf(service.url, "analytics")).toBe(
      `${behind}, topic catalogue-changes refuses a message of 3120 bytes: its max.message.bytes (1000) is too small`,
    );
    const { body } = await createApiClient(service.url).get<string>("/metrics");
    const labels = '{topic="catalogue-changes",limit="1000"}';
    expect(body).toContain(`analytics_refused_message_bytes${labels} 3120`);
  });

  test("readiness tells that the broker cannot be reached and how many notices wait for it", async () => {
    const away = "publisher: disconnected; notifier: disconnected; the broker cannot be reached";
    const queue = "0 pending, 0 parked";
    const until = (message: string) => untilChecked(service.url, "notifications", message);
    await until(`${away}; ${queue}`);
    for (const waiting of ["1 notice waits", "2 notices wait"]) {
      const { email } = await newAccount(service, "viewer");
      const guest = createApiClient(service.url);
      const asked = await guest.send("POST", "/api/auth/forgot-password", { email });
      expect(asked.status).toBe(200);
      await until(`${away}, ${waiting} for the broker; ${queue}`);
    }
    await broker.restart();
    await until(`publisher: connected; notifier: connected; ${queue}`);
  });
});

describe("with a single NATS server, and three that each stream should be on", () => {
  let broker: NatsServer;
  beforeAll(async () => {
    broker = await startNatsServer();
  });
  afterAll(() => broker.stop());
  const service = useService(() => ({ NATS_REPLICAS: "3", NATS_URL: broker.url }));

  test("readiness tells why nothing is published", async () => {
    const reason =
      "publisher: not ready: the broker does not keep 3 copies of its stream (NATS_REPLICAS): replicas > 1 not supported in non-clustered mode";
    await untilChecked(service.url, "changes", `${reason}; behind`);
    const notifier = "notifier: disconnected; 0 pending, 0 parked";
    await untilChecked(service.url, "notifications", `${reason}; ${notifier}`);
  });
});
