import { Kafka, logLevel } from "kafkajs";
import { sql } from "slonik";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { ANALYTICS } from "#contracts/events/log.ts";
import { createSizedSends, openKafkaSession } from "#infra/brokers/kafka.ts";
import { findRefusal } from "#infra/brokers/relay.ts";
import { loadConfig } from "#infra/config/config.ts";
import { startAnalytics } from "#services/publisher/analytics.ts";
import { kafkaAccess } from "#services/start-service.ts";
import { createdFrom, generatedRecords } from "../support/catalogues/catalogue-scene.ts";
import { useCatalogues } from "../support/catalogues/use-catalogues.ts";
import {
  hasKafka,
  KAFKA_USER,
  type KafkaServer,
  startKafkaServer,
} from "../support/kafka/kafka-server.ts";
import { collectingLogger } from "../support/logger.ts";
import { readLines } from "../support/read-topic.ts";

describe.skipIf(!hasKafka)("a real Kafka", () => {
  let server: KafkaServer;
  beforeAll(async () => {
    server = await startKafkaServer();
  });
  afterAll(() => server?.stop());

  const catalogues = useCatalogues();
  const { log: logger, lines } = collectingLogger();
  const signal = new AbortController().signal;
  const texts = async () =>
    (await readLines(server.broker, ANALYTICS.topic)).map(({ payload }) => payload);

  async function open(variables: Readonly<Record<string, string>>) {
    const { kafka } = loadConfig(variables);
    if (kafka === null) throw new Error("KAFKA_BROKERS is given");
    const access = await kafkaAccess(kafka);
    const session = await openKafkaSession({ ...access, clientId: "test", logger, signal });
    onTestFinished(session.close);
    return session;
  }

  const secured = (mechanism: string, password = KAFKA_USER.password) => ({
    KAFKA_BROKERS: server.secured,
    KAFKA_SSL: "true",
    KAFKA_CA_FILE: server.caFile,
    KAFKA_SASL_MECHANISM: mechanism,
    KAFKA_USERNAME: KAFKA_USER.username,
    KAFKA_PASSWORD: password,
  });

  async function setLimit(bytes: number): Promise<void> {
    const kafka = new Kafka({ brokers: [server.broker], logLevel: logLevel.NOTHING });
    const admin = kafka.admin();
    await admin.connect();
    await admin.alterConfigs({
      validateOnly: false,
      resources: [
        {
          type: 2,
          name: ANALYTICS.topic,
          configEntries: [{ name: "max.message.bytes", value: `${bytes}` }],
        },
      ],
    });
    await admin.disconnect();
  }

  test.each(["plain", "scram-sha-256", "scram-sha-512"])(
    "a broker that wants TLS and %s gets messages of who knows the password",
    async (mechanism) => {
      const session = await open(secured(mechanism));
      await session.send([{ key: "a", value: `by ${mechanism}` }]);
      expect(await texts()).toContain(`by ${mechanism}`);
      await expect(open(secured(mechanism, "wrong"))).rejects.toThrow(/authentication/i);
      expect(JSON.stringify(lines)).not.toContain(KAFKA_USER.password);
    },
  );

  test("a broker whose certificate is not trusted gets no password", async () => {
    const { KAFKA_CA_FILE: _, ...others } = secured("plain");
    await expect(open(others)).rejects.toThrow(/certificate/i);
  });

  test("a topic with a small limit gets the messages that fit, each once and in order, and the larger one when its limit is raised", async () => {
    const session = await open({ KAFKA_BROKERS: server.broker });
    await setLimit(2_000);
    const refused: number[] = [];
    const send = createSizedSends({
      send: session.send,
      partitionOf: session.partitionOf,
      signal,
      onRefused: async (bytes) => {
        refused.push(bytes);
        expect(await session.limit()).toBe(2_000);
        if (refused.length === 2) await setLimit(1_000_000);
      },
    });
    const random = (length: number) =>
      Array.from({ length }, () => Math.random().toString(36))
        .join("")
        .slice(0, length);
    const messages = ["b", "c", "d", "e"].flatMap((key) =>
      Array.from({ length: 20 }, (_, i) => {
        const bytes = key === "c" && i === 10 ? 9_000 : 300;
        return { key, value: `${key}${i} ${random(bytes)}`, bytes };
      }),
    );
    await send(messages);
    expect(refused).toEqual([9_000, 9_000]);
    const kept = await texts();
    for (const key of ["b", "c", "d", "e"]) {
      const own = kept.filter((text) => text.startsWith(key)).map((text) => text.split(" ")[0]);
      expect(own.filter((text) => /^.\d+$/.test(text ?? ""))).toEqual(
        Array.from({ length: 20 }, (_, i) => `${key}${i}`),
      );
    }
  });

  test("a feed whose message the topic refuses tells why, warns once, and goes on when the limit is raised", async () => {
    const { context, databaseUrl } = catalogues;
    const { pool, log } = context;
    await pool.query(sql.unsafe`
      insert into analytics.checkpoints as c (feed, position)
      values (${ANALYTICS.feed}, ${await log.head()})
      on conflict (feed) do update set position = excluded.position`);
    await setLimit(300);
    const id = await createdFrom(context, generatedRecords(1, 20));
    const publisher = startAnalytics({
      kafka: { brokers: [server.broker] },
      databaseUrl,
      log,
      pool,
      publicBaseUrl: "https://quakes.example.org",
      logger,
      onFatal: () => undefined,
    });
    onTestFinished(publisher.close);
    const refusal = () => findRefusal(pool, ANALYTICS.feed);
    await expect.poll(refusal).toMatchObject({ topic: ANALYTICS.topic, limit: 300 });
    await setLimit(1_000_000);
    await expect.poll(refusal).toBe(null);
    expect(lines.filter(({ msg }) => /refuses a message/.test(String(msg)))).toHaveLength(1);
    const sent = async () =>
      (await readLines(server.broker, ANALYTICS.topic)).filter(({ key }) => key === id).length;
    await expect.poll(sent).toBe(22);
  });
});
