import { LogMismatch } from "./errors.ts";
import type { Checkpoint, EventLog } from "./event-log.ts";

/**
 * Verifies that a checkpoint's event is still at its position. A checkpoint without an id cannot be
 * verified and passes.
 * @throws LogMismatch
 */
export async function requireSamePlace(
  log: Pick<EventLog, "eventAt">,
  { position, eventId }: Checkpoint,
): Promise<void> {
  if (eventId === null) return;
  const found = await log.eventAt(position);
  if (found === eventId) return;
  throw new LogMismatch(`event ${eventId} is not at ${position} of the log`);
}
