import type { Registry } from "prom-client";
import { type Operations, operations } from "#contracts/http/operations.ts";
import { METRICS_TYPE } from "#contracts/http/service.ts";
import { type Checks, readiness } from "../health/readiness.ts";
import type { Handler } from "../http/handler.ts";

export function getHealthHandler(): Handler<Operations["getHealth"]> {
  return async () => ({ body: { status: "ok" } });
}

export function getReadinessHandler(deps: {
  checks: Checks;
  now: () => Date;
}): Handler<Operations["getReadiness"]> {
  return async () => {
    const report = await readiness(deps.checks, deps.now);
    const { success, failure } = operations.getReadiness;
    return { body: report, status: (report.status === "ready" ? success : failure).status };
  };
}

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

export function getOpenApiHandler(deps: {
  document: Record<string, unknown>;
}): Handler<Operations["getOpenApi"]> {
  return async () => ({ body: deps.document });
}
