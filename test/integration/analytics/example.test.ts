import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import type { SeismicEventRecord } from "#contracts/seismic-event/seismic-event.ts";
import { deleteCatalogueCommand } from "#services/catalogues/commands.ts";
import { removeEventCommand } from "#services/events/commands.ts";
import { createdFrom, generatedRecords } from "../../support/catalogues/catalogue-scene.ts";
import { eventEditOf, newCommand } from "../../support/catalogues/use-catalogues.ts";
import { eventsInReadModel } from "./folded-catalogue.ts";
import { useAnalytics } from "./use-analytics.ts";

const run = promisify(execFile);
const EXAMPLE = fileURLToPath(new URL("../../demo/analytics.ts", import.meta.url));
const scene = useAnalytics();

function printed(records: Iterable<Pick<SeismicEventRecord, "time">>): string {
  const counts = new Map<string, number>();
  for (const { time } of records) {
    const day = time.slice(0, 10);
    counts.set(day, (counts.get(day) ?? 0) + 1);
  }
  return [...counts]
    .map(([day, count]) => `${day}  ${count}\n`)
    .toSorted()
    .join("");
}

test("the example counts the events of every day from the topic", async () => {
  const { context } = scene.catalogues;
  scene.startPublisher();
  const kept = await createdFrom(context, generatedRecords(1, 300));
  const other = await createdFrom(context, generatedRecords(2, 50));
  const deleted = await createdFrom(context, generatedRecords(3, 50));
  await scene.addEvents(kept, generatedRecords(4, 350));
  const [removed = ""] = [...(await eventsInReadModel(context.pool, kept)).keys()];
  await removeEventCommand(eventEditOf(context, kept, removed));
  await deleteCatalogueCommand(context, newCommand(), deleted, null);
  await scene.settled();

  const live = await Promise.all([kept, other].map((id) => eventsInReadModel(context.pool, id)));
  const { stdout } = await run(process.execPath, [EXAMPLE], {
    env: { PATH: process.env["PATH"], KAFKA_BROKERS: scene.cluster.broker },
    maxBuffer: 16 * 1024 * 1024,
  });
  expect(stdout).toBe(printed(live.flatMap((events) => [...events.values()])));
});
