/**
 * `npm run example:analytics`: a consumer of the analytics feed. Reads the topic of the cluster that
 * KAFKA_BROKERS names from its beginning to its present end, and prints how many seismic events
 * there are of each day, over all catalogues.
 */
import { randomUUID } from "node:crypto";
import { Kafka, logLevel } from "kafkajs";
import { ANALYTICS } from "#contracts/events/log.ts";
import { ANALYTICS_HEADERS, AnalyticsMessage } from "#contracts/messages/analytics.ts";

/** How many seismic events there are of every day, over all catalogues, as the feed tells. */
type DailyCounts = {
  /**
   * Takes one message of the topic; those of a catalogue come in order. One that is not behind the
   * last of its catalogue by position and ordinal is a repetition, and changes nothing.
   */
  take(message: AnalyticsMessage, position: string, ordinal: number): void;
  /** Days (`2016-11-13`, UTC) in order, each with its events. */
  days(): (readonly [day: string, events: number])[];
};

type Catalogue = {
  position: string;
  ordinal: number;
  /** The day of every event, by its id: an update or a removal does not tell the day before. */
  readonly dayOf: Map<string, string>;
};

function createDailyCounts(): DailyCounts {
  const catalogues = new Map<string, Catalogue>();

  function catalogueOf(id: string): Catalogue {
    const known = catalogues.get(id) ?? { position: "", ordinal: -1, dayOf: new Map() };
    catalogues.set(id, known);
    return known;
  }

  return {
    take(message, position, ordinal) {
      const catalogue = catalogueOf(message.partitionkey);
      const repeated =
        position < catalogue.position ||
        (position === catalogue.position && ordinal <= catalogue.ordinal);
      if (repeated) return;
      catalogue.position = position;
      catalogue.ordinal = ordinal;
      apply(message, catalogue.dayOf);
    },
    days() {
      const counts = new Map<string, number>();
      for (const { dayOf } of catalogues.values()) {
        for (const day of dayOf.values()) counts.set(day, (counts.get(day) ?? 0) + 1);
      }
      return [...counts].sort(([one], [other]) => (one < other ? -1 : 1));
    },
  };
}

function apply(message: AnalyticsMessage, dayOf: Map<string, string>): void {
  switch (message.type) {
    case "seismic-event.added.v1":
    case "seismic-event.updated.v1": {
      const { id, time } = message.data.event;
      dayOf.set(id, time.slice(0, "2016-11-13".length));
      return;
    }
    case "seismic-event.removed.v1":
      dayOf.delete(message.data.eventId);
      return;
    case "catalogue.deleted.v1":
      dayOf.clear();
      return;
    default:
      return;
  }
}

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
