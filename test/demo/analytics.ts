/**
 * `npm run example:analytics`: a consumer of the analytics feed. Reads the topic of the cluster that
 * KAFKA_BROKERS names from its beginning to its present end, and prints how many seismic events
 * there are of each day, over all catalogues.
 */
import { randomUUID } from "node:crypto";
import { Kafka, logLevel } from "kafkajs";
import { ANALYTICS_HEADERS, AnalyticsMessage } from "#contracts/analytics/messages.ts";
import { ANALYTICS } from "#contracts/names.ts";
import { createDailyCounts } from "./daily-counts.ts";

const brokers = process.env["KAFKA_BROKERS"]?.split(",");
if (brokers === undefined) throw new Error("KAFKA_BROKERS is required: host:port,…");
const kafka = new Kafka({ brokers, clientId: "example", logLevel: logLevel.ERROR });
const counts = createDailyCounts();

/** By partition, the offset behind its present last message; partitions without one are left out. */
const ends = await presentEnds();
if (ends.size > 0) await readUntilEnds();
for (const [day, events] of counts.days()) console.log(`${day}  ${events}`);

async function presentEnds(): Promise<Map<number, bigint>> {
  const admin = kafka.admin();
  await admin.connect();
  const offsets = await admin.fetchTopicOffsets(ANALYTICS.topic);
  await admin.disconnect();
  return new Map(
    offsets
      .filter(({ low, high }) => BigInt(high) > BigInt(low))
      .map(({ partition, high }) => [partition, BigInt(high)]),
  );
}

async function readUntilEnds(): Promise<void> {
  // A consumer that goes on where it has stopped keeps its group, and its counts.
  const consumer = kafka.consumer({ groupId: `example-${randomUUID()}` });
  await consumer.connect();
  await consumer.subscribe({ topic: ANALYTICS.topic, fromBeginning: true });
  const { promise: done, resolve, reject } = Promise.withResolvers<void>();
  consumer.on(consumer.events.CRASH, ({ payload }) => reject(payload.error));
  await consumer.run({
    eachMessage: async ({ partition, message: { value, headers, offset } }) => {
      const message = AnalyticsMessage.parse(JSON.parse(String(value)));
      const position = String(headers?.[ANALYTICS_HEADERS.position]);
      const ordinal = Number(headers?.[ANALYTICS_HEADERS.ordinal]);
      counts.take(message, position, ordinal);
      if (BigInt(offset) + 1n >= (ends.get(partition) ?? 0n)) ends.delete(partition);
      if (ends.size === 0) resolve();
    },
  });
  await done;
  await consumer.disconnect();
}
