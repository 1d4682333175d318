import { type CommonQueryMethods, sql } from "slonik";
import { z } from "zod";
import { keysWithValue } from "#contracts/keys-with-value.ts";
import {
  NOTIFICATION_OF,
  type Notice,
  type NotifiedEvent,
} from "#contracts/notifications/notice.ts";
import { requireKnown } from "#infra/event-log/domain-events.ts";
import {
  BEGINNING,
  type Checkpoint,
  type EventLog,
  type Position,
  type RecordedEvent,
  START,
} from "#infra/event-log/event-log.ts";

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

/** Another worker moved the checkpoint, so this worker no longer holds the relay. */
class RelayMoved extends Error {
  override readonly name = "RelayMoved";
}

const RelayRow = z.object({
  position: z.string(),
  eventId: z.uuid().nullable(),
  brokerSequence: z.int(),
});

const RelayPosition = z.object({ relay: z.string(), position: z.string() });

/** Checkpoints of all relays that have passed on a notice. */
export async function relayPositions(
  pool: CommonQueryMethods,
): Promise<readonly { relay: string; position: Position }[]> {
  const rows = await pool.any(sql.type(RelayPosition)`
    select relay, position from notifications.checkpoints order by relay`);
  return rows.map(({ relay, position }) => ({ relay, position: position as Position }));
}

/** A relay's checkpoint; BEGINNING and 0 before its first notice. */
export async function readRelayCheckpoint(
  pool: CommonQueryMethods,
  relay: string,
): Promise<Checkpoint & { readonly brokerSequence: number }> {
  const row = await pool.maybeOne(sql.type(RelayRow)`
    select position, event_id as "eventId", broker_sequence as "brokerSequence"
    from notifications.checkpoints where relay = ${relay}`);
  if (row === null) return { ...BEGINNING, brokerSequence: 0 };
  return { ...row, position: row.position as Position };
}

/**
 * Moves the checkpoint. Of two concurrent workers only one succeeds.
 * @throws RelayMoved when the checkpoint is not at `from`
 */
async function moveRelayCheckpoint(
  pool: CommonQueryMethods,
  relay: string,
  from: Position,
  to: Checkpoint,
): Promise<void> {
  const { rowCount } = await pool.query(sql.unsafe`
    insert into notifications.checkpoints as c (relay, position, event_id)
    values (${relay}, ${to.position}, ${to.eventId}::uuid)
    on conflict (relay) do update
      set position = excluded.position, event_id = excluded.event_id, updated_at = clock_timestamp()
      where c.position = ${from}`);
  if (rowCount === 0) throw new RelayMoved(`relay ${relay} has left ${from}`);
}

/** Stores the sequence of a message that the broker acknowledged. */
export async function noteBrokerSequence(
  pool: CommonQueryMethods,
  relay: string,
  sequence: number,
): Promise<void> {
  await pool.query(sql.unsafe`
    insert into notifications.checkpoints as c (relay, position, broker_sequence)
    values (${relay}, ${START}, ${sequence})
    on conflict (relay) do update
      set broker_sequence = excluded.broker_sequence, updated_at = clock_timestamp()`);
}

/** Sets the relay back to the start of the log, for a broker that has lost messages. */
export async function rewindRelay(pool: CommonQueryMethods, relay: string): Promise<void> {
  await pool.query(sql.unsafe`
    update notifications.checkpoints
    set position = ${START}, event_id = null, broker_sequence = 0, updated_at = clock_timestamp()
    where relay = ${relay}`);
}
