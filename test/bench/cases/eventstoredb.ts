import { startEventStoreProcess } from "../../support/eventstore/event-store-process.ts";
import { catalogueBody } from "../../support/generate-catalogue.ts";
import { type BenchService, startBenchService } from "../bench-service.ts";
import type { Result } from "../report.ts";
import { secondsOf, spreadOf } from "../statistics.ts";
import { create } from "./create.ts";

/**
 * Creating a catalogue by POST until it is visible with the log in an event store, against the same
 * with the log in PostgreSQL, in turn. The event store is the tests' server in a process of its own;
 * both logs sync what they acknowledge to the disk.
 */
export async function benchEventStore(
  inPostgres: BenchService,
  count: number,
  repetitions: number,
  target: number,
): Promise<Result> {
  const store = await startEventStoreProcess();
  const inEventStore = await startBenchService({ EVENTSTORE_URL: store.url });
  const body = Buffer.from(catalogueBody(`bench ${count}`, count, count));
  const ours: number[] = [];
  const yardstick: number[] = [];
  try {
    for (let i = 0; i <= repetitions; i += 1) {
      const stored = await secondsOf(() => createOnce(inEventStore, body, count));
      const plain = await secondsOf(() => createOnce(inPostgres, body, count));
      // The first round warms up both sides.
      if (i === 0) continue;
      ours.push(stored);
      yardstick.push(plain);
    }
  } finally {
    await inEventStore.close();
    await store.stop();
  }
  return {
    case: "create with the log in EventStoreDB",
    size: `${count} events`,
    unit: "s",
    ours: spreadOf(ours),
    yardstick: "the log in PostgreSQL",
    yardstickFigure: spreadOf(yardstick),
    ratio: spreadOf(ours.map((seconds, i) => seconds / (yardstick[i] ?? Number.NaN))).median,
    target,
  };
}

async function createOnce({ client }: BenchService, body: Buffer, count: number): Promise<void> {
  await create(client, body, count);
}
