import { X509Certificate } from "node:crypto";
import { readFile } from "node:fs/promises";
import type { Config } from "#infra/config/config.ts";
import type { KafkaAccess } from "./publisher/start-analytics.ts";
import { StartError } from "./start-error.ts";

/**
 * What the client needs to reach the cluster and to sign in.
 * @throws StartError when the file of certificates cannot be read
 */
export async function kafkaAccess({
  brokers,
  ssl,
  sasl,
}: NonNullable<Config["kafka"]>): Promise<KafkaAccess> {
  return {
    brokers,
    ...(ssl && { ssl: ssl.caFile === null ? true : { ca: await certificates(ssl.caFile) } }),
    // The client's type ties each mechanism to its own shape; theirs is the same.
    ...(sasl && { sasl: sasl as NonNullable<KafkaAccess["sasl"]> }),
  };
}

async function certificates(file: string): Promise<string> {
  try {
    const text = await readFile(file, "utf8");
    // TLS itself would pass over what is no certificate, and trust nobody.
    new X509Certificate(text);
    return text;
  } catch (cause) {
    throw new StartError("KAFKA_CA_FILE", cause);
  }
}
