import { Counter, Gauge, type Registry } from "prom-client";

/** The values of a gauge by its labels; without labels there is one. */
export type Readings = readonly {
  readonly labels?: Readonly<Record<string, string>>;
  readonly value: number;
}[];

export type GaugeDefinition = {
  /** With the unit, as Prometheus names metrics. */
  readonly name: string;
  readonly help: string;
  readonly labels?: readonly string[];
  /** Asked at every scrape. Labels that it does not tell of any more are gone. */
  readonly read: () => Readings | Promise<Readings>;
};

/** Registers a part's metrics: the place where a part of the service adds its own. */
export type Collector = (registry: Registry) => void;

const FAILURES = "metrics_collection_failures_total";

/**
 * Gauges that are read when they are asked for. One that cannot be read is absent from that scrape
 * and counted in `metrics_collection_failures_total`; the others are there as ever.
 */
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
      // Before it is asked: what it told before is not told again when it cannot be read.
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
