import { type Batch, type EventLog, type Position, unverified } from "./event-log.ts";

/** Everything that is in the log after a position now, batch by batch; ends early when `signal` aborts. */
export async function* eventsToHead(
  log: Pick<EventLog, "subscribe" | "head">,
  after: Position,
  signal: AbortSignal,
): AsyncGenerator<Batch> {
  yield* eventsUpTo(log, after, await log.head(), signal);
}

/** The log after a position up to the event at `head`, batch by batch; ends early when `signal` aborts. */
export async function* eventsUpTo(
  log: Pick<EventLog, "subscribe">,
  after: Position,
  head: Position,
  signal: AbortSignal,
): AsyncGenerator<Batch> {
  if (after >= head) return;
  const reached = new AbortController();
  const ending = AbortSignal.any([signal, reached.signal]);
  try {
    // Of all types: only of events that are there is it sure that a subscription comes past them.
    const from = { after: unverified(after), signal: ending };
    for await (const { events, ...reached } of log.subscribe(from)) {
      const last = reached.position >= head;
      yield {
        events: last ? events.filter((event) => event.position <= head) : events,
        ...reached,
      };
      if (last) return;
    }
  } finally {
    reached.abort();
  }
}
