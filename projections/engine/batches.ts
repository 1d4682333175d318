import { requireKnown } from "#infra/event-log/domain-events.ts";
import type { Batch, Checkpoint, EventLog } from "#infra/event-log/event-log.ts";
import type { Part } from "./apply-batch.ts";
import type { Projection } from "./projection.ts";

/** The events that the projection applies. @throws UnknownEvent if the projection guards the log */
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
 * Binary events applied in one transaction: about 20,000 seismic events. A longer transaction would
 * delay every other reader of the log, since readers wait for the oldest transaction.
 */
const MAX_CHUNKS = 10;

/** Splits a part of the log into smaller ones, each for a transaction of its own. */
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
