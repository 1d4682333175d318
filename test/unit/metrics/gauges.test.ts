import { Registry } from "prom-client";
import { expect, test } from "vitest";
import { type GaugeDefinition, gauges, type Readings } from "#infra/metrics/gauges.ts";

/** The samples of a scrape, without help and types. */
async function scrapeOf(registry: Registry): Promise<string[]> {
  const text = await registry.metrics();
  return text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
}

function registryOf(...definitions: GaugeDefinition[]): Registry {
  const registry = new Registry();
  gauges(definitions)(registry);
  return registry;
}

test("a gauge is read at every scrape, and labels that are gone are not told of", async () => {
  let readings: Readings = [
    { labels: { queue: "a" }, value: 1 },
    { labels: { queue: "b" }, value: 2 },
  ];
  const registry = registryOf({
    name: "queue_length",
    help: "x",
    labels: ["queue"],
    read: async () => readings,
  });
  expect(await scrapeOf(registry)).toEqual([
    'queue_length{queue="a"} 1',
    'queue_length{queue="b"} 2',
  ]);
  readings = [{ labels: { queue: "b" }, value: 3 }];
  expect(await scrapeOf(registry)).toEqual(['queue_length{queue="b"} 3']);
});

test("a gauge that cannot be read is absent and counted; the others are there", async () => {
  let works = true;
  const registry = registryOf(
    {
      name: "fails_later",
      help: "x",
      read: () => {
        if (!works) throw new Error("no database");
        return [{ value: 7 }];
      },
    },
    { name: "works", help: "x", read: () => [{ value: 8 }] },
  );
  expect(await scrapeOf(registry)).toEqual(["fails_later 7", "works 8"]);
  works = false;
  await scrapeOf(registry);
  expect(await scrapeOf(registry)).toEqual([
    expect.stringMatching(/^metrics_collection_failures_total\{metric="fails_later"\} [12]$/),
    "works 8",
  ]);
});
