import { Counter, collectDefaultMetrics, Registry } from "prom-client";

/**
 * A registry with Node's metrics of its process: CPU, memory, heap, event-loop delay, collections.
 * @param droppedLogLines number since the start
 */
export function createMetricsRegistry(droppedLogLines: () => number): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
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
