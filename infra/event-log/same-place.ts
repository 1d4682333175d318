import { LogMismatch } from "./errors.ts";
import type { Checkpoint, EventLog } from "./event-log.ts";

/**
 * Makes sure that the event of a checkpoint is where it was when the checkpoint was written. What was
 * written without an id cannot be told from another log's.
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
