import { Counter, Gauge, type Registry } from "prom-client";

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
