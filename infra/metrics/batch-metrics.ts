import { Histogram, type Registry } from "prom-client";

export type MeasuredBatch = {
  readonly projection: string;
  readonly events: number;
  readonly seconds: number;
};

const BUCKETS_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const BUCKETS_EVENTS = [0, 1, 2, 5, 10, 20, 50, 100, 200, 500];

export function createBatchMetrics(registry: Registry): (batch: MeasuredBatch) => void {
  const options = { labelNames: ["projection"] as const, registers: [registry] };
  const duration = new Histogram({
    ...options,
    name: "projection_batch_duration_seconds",
    help: "Time to apply a batch of events and commit it",
    buckets: BUCKETS_SECONDS,
  });
  const size = new Histogram({
    ...options,
    name: "projection_batch_events",
    help: "Events in a batch that was applied",
    buckets: BUCKETS_EVENTS,
  });
  return ({ projection, events, seconds }) => {
    duration.observe({ projection }, seconds);
    size.observe({ projection }, events);
  };
}
