import type { Checkpoint, EventLog } from "#infra/event-log/event-log.ts";
import type { Check } from "./readiness.ts";

/**
 * Reports the state of a feed that is published from the log. Always healthy: unpublished messages
 * are in the log, and requests do not wait for them.
 * @param state of this process's publisher; null when another process publishes
 * @param reason why the feed stands still; null for no known reason
 */
export function feedCheck(
  log: Pick<EventLog, "head">,
  state: () => string | null,
  readCheckpoint: () => Promise<Checkpoint>,
  reason: () => Promise<string | null> = async () => null,
): Check {
  async function lag(): Promise<string> {
    try {
      // The head is read first, so that later appends do not count as lag.
      const head = await log.head();
      const { position } = await readCheckpoint();
      if (position >= head) return "up to date";
      const why = await reason();
      return why === null ? "behind" : `behind, ${why}`;
    } catch {
      return "the checkpoint cannot be read";
    }
  }
  return async () => ({
    status: "healthy",
    message: `publisher: ${state() ?? "in another process"}; ${await lag()}`,
  });
}
