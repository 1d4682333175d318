import type { CommonQueryMethods } from "slonik";
import { requireKnown } from "#infra/event-log/domain-events.ts";
import type { EventLog, RecordedEvent } from "#infra/event-log/event-log.ts";
import { moveRelayCheckpoint, readRelayCheckpoint } from "./relay-checkpoint.ts";

export type RelayDeps = {
  readonly log: Pick<EventLog, "subscribe">;
  readonly pool: CommonQueryMethods;
};

export type EventRelay = {
  /** The checkpoint's name. */
  readonly name: string;
  readonly types: readonly string[];
  /** Passes an event on; when it resolves, the event is safe with the receiver. */
  readonly send: (event: RecordedEvent) => Promise<void>;
  /** Called when the relay has advanced. */
  readonly onProgress: () => void;
};

/**
 * Sends the log's events of the relay's types, in order, until `signal` aborts. At least once: the
 * checkpoint moves after the event is sent.
 * @throws UnknownEvent at an event of an unknown version; RelayMoved when another worker has the
 * relay; errors of `send`
 */
export async function relayEvents(
  { log, pool }: RelayDeps,
  { name, types, send, onProgress }: EventRelay,
  signal: AbortSignal,
): Promise<void> {
  const start = await readRelayCheckpoint(pool, name);
  let after = start.position;
  for await (const { events, ...reached } of log.subscribe({ after: start, types, signal })) {
    for (const event of events) {
      if (signal.aborted) return;
      requireKnown(event);
      await send(event);
      await moveRelayCheckpoint(pool, name, after, { position: event.position, eventId: event.id });
      after = event.position;
      onProgress();
    }
    if (reached.position === after) continue;
    await moveRelayCheckpoint(pool, name, after, reached);
    after = reached.position;
    onProgress();
  }
}
