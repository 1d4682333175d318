import { keysWithValue } from "#contracts/keys-with-value.ts";
import {
  NOTIFICATION_OF,
  type Notice,
  type NotifiedEvent,
} from "#contracts/notifications/notice.ts";
import type { RecordedEvent } from "#infra/event-log/event-log.ts";
import { type EventRelay, type RelayDeps, relayEvents } from "#infra/relays/relay-events.ts";

export const NOTIFIED_TYPES = keysWithValue(NOTIFICATION_OF);

type NoticeRelay = Pick<EventRelay, "name" | "onProgress"> & {
  /** Passes a notice on; when it resolves, the notice is safe with the receiver. */
  readonly send: (notice: Notice) => Promise<void>;
};

/** Sends a notice for each event of the log that causes notifications, like `relayEvents`. */
export function relayNotices(
  deps: RelayDeps,
  { send, ...relay }: NoticeRelay,
  signal: AbortSignal,
): Promise<void> {
  const events = { ...relay, types: NOTIFIED_TYPES, send: (e: RecordedEvent) => send(noticeOf(e)) };
  return relayEvents(deps, events, signal);
}

/** @param event of one of NOTIFIED_TYPES */
export function noticeOf({ id, type, stream, revision }: RecordedEvent): Notice {
  return { id, type: NOTIFICATION_OF[type as NotifiedEvent["type"]], stream, revision };
}
