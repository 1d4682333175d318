import { type Batch, type EventLog, type Position, unverified } from "./event-log.ts";

/** All events after a position that are in the log now, in batches; ends early when `signal` aborts. */
export async function* eventsToHead(
  log: Pick<EventLog, "subscribe" | "head">,
  after: Position,
  signal: AbortSignal,
): AsyncGenerator<Batch> {
  yield* eventsUpTo(log, after, await log.head(), signal);
}

/** The events after a position up to the one at `head`, in batches; ends early when `signal` aborts. */
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
    // All types: a subscription is certain to pass `head` only if no type is filtered out.
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
