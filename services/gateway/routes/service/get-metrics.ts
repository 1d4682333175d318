import type { Registry } from "prom-client";
import type { Operations } from "#contracts/http/operations.ts";
import { METRICS_TYPE } from "#contracts/http/service.ts";
import type { Handler } from "../../http/handler.ts";

export function getMetricsHandler(deps: {
  registry: Pick<Registry, "metrics">;
}): Handler<Operations["getMetrics"]> {
  return async () => ({
    contentType: METRICS_TYPE,
    async *open() {
      yield await deps.registry.metrics();
    },
  });
}
