import type { Operations } from "#contracts/http/operations.ts";
import type { Handler } from "../../handler.ts";
import { type Checks, readiness } from "../../readiness.ts";

const UNAVAILABLE = 503;

export function getReadinessHandler(deps: {
  checks: Checks;
  now: () => Date;
}): Handler<Operations["getReadiness"]> {
  return async () => {
    const report = await readiness(deps.checks, deps.now);
    return report.status === "ready" ? { body: report } : { body: report, status: UNAVAILABLE };
  };
}
