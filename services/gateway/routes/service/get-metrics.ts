import type { Registry } from "prom-client";
import type { Operations } from "#contracts/http/operations.ts";
import type { Handler } from "../../handler.ts";

export function getMetricsHandler(deps: {
  registry: Pick<Registry, "metrics">;
}): Handler<Operations["getMetrics"]> {
  return async () => ({ body: await deps.registry.metrics() });
}
