import type { Kafka } from "kafkajs";

/**
 * Makes a topic where there is none, with the partitions and replicas that the cluster gives by
 * default; one that is there is left as its operator wants it.
 * @throws KafkaJSError when the cluster cannot be reached or does not let us
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
