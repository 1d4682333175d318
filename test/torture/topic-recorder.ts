import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { ANALYTICS_HEADERS } from "#contracts/analytics/messages.ts";
import { ANALYTICS } from "#contracts/names.ts";

/** What a message is recognised by. */
export type RecordedMessage = {
  readonly key: string;
  readonly type: string;
  readonly position: string;
  readonly ordinal: number;
};

export type TopicRecorder = {
  /** All messages of the topic so far, those of a catalogue in their order. */
  readonly messages: readonly RecordedMessage[];
  readonly close: () => Promise<void>;
};

type Line = { key: string; headers: string[]; payload: string };

/** Reads the topic all the while, since the mock cluster keeps the last 5 MB of a partition alone. */
export function startTopicRecorder(broker: string): TopicRecorder {
  const options = ["-C", "-b", broker, "-t", ANALYTICS.topic, "-o", "beginning", "-q", "-u", "-J"];
  const child = spawn("kcat", options, { stdio: ["ignore", "pipe", "ignore"] });
  const messages: RecordedMessage[] = [];
  createInterface(child.stdout).on("line", (line) => {
    const { key, headers, payload } = JSON.parse(line) as Line;
    const header = (name: string) => headers[headers.indexOf(name) + 1] ?? "";
    const { type } = JSON.parse(payload) as { type: string };
    const position = header(ANALYTICS_HEADERS.position);
    messages.push({ key, type, position, ordinal: Number(header(ANALYTICS_HEADERS.ordinal)) });
  });
  return {
    messages,
    close: async () => {
      const exited = once(child, "exit");
      child.kill("SIGKILL");
      await exited;
    },
  };
}
