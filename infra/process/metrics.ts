/** What Prometheus is told, by whoever measures it. */

import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";

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

/** A gauge's values by labels; a single value without labels. */
export type Readings = readonly {
  readonly labels?: Readonly<Record<string, string>>;
  readonly value: number;
}[];

export type GaugeDefinition = {
  /** Includes the unit, by Prometheus's naming convention. */
  readonly name: string;
  readonly help: string;
  readonly labels?: readonly string[];
  /** Called at every scrape. Labels missing from the result disappear. */
  readonly read: () => Readings | Promise<Readings>;
};

/** Registers the metrics of one part of the service. */
export type Collector = (registry: Registry) => void;

const FAILURES = "metrics_collection_failures_total";

/** Gauges read at each scrape; those that cannot be read are absent from it, and counted. */
export function gauges(definitions: readonly GaugeDefinition[]): Collector {
  return (registry) => {
    for (const definition of definitions) registerGauge(registry, definition);
  };
}

function registerGauge(registry: Registry, { name, help, labels = [], read }: GaugeDefinition) {
  const failures = failuresOf(registry);
  new Gauge({
    name,
    help,
    labelNames: [...labels],
    registers: [registry],
    async collect() {
      // Before reading, so that old values are not repeated when reading fails.
      this.reset();
      if (labels.length === 0) this.remove();
      try {
        for (const { labels: by = {}, value } of await read()) this.set(by, value);
      } catch {
        failures.inc({ metric: name });
      }
    },
  });
}

function failuresOf(registry: Registry): Counter {
  const present = registry.getSingleMetric(FAILURES);
  if (present instanceof Counter) return present;
  return new Counter({
    name: FAILURES,
    help: "Gauges that could not be read for a scrape",
    labelNames: ["metric"],
    registers: [registry],
  });
}

/** A request that was answered, or whose client disconnected. */
type AnsweredRequest = {
  readonly method: string;
  /** The registered path; null without a route. */
  readonly route: string | null;
  readonly status: number;
  readonly seconds: number;
};

/** From an index lookup to the creation of a large catalogue. */
const REQUEST_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

export type HttpMetrics = ReturnType<typeof createHttpMetrics>;

/** Labels have few values, whatever clients request: the registered routes, and one other. */
export function createHttpMetrics(registry: Registry) {
  const registers = [registry];
  const inFlight = new Gauge({
    name: "http_requests_in_flight",
    help: "Requests that are being answered",
    registers,
  });
  const duration = new Histogram({
    name: "http_request_duration_seconds",
    help: "Time from a request's headers to the end of its answer",
    labelNames: ["method", "route", "status_class"],
    buckets: REQUEST_SECONDS,
    registers,
  });
  return {
    begin: () => inFlight.inc(),
    end: ({ method, route, status, seconds }: AnsweredRequest): void => {
      inFlight.dec();
      const labels = {
        method: METHODS.includes(method) ? method : "other",
        route: route ?? "unknown",
        status_class: `${Math.floor(status / 100)}xx`,
      };
      duration.observe(labels, seconds);
    },
  };
}

/** Counts of answers by kind and state, and the memory they hold. */
export type AnswerUse = {
  readonly kinds: readonly {
    readonly kind: string;
    readonly running: number;
    readonly waiting: number;
    readonly heldBytes: number;
  }[];
};

const WAIT_SECONDS = [0.001, 0.01, 0.1, 0.5, 1, 5, 10, 30, 60, 300, 1_800];

/** Measures how long answers wait for their turn. */
export function createWaitMetric(registry: Registry): (kind: string, waitedMs: number) => void {
  const waits = new Histogram({
    name: "answer_wait_seconds",
    help: "Time that an answer has waited for its turn among those of its kind",
    labelNames: ["kind"],
    buckets: WAIT_SECONDS,
    registers: [registry],
  });
  return (kind, waitedMs) => waits.observe({ kind }, waitedMs / 1_000);
}

export function registerAnswerUse(registry: Registry, use: () => AnswerUse): void {
  const byKind = (name: string, help: string, count: "running" | "waiting" | "heldBytes") => ({
    name,
    help,
    labels: ["kind"],
    read: () =>
      use().kinds.map(({ kind, ...counts }) => ({ labels: { kind }, value: counts[count] })),
  });
  gauges([
    byKind("answers_running", "Answers that have their turn", "running"),
    byKind("answers_waiting", "Answers that wait for their turn", "waiting"),
    byKind(
      "answer_bytes_held",
      "Bytes of answers in memory that their clients have not taken",
      "heldBytes",
    ),
  ])(registry);
}

export type MeasuredBatch = {
  readonly projection: string;
  readonly events: number;
  readonly seconds: number;
};

const BATCH_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const BATCH_EVENTS = [0, 1, 2, 5, 10, 20, 50, 100, 200, 500];

export function createBatchMetrics(registry: Registry): (batch: MeasuredBatch) => void {
  const options = { labelNames: ["projection"] as const, registers: [registry] };
  const duration = new Histogram({
    ...options,
    name: "projection_batch_duration_seconds",
    help: "Time to apply a batch of events and commit it",
    buckets: BATCH_SECONDS,
  });
  const size = new Histogram({
    ...options,
    name: "projection_batch_events",
    help: "Events in a batch that was applied",
    buckets: BATCH_EVENTS,
  });
  return ({ projection, events, seconds }) => {
    duration.observe({ projection }, seconds);
    size.observe({ projection }, events);
  };
}
