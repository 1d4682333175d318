import { type Operations, operations } from "#contracts/http/operations.ts";
import { type Checks, readiness } from "../../health/readiness.ts";
import type { Handler } from "../../http/handler.ts";

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
