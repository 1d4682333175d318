import type { CommonQueryMethods } from "slonik";
import { keysWithValue } from "#contracts/keys-with-value.ts";
import {
  NOTIFICATION_OF,
  type Notice,
  type NotifiedEvent,
} from "#contracts/notifications/notice.ts";
import { requireKnown } from "#infra/event-log/domain-events.ts";
import type { EventLog, RecordedEvent } from "#infra/event-log/event-log.ts";
import { moveRelayCheckpoint, readRelayCheckpoint } from "./relay-checkpoint.ts";

export type RelayDeps = {
  readonly log: Pick<EventLog, "subscribe">;
  readonly pool: CommonQueryMethods;
};

export type Relay = {
  /** The checkpoint's name. */
  readonly name: string;
  /** Passes a notice on; when it resolves, the notice is safe with the receiver. */
  readonly send: (notice: Notice) => Promise<void>;
  /** Called when the relay has advanced. */
  readonly onProgress: () => void;
};

/**
 * Sends a notice for each event of the log that causes notifications, in order, until `signal`
 * aborts. At least once: the checkpoint moves after the notice is sent.
 * @throws UnknownEvent at an event of an unknown version; RelayMoved when another worker has the
 * relay; errors of `send`
 */
export async function relayNotices(
  { log, pool }: RelayDeps,
  { name, send, onProgress }: Relay,
  signal: AbortSignal,
): Promise<void> {
  const types = keysWithValue(NOTIFICATION_OF);
  const start = await readRelayCheckpoint(pool, name);
  let after = start.position;
  for await (const { events, ...reached } of log.subscribe({ after: start, types, signal })) {
    for (const event of events) {
      if (signal.aborted) return;
      requireKnown(event);
      await send(noticeOf(event));
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

function noticeOf({ id, type, stream, revision }: RecordedEvent): Notice {
  // The subscription returns no other types.
  return { id, type: NOTIFICATION_OF[type as NotifiedEvent["type"]], stream, revision };
}
