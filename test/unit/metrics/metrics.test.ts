import { Registry } from "prom-client";
import { expect, onTestFinished, test } from "vitest";
import {
  createMetricsRegistry,
  type GaugeDefinition,
  gauges,
  type Readings,
} from "#infra/process/metrics.ts";
import { serveMetrics } from "#services/service-metrics.ts";

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

test("a process serves its metrics on a port of their own, on loopback, and nothing else", async () => {
  const registry = createMetricsRegistry(() => 3);
  const { url, close } = await serveMetrics({ host: "127.0.0.1", port: 0 }, registry);
  onTestFinished(close);
  const answer = await fetch(url);
  expect(answer.headers.get("content-type")).toBe(registry.contentType);
  expect(await answer.text()).toContain("\nlog_lines_dropped_total 3\n");
  for (const [path, method] of [
    ["/", "GET"],
    ["/metrics/more", "GET"],
    ["/api/users", "GET"],
    ["/metrics", "POST"],
  ] as const) {
    expect((await fetch(new URL(path, url), { method })).status).toBe(404);
  }
});

test("metrics of a process have names that Prometheus's own linter takes", async () => {
  const metrics = await createMetricsRegistry(() => 0).getMetricsAsJSON();
  expect(metrics.length).toBeGreaterThan(10);
  for (const { name, help, type } of metrics) {
    expect(name).toMatch(/^[a-z][a-z0-9_]*$/);
    expect(help).not.toBe("");
    expect([name, name.endsWith("_total")]).toEqual([name, String(type) === "counter"]);
  }
});
