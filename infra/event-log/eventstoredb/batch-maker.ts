import type { Batch, Position, RecordedEvent } from "../event-log.ts";

export type BatchMaker = {
  /** The batch for the received events; null when it would not advance the subscriber. */
  next(sent: readonly RecordedEvent[]): Batch | null;
};

/**
 * Makes batches of the events that a subscription from `after` receives: filtered by type, with the
 * position reached.
 */
export function createBatchMaker(
  after: Position,
  types: readonly string[] | undefined,
): BatchMaker {
  const wanted = types && new Set(types);
  let position = after;

  return {
    next(sent) {
      // Skips events returned before: some servers send the event at the start position again.
      const fresh = sent.filter((event) => event.position > position);
      const last = fresh.at(-1);
      if (last === undefined) return null;
      position = last.position;
      const events = fresh.filter(({ type }) => !wanted || wanted.has(type));
      return { events, position, eventId: last.id };
    },
  };
}
