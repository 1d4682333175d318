import { requireKnown } from "#infra/event-log/domain-events.ts";
import type { Batch, EventLog, Position } from "#infra/event-log/event-log.ts";
import type { Projection } from "./projection.ts";

/** The events that the projection applies. @throws UnknownEvent where it guards the log */
export async function* batchesOf(
  log: Pick<EventLog, "subscribe">,
  { types, guardsLog }: Projection,
  after: Position,
  signal: AbortSignal,
): AsyncGenerator<Batch> {
  if (!guardsLog) {
    yield* log.subscribe({ after, types, signal });
    return;
  }
  for await (const { events, position } of log.subscribe({ after, signal })) {
    events.forEach(requireKnown);
    yield { events: events.filter(({ type }) => types.includes(type)), position };
  }
}

/**
 * Binary events that are applied in one transaction: about 20,000 seismic events. A longer
 * transaction would hold back every other reader of the log, which waits for the oldest one.
 */
const MAX_CHUNKS = 10;

/** A batch in parts that are applied each in a transaction of its own. */
export function* partsOf({ events, position }: Batch): Generator<Batch> {
  let start = 0;
  let chunks = 0;
  for (const [i, event] of events.entries()) {
    if (event.data instanceof Uint8Array) chunks += 1;
    if (chunks < MAX_CHUNKS || i === events.length - 1) continue;
    yield { events: events.slice(start, i + 1), position: event.position };
    start = i + 1;
    chunks = 0;
  }
  yield { events: events.slice(start), position };
}
