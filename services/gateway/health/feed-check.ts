import type { Checkpoint, EventLog } from "#infra/event-log/event-log.ts";
import type { Check } from "./readiness.ts";

/**
 * Reports the state of a feed that is published from the log. Always healthy: unpublished messages
 * are in the log, and requests do not wait for them.
 * @param state of this process's publisher; null when another process publishes
 */
export function feedCheck(
  log: Pick<EventLog, "head">,
  state: () => string | null,
  readCheckpoint: () => Promise<Checkpoint>,
): Check {
  async function lag(): Promise<string> {
    try {
      // The head is read first, so that later appends do not count as lag.
      const head = await log.head();
      const { position } = await readCheckpoint();
      return position >= head ? "up to date" : "behind";
    } catch {
      return "the checkpoint cannot be read";
    }
  }
  return async () => ({
    status: "healthy",
    message: `publisher: ${state() ?? "in another process"}; ${await lag()}`,
  });
}
