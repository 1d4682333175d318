import { startEventStoreProcess } from "../../support/eventstore/event-store-process.ts";
import { catalogueBody } from "../../support/generate-catalogue.ts";
import { type BenchService, startBenchService } from "../bench-service.ts";
import { compare } from "../compare.ts";
import type { Result } from "../report.ts";
import { secondsOf } from "../statistics.ts";
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
  try {
    const comparison = await compare(repetitions, async () => [
      await secondsOf(() => create(inEventStore.client, body, count)),
      await secondsOf(() => create(inPostgres.client, body, count)),
    ]);
    return {
      case: "create with the log in EventStoreDB",
      size: `${count} events`,
      unit: "s",
      yardstick: "the log in PostgreSQL",
      ...comparison,
      target,
    };
  } finally {
    await inEventStore.close();
    await store.stop();
  }
}
