import { Counter, collectDefaultMetrics, Registry } from "prom-client";

/** Gauges with the ending of counters, of which tools complain; the same by type stand beside them. */
const MISNAMED = [
  "nodejs_active_handles_total",
  "nodejs_active_requests_total",
  "nodejs_active_resources_total",
];

/**
 * A registry with Node's metrics of its process: CPU, memory, heap, event-loop delay, collections.
 * @param droppedLogLines number since the start
 */
export function createMetricsRegistry(droppedLogLines: () => number): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  for (const name of MISNAMED) registry.removeSingleMetric(name);
  new Counter({
    name: "log_lines_dropped_total",
    help: "Lines of the log that could not be written: no room, or nobody has read them",
    registers: [registry],
    collect() {
      this.reset();
      this.inc(droppedLogLines());
    },
  });
  return registry;
}
