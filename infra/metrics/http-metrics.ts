import { Gauge, Histogram, type Registry } from "prom-client";

/** A request that was answered, or whose client disconnected. */
export type AnsweredRequest = {
  readonly method: string;
  /** The registered path; null without a route. */
  readonly route: string | null;
  readonly status: number;
  readonly seconds: number;
};

export type HttpMetrics = {
  readonly begin: () => void;
  readonly end: (request: AnsweredRequest) => void;
};

/** From an index lookup to the creation of a large catalogue. */
const BUCKETS_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

const METHODS: ReadonlySet<string> = new Set([
  "GET",
  "HEAD",
  "POST",
  "PUT",
  "PATCH",
  "DELETE",
  "OPTIONS",
]);

/** Labels have few values, whatever clients request: the registered routes, and one other. */
export function createHttpMetrics(registry: Registry): HttpMetrics {
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
    buckets: BUCKETS_SECONDS,
    registers,
  });
  return {
    begin: () => inFlight.inc(),
    end: ({ method, route, status, seconds }) => {
      inFlight.dec();
      const labels = {
        method: METHODS.has(method) ? method : "other",
        route: route ?? "unknown",
        status_class: `${Math.floor(status / 100)}xx`,
      };
      duration.observe(labels, seconds);
    },
  };
}
