import { setTimeout as delay } from "node:timers/promises";
import { type DatabasePool, sql } from "slonik";
import { z } from "zod";
import { type Position, START } from "#infra/event-log/event-log.ts";

/** The change is in the log, but its read model has not followed in time. */
export class NotVisibleYet extends Error {
  override readonly name = "NotVisibleYet";
}

const FIRST_DELAY_MS = 2;
const MAX_DELAY_MS = 50;

const Checkpoint = z.object({ position: z.string() });

/**
 * Resolves once `projection` has applied everything up to `position` (read-your-writes).
 * @throws NotVisibleYet after `timeoutMs`
 */
export async function waitForPosition(
  pool: DatabasePool,
  projection: string,
  position: Position,
  timeoutMs: number,
): Promise<void> {
  if (position === START) return;
  const deadline = performance.now() + timeoutMs;
  for (let wait = FIRST_DELAY_MS; ; wait = Math.min(wait * 1.5, MAX_DELAY_MS)) {
    const checkpoint = await pool.maybeOne(sql.type(Checkpoint)`
      select position from read_model.checkpoints where projection = ${projection}
    `);
    if (checkpoint && checkpoint.position >= position) return;
    if (performance.now() > deadline) {
      throw new NotVisibleYet(`projection ${projection} has not reached ${position}`);
    }
    await delay(wait);
  }
}
