import type { Kafka } from "kafkajs";

/**
 * Creates a missing topic with the cluster's default partitions and replicas; an existing one stays
 * as its operator configured it.
 * @throws KafkaJSError when the cluster cannot be reached or forbids it
 */
export async function ensureTopic(kafka: Kafka, topic: string): Promise<void> {
  const admin = kafka.admin();
  try {
    await admin.connect();
    const topics = await admin.listTopics();
    if (!topics.includes(topic)) await admin.createTopics({ topics: [{ topic }] });
  } finally {
    await admin.disconnect();
  }
}
