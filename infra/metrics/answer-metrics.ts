import { Histogram, type Registry } from "prom-client";
import { gauges } from "./gauges.ts";

/** Counts of answers by kind and state, and the memory they hold. */
export type AnswerUse = {
  readonly kinds: readonly {
    readonly kind: string;
    readonly running: number;
    readonly waiting: number;
    readonly heldBytes: number;
  }[];
};

const BUCKETS_SECONDS = [0.001, 0.01, 0.1, 0.5, 1, 5, 10, 30, 60, 300, 1_800];

/** Measures how long answers wait for their turn. */
export function createWaitMetric(registry: Registry): (kind: string, waitedMs: number) => void {
  const waits = new Histogram({
    name: "answer_wait_seconds",
    help: "Time that an answer has waited for its turn among those of its kind",
    labelNames: ["kind"],
    buckets: BUCKETS_SECONDS,
    registers: [registry],
  });
  return (kind, waitedMs) => waits.observe({ kind }, waitedMs / 1_000);
}

export function registerAnswerUse(registry: Registry, use: () => AnswerUse): void {
  const byKind = (count: "running" | "waiting" | "heldBytes") => () =>
    use().kinds.map(({ kind, ...counts }) => ({ labels: { kind }, value: counts[count] }));
  gauges([
    {
      name: "answers_running",
      help: "Answers that have their turn",
      labels: ["kind"],
      read: byKind("running"),
    },
    {
      name: "answers_waiting",
      help: "Answers that wait for their turn",
      labels: ["kind"],
      read: byKind("waiting"),
    },
    {
      name: "answer_bytes_held",
      help: "Bytes of answers in memory that their clients have not taken",
      labels: ["kind"],
      read: byKind("heldBytes"),
    },
  ])(registry);
}
