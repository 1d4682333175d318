import { type CommonQueryMethods, sql } from "slonik";
import { z } from "zod";
import { BEGINNING, type Checkpoint, type Position } from "#infra/event-log/event-log.ts";

/** Another worker moved the checkpoint, so this worker no longer holds the relay. */
class RelayMoved extends Error {
  override readonly name = "RelayMoved";
}

const RelayRow = z.object({
  position: z.string(),
  eventId: z.uuid().nullable(),
  brokerSequence: z.int(),
  brokerLeader: z.string().nullable(),
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

/** What a relay knows of its broker: the last sequence acknowledged, and who had the stream. */
export type BrokerMark = {
  readonly brokerSequence: number;
  /** Null outside a cluster. */
  readonly brokerLeader: string | null;
};

/** A relay's checkpoint; BEGINNING and 0 before its first message. */
export async function readRelayCheckpoint(
  pool: CommonQueryMethods,
  relay: string,
): Promise<Checkpoint & BrokerMark> {
  const row = await pool.maybeOne(sql.type(RelayRow)`
    select position, event_id as "eventId", broker_sequence as "brokerSequence",
      broker_leader as "brokerLeader"
    from notifications.checkpoints where relay = ${relay}`);
  if (row === null) return { ...BEGINNING, brokerSequence: 0, brokerLeader: null };
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
