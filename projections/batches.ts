import { requireKnown } from "#infra/event-log/domain-events.ts";
import type { Batch, Checkpoint, EventLog } from "#infra/event-log/event-log.ts";
import type { Part } from "./apply-batch.ts";
import type { Projection } from "./projection.ts";

/** The events that the projection applies. @throws UnknownEvent where it guards the log */
export async function* batchesOf(
  log: Pick<EventLog, "subscribe">,
  { types, guardsLog }: Projection,
  after: Checkpoint,
  signal: AbortSignal,
): AsyncGenerator<Batch> {
  if (!guardsLog) {
    yield* log.subscribe({ after, types, signal });
    return;
  }
  for await (const { events, ...reached } of log.subscribe({ after, signal })) {
    events.forEach(requireKnown);
    yield { events: events.filter(({ type }) => types.includes(type)), ...reached };
  }
}

/**
 * Binary events that are applied in one transaction: about 20,000 seismic events. A longer
 * transaction would hold back every other reader of the log, which waits for the oldest one.
 */
const MAX_CHUNKS = 10;

/** A part of the log in smaller ones that are applied each in a transaction of its own. */
export function* partsOf({ events, ...reached }: Part): Generator<Part> {
  let start = 0;
  let chunks = 0;
  for (const [i, event] of events.entries()) {
    if (event.data instanceof Uint8Array) chunks += 1;
    if (chunks < MAX_CHUNKS || i === events.length - 1) continue;
    const { position, id: eventId } = event;
    yield { events: events.slice(start, i + 1), position, eventId };
    start = i + 1;
    chunks = 0;
  }
  yield { events: events.slice(start), ...reached };
}
