import type { Batch, Position, RecordedEvent } from "../event-log.ts";

export type BatchMaker = {
  /** The batch of the events that were sent, null when it gets the subscriber no further. */
  next(sent: readonly RecordedEvent[]): Batch | null;
};

/** Makes batches of what a subscription from `after` sends: those of the types, and where it stands. */
export function createBatchMaker(
  after: Position,
  types: readonly string[] | undefined,
): BatchMaker {
  const wanted = types && new Set(types);
  let position = after;

  return {
    next(sent) {
      // Given before; only a server that begins at the position and not after it sends it again.
      const fresh = sent.filter((event) => event.position > position);
      const last = fresh.at(-1);
      if (last === undefined) return null;
      position = last.position;
      const events = fresh.filter(({ type }) => !wanted || wanted.has(type));
      return { events, position, eventId: last.id };
    },
  };
}
