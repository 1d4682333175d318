import type { ReadinessReport } from "#contracts/http/service.ts";
import { createApiClient } from "../../support/api-client.ts";

/** What readiness and metrics tell of a feed. */
export function feedReports(name: "analytics" | "changes") {
  return {
    async check(url: string): Promise<unknown> {
      const { body } = await createApiClient(url).get<ReadinessReport>("/api/ready");
      return body.checks.find((check) => check.name === name);
    },
    async lag(url: string): Promise<string | undefined> {
      const { body } = await createApiClient(url).get<string>("/metrics");
      return new RegExp(`^${name}_lag_events (\\d+)$`, "m").exec(body)?.[1];
    },
  };
}
