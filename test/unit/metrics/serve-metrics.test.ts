import { expect, onTestFinished, test } from "vitest";
import { createMetricsRegistry } from "#infra/metrics/registry.ts";
import { serveMetrics } from "#services/serve-metrics.ts";

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
