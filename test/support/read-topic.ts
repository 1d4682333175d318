import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { ANALYTICS } from "#contracts/events/log.ts";
import { ANALYTICS_HEADERS, AnalyticsMessage } from "#contracts/messages/analytics.ts";

const run = promisify(execFile);
const MAX_OUTPUT_BYTES = 512 * 1024 * 1024;

/** A message as any client of Kafka reads it. */
export type TopicMessage = {
  readonly key: string;
  readonly partition: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly position: string;
  readonly ordinal: number;
  readonly message: AnalyticsMessage;
};

/** A line of `kcat -J`; names and values of headers take turns. */
export type TopicLine = { key: string; partition: number; headers: string[]; payload: string };

/** Everything that the analytics topic holds, each partition in its order. */
export async function readTopic(broker: string): Promise<TopicMessage[]> {
  return (await readLines(broker, ANALYTICS.topic)).map(messageOf);
}

/** Everything that a topic holds, each partition in its order, read by librdkafka. */
export async function readLines(broker: string, topic: string): Promise<TopicLine[]> {
  const options = ["-C", "-b", broker, "-t", topic, "-o", "beginning"];
  const { stdout } = await run("kcat", [...options, "-e", "-q", "-J"], {
    maxBuffer: MAX_OUTPUT_BYTES,
  });
  return stdout
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as TopicLine);
}

/** @throws ZodError when it is not as the contract describes it */
function messageOf({ key, partition, headers: pairs, payload }: TopicLine): TopicMessage {
  const headers: Record<string, string> = {};
  for (let i = 0; i < pairs.length; i += 2) headers[pairs[i] ?? ""] = pairs[i + 1] ?? "";
  return {
    key,
    partition,
    headers,
    position: headers[ANALYTICS_HEADERS.position] ?? "",
    ordinal: Number(headers[ANALYTICS_HEADERS.ordinal]),
    message: AnalyticsMessage.parse(JSON.parse(payload)),
  };
}
