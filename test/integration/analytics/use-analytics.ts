import { sql } from "slonik";
import { afterAll, beforeAll, beforeEach, expect, onTestFinished } from "vitest";
import { ANALYTICS } from "#contracts/events/log.ts";
import type { SeismicEventRecord } from "#contracts/seismic-event/seismic-event.ts";
import { readFeedCheckpoint } from "#infra/brokers/relay.ts";
import type { Logger } from "#infra/process/logger.ts";
import { startAnalytics } from "#services/publisher/analytics.ts";
import type { Publisher } from "#services/publisher/publish-under-lease.ts";
import { type TestCatalogues, useCatalogues } from "../../support/catalogues/use-catalogues.ts";
import { type KafkaCluster, startKafkaCluster } from "../../support/kafka-cluster.ts";
import { silentLogger } from "../../support/logger.ts";
import { readTopic, type TopicMessage } from "../../support/read-topic.ts";
import { addRecords } from "../catalogues/additions.ts";

export const PUBLIC_BASE_URL = "https://quakes.example.org";

/** Generous, since it only ends what would never end. */
export const POLL = { timeout: 100_000, interval: 50 };

export type AnalyticsScene = {
  readonly catalogues: TestCatalogues;
  readonly cluster: KafkaCluster;
  readonly startPublisher: (options?: { logger?: Logger }) => Publisher;
  /** What the topic holds of a catalogue, in its order. */
  readonly messagesOf: (catalogueId: string) => Promise<TopicMessage[]>;
  /** Waits until everything that the log holds is acknowledged. */
  readonly settled: () => Promise<void>;
  readonly addEvents: (
    catalogueId: string,
    records: readonly SeismicEventRecord[],
  ) => Promise<void>;
};

/** Catalogues over a real log, an empty Kafka, and a feed that stands at the end of the log, before each test. */
export function useAnalytics(): AnalyticsScene {
  const catalogues = useCatalogues();
  let started: KafkaCluster | undefined;
  beforeAll(async () => {
    started = await startKafkaCluster();
  });
  beforeEach(async () => {
    await cluster().restart();
    const { pool, log } = catalogues.context;
    await pool.query(sql.unsafe`truncate analytics.checkpoints`);
    await pool.query(sql.unsafe`
      insert into analytics.checkpoints (feed, position)
      values (${ANALYTICS.feed}, ${await log.head()})`);
  });
  afterAll(() => started?.stop());

  function cluster(): KafkaCluster {
    if (started === undefined) throw new Error("the cluster is there only while tests run");
    return started;
  }
  return {
    catalogues,
    get cluster() {
      return cluster();
    },
    startPublisher: ({ logger = silentLogger() } = {}) => {
      const { context, databaseUrl } = catalogues;
      const publisher = startAnalytics({
        databaseUrl,
        log: context.log,
        pool: context.pool,
        kafka: { brokers: [cluster().broker] },
        publicBaseUrl: PUBLIC_BASE_URL,
        logger,
        onFatal: (error) => {
          throw error;
        },
      });
      onTestFinished(publisher.close);
      return publisher;
    },
    messagesOf: async (catalogueId) =>
      (await readTopic(cluster().broker)).filter(({ key }) => key === catalogueId),
    settled: async () => {
      const { pool, log } = catalogues.context;
      const head = await log.head();
      const position = async () => (await readFeedCheckpoint(pool, ANALYTICS.feed)).position;
      await expect.poll(async () => (await position()) >= head, POLL).toBe(true);
    },
    addEvents: async (catalogueId, records) => {
      await addRecords(catalogues, catalogueId, records, { updateExisting: true });
    },
  };
}

/** Types of messages, those that follow each other counted: `["catalogue.created.v1", "3 seismic-event.added.v1"]`. */
export function outline(messages: readonly TopicMessage[]): string[] {
  const runs: { type: string; count: number }[] = [];
  for (const { message } of messages) {
    const last = runs.at(-1);
    if (last?.type === message.type) last.count += 1;
    else runs.push({ type: message.type, count: 1 });
  }
  return runs.map(({ type, count }) => (count === 1 ? type : `${count} ${type}`));
}

/** The messages without repetitions, as a consumer leaves them out. */
export function withoutRepetitions(messages: readonly TopicMessage[]): TopicMessage[] {
  const kept: TopicMessage[] = [];
  for (const message of messages) {
    const last = kept.at(-1);
    if (last === undefined || isBehind(message, last)) kept.push(message);
  }
  return kept;
}

function isBehind(message: TopicMessage, last: TopicMessage): boolean {
  if (message.position !== last.position) return message.position > last.position;
  return message.ordinal > last.ordinal;
}
