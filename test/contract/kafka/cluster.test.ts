import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { GenericContainer, Wait } from "testcontainers";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import { ANALYTICS } from "#contracts/events/log.ts";
import { type KafkaSession, openKafkaSession } from "#infra/brokers/kafka.ts";
import { freePort } from "#infra/postgres/embedded/embedded.ts";
import { startKafkaCluster } from "../../support/kafka-cluster.ts";
import { silentLogger } from "../../support/logger.ts";
import { readLines } from "../../support/read-topic.ts";

const COMPOSE = new URL("../../../docker-compose.yml", import.meta.url);
const KAFKA_PORT = 9092;
const Compose = z.object({
  services: z.object({ redpanda: z.object({ image: z.string() }) }),
});

type Redpanda = {
  /** `host:port` */
  readonly broker: string;
  readonly stop: () => Promise<void>;
};

/** Redpanda in a container, of the version in docker-compose.yml. Docker has to be there. */
async function startRedpanda(): Promise<Redpanda> {
  const { services } = Compose.parse(parse(await readFile(COMPOSE, "utf8"), { merge: true }));
  // The broker tells clients its address, so the port outside has to be known before it starts.
  const port = await freePort();
  const container = await new GenericContainer(services.redpanda.image)
    .withExposedPorts({ container: KAFKA_PORT, host: port })
    .withCommand([
      "redpanda",
      "start",
      "--smp=1",
      "--memory=1G",
      "--overprovisioned",
      "--node-id=0",
      `--kafka-addr=PLAINTEXT://0.0.0.0:${KAFKA_PORT}`,
      `--advertise-kafka-addr=PLAINTEXT://127.0.0.1:${port}`,
    ])
    .withWaitStrategy(Wait.forLogMessage("Successfully started Redpanda!"))
    .start();
  return {
    broker: `127.0.0.1:${port}`,
    stop: async () => {
      await container.stop();
    },
  };
}

type Cluster = { readonly broker: string; readonly stop: () => Promise<void> };

/**
 * The mock cluster, and another where KAFKA_TEST_BROKERS names one (`host:port`, or `docker` for
 * Redpanda in a container).
 */
const given = process.env["KAFKA_TEST_BROKERS"];
const CLUSTERS: readonly { name: string; start: () => Promise<Cluster> }[] = [
  { name: "the mock cluster", start: startKafkaCluster },
  ...(given === undefined ? [] : [{ name: `KAFKA_TEST_BROKERS=${given}`, start: startGiven }]),
];

async function startGiven(): Promise<Cluster> {
  if (given === "docker") return startRedpanda();
  return { broker: given ?? "", stop: async () => {} };
}

describe.each(CLUSTERS)("with $name", ({ start }) => {
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await start();
  }, 300_000);
  afterAll(() => cluster.stop());

  async function open(): Promise<KafkaSession> {
    const session = await openKafkaSession({
      brokers: cluster.broker.split(","),
      clientId: "contract",
      logger: silentLogger(),
      signal: new AbortController().signal,
    });
    onTestFinished(session.close);
    return session;
  }

  test("a session finds the topic or makes it, and what is acknowledged is there, by key in order", async () => {
    const keys = Array.from({ length: 20 }, () => randomUUID());
    const session = await open();
    for (let batch = 0; batch < 5; batch += 1) {
      const messages = [0, 1, 2].flatMap((n) =>
        keys.map((key) => ({ key, value: `${batch * 3 + n}`, headers: { header: "kept" } })),
      );
      await session.send(messages);
    }
    const lines = await readLines(cluster.broker, ANALYTICS.topic);
    const order = Array.from({ length: 15 }, (_, i) => String(i));
    for (const key of keys) {
      const own = lines.filter((line) => line.key === key);
      expect(own.map(({ payload }) => payload)).toEqual(order);
      expect(new Set(own.map(({ partition }) => partition)).size).toBe(1);
      expect(own.every(({ headers }) => headers.join() === "header,kept")).toBe(true);
    }
  });

  test("a second session finds the topic of the first, and its keys in the same partitions", async () => {
    const key = randomUUID();
    for (const value of ["first", "second"]) {
      const session = await open();
      await session.send([{ key, value }]);
      await session.close();
    }
    const own = (await readLines(cluster.broker, ANALYTICS.topic)).filter(
      (line) => line.key === key,
    );
    expect(own.map(({ payload }) => payload)).toEqual(["first", "second"]);
    expect(own[0]?.partition).toBe(own[1]?.partition);
  });
});
