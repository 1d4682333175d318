import { type CommonQueryMethods, sql } from "slonik";
import { z } from "zod";
import { BEGINNING, type Checkpoint, type Position, START } from "#infra/event-log/event-log.ts";

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

/** Checkpoints of those of the relays that have begun. */
export async function relayPositions(
  pool: CommonQueryMethods,
  relays: readonly string[],
): Promise<readonly { relay: string; position: Position }[]> {
  const rows = await pool.any(sql.type(RelayPosition)`
    select relay, position from notifications.checkpoints
    where relay = any(${sql.array([...relays], "text")}) order by relay`);
  return rows.map(({ relay, position }) => ({ relay, position: position as Position }));
}

/** A relay's checkpoint; BEGINNING and 0 before its first message. */
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
export async function moveRelayCheckpoint(
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
