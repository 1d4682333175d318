import {
  type Batch,
  type EventLog,
  type Position,
  type RecordedEvent,
  unverified,
} from "#infra/event-log/event-log.ts";

export type Wanted = {
  after: Position;
  types?: readonly string[];
  /** Ends the subscription: enough has come. */
  enough: (events: readonly RecordedEvent[], position: Position) => boolean;
  onBatch?: (batch: Batch) => void;
};

/** Subscribes until there is enough; gives the events and the position to go on from. */
export async function collect(
  log: EventLog,
  { after, types, enough, onBatch }: Wanted,
): Promise<{ events: RecordedEvent[]; position: Position }> {
  const ending = new AbortController();
  const events: RecordedEvent[] = [];
  let position = after;
  const request = { after: unverified(after), signal: ending.signal, ...(types && { types }) };
  for await (const batch of log.subscribe(request)) {
    onBatch?.(batch);
    events.push(...batch.events);
    position = batch.position;
    if (enough(events, position)) break;
  }
  ending.abort();
  return { events, position };
}

export function atLeast(count: number): Wanted["enough"] {
  return (events) => events.length >= count;
}
