import type { CommonQueryMethods } from "slonik";
import { ANALYTICS } from "#contracts/names.ts";
import { readFeedCheckpoint } from "#infra/analytics/feed-checkpoint.ts";
import type { EventLog } from "#infra/event-log/event-log.ts";
import type { Check } from "./readiness.ts";

export type AnalyticsCheckDeps = {
  readonly pool: CommonQueryMethods;
  readonly log: Pick<EventLog, "head">;
  /** How this process's publisher stands with Kafka; null when another process has it. */
  readonly state: () => string | null;
};

/**
 * Tells how the analytics feed stands. Always healthy: what Kafka has not taken yet is in the log,
 * and requests do not wait for it.
 */
export function analyticsCheck({ pool, log, state }: AnalyticsCheckDeps): Check {
  return async () => {
    const publisher = `publisher: ${state() ?? "in another process"}`;
    return { status: "healthy", message: `${publisher}; ${await lag({ pool, log })}` };
  };
}

async function lag({ pool, log }: Pick<AnalyticsCheckDeps, "pool" | "log">): Promise<string> {
  try {
    // The head first: what is appended meanwhile puts nothing behind.
    const head = await log.head();
    const { position } = await readFeedCheckpoint(pool, ANALYTICS.feed);
    return position >= head ? "up to date" : "behind";
  } catch {
    return "the checkpoint cannot be read";
  }
}
