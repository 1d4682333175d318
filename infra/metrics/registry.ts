import { collectDefaultMetrics, Registry } from "prom-client";

/** A registry with what Node tells of its process: CPU, memory, heap, event-loop delay, collections. */
export function createMetricsRegistry(): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  return registry;
}
