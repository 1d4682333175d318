import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ANALYTICS } from "#contracts/names.ts";
import { noteRefusal } from "#infra/kafka/feed-checkpoint.ts";
import { freePort } from "#infra/postgres/embedded/server.ts";
import { createDatabase } from "#infra/postgres/pool.ts";
import { createApiClient } from "../../support/api-client.ts";
import { type KafkaCluster, startKafkaCluster } from "../../support/kafka-cluster.ts";
import { readTopic } from "../../support/read-topic.ts";
import { useService } from "../../support/service.ts";
import { createCatalogue } from "../support/catalogue.ts";
import { feedReports } from "./feed-reports.ts";

const POLL = { timeout: 60_000, interval: 100 };

const { check: analyticsOf, lag: lagOf } = feedReports("analytics");

describe("with Kafka", () => {
  const variables: Record<string, string> = {};
  const gatewayAlone: Record<string, string> = { ROLES: "gateway" };
  let cluster: KafkaCluster;
  beforeAll(async () => {
    cluster = await startKafkaCluster();
    for (const some of [variables, gatewayAlone]) some["KAFKA_BROKERS"] = cluster.broker;
  });
  afterAll(() => cluster.stop());
  const service = useService(variables);
  const gateway = useService(gatewayAlone, { copyOf: service });

  test("the service publishes, and tells in its readiness and metrics how far it is", async () => {
    const { id } = await createCatalogue(await service.loginAs("editor"));
    const upToDate = {
      name: "analytics",
      status: "healthy",
      message: "publisher: connected; up to date",
    };
    await expect.poll(() => analyticsOf(service.url), POLL).toEqual(upToDate);
    await expect.poll(() => lagOf(service.url), POLL).toBe("0");
    const told = (await readTopic(cluster.broker)).filter(({ key }) => key === id);
    expect(told[0]?.message.type).toBe("catalogue.created.v1");
    expect(told.at(-1)?.message.type).toBe("catalogue.revision-committed.v1");
  });

  test("a gateway without a publisher tells of the feed all the same", async () => {
    await expect
      .poll(() => analyticsOf(gateway.url), POLL)
      .toMatchObject({
        message: "publisher: in another process; up to date",
      });
    await expect.poll(() => lagOf(gateway.url), POLL).toBe("0");
  });
});

describe("with Kafka away", () => {
  const variables: Record<string, string> = {};
  beforeAll(async () => {
    variables["KAFKA_BROKERS"] = `127.0.0.1:${await freePort()}`;
  });
  const service = useService(variables);

  test("the service is ready, changes catalogues, and tells that the feed waits", async () => {
    await createCatalogue(await service.loginAs("editor"));
    await expect
      .poll(() => analyticsOf(service.url), POLL)
      .toEqual({
        name: "analytics",
        status: "healthy",
        message: "publisher: disconnected; behind",
      });
    const { status } = await createApiClient(service.url).get("/api/ready");
    expect(status).toBe(200);
  });

  test("readiness and metrics tell of a message that the topic refuses for its size", async () => {
    const pool = await createDatabase(service.databaseUrl, { applicationName: "test" });
    try {
      const refusal = { topic: ANALYTICS.topic, bytes: 3_120, limit: 1_000 };
      expect(await noteRefusal(pool, ANALYTICS.feed, refusal)).toBe(true);
      expect(await noteRefusal(pool, ANALYTICS.feed, refusal)).toBe(false);
    } finally {
      await pool.end();
    }
    expect(await analyticsOf(service.url)).toMatchObject({
      status: "healthy",
      message:
        "publisher: disconnected; behind, topic catalogue-changes refuses a message of 3120 bytes: its max.message.bytes (1000) is too small",
    });
    const { body } = await createApiClient(service.url).get<string>("/metrics");
    const labels = '{topic="catalogue-changes",limit="1000"}';
    expect(body).toContain(`analytics_refused_message_bytes${labels} 3120`);
  });
});
