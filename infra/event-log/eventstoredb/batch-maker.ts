import type { Batch, Position, RecordedEvent } from "../event-log.ts";
import type { Sent } from "./sent-queue.ts";

export type BatchMaker = {
  /** The batch of what was sent, null when it gets the subscriber no further. */
  next(sent: readonly Sent[]): Batch | null;
};

/**
 * Makes batches of what a subscription from `after` sends. A position is handed out once everything
 * before it has been: that of an event when it is given or passed over, that of a checkpoint when
 * another follows it. A server may send a checkpoint ahead of the last events before it; an event
 * that comes behind one takes it back.
 */
export function createBatchMaker(
  after: Position,
  types: readonly string[] | undefined,
): BatchMaker {
  const wanted = types && new Set(types);
  let position = after;
  let checkpoint: Position | null = null;

  return {
    next(sent) {
      const start = position;
      const events: RecordedEvent[] = [];
      for (const item of sent) {
        if ("checkpoint" in item) {
          if (checkpoint !== null && checkpoint > position) position = checkpoint;
          checkpoint = item.checkpoint;
          continue;
        }
        const { event } = item;
        // Given before; only a server that begins at the position and not after it sends it again.
        if (event.position <= position) continue;
        if (checkpoint !== null && checkpoint >= event.position) checkpoint = null;
        position = event.position;
        if (!wanted || wanted.has(event.type)) events.push(event);
      }
      return position === start ? null : { events, position };
    },
  };
}
