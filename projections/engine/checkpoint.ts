import type { Pool } from "pg";
import { sql } from "slonik";
import { z } from "zod";
import { BEGINNING, type Checkpoint, type Position } from "#infra/event-log/event-log.ts";
import type { Lease } from "#infra/postgres/lease.ts";
import { statementsOn } from "#infra/postgres/statements.ts";
import type { Transaction } from "./projection.ts";
import { LIVE_SCHEMA } from "./read-model-schema.ts";

const CheckpointRow = z.object({ position: z.string(), eventId: z.uuid().nullable() });

/** Another worker moved the checkpoint, so this worker no longer holds the projection. */
export class CheckpointMoved extends Error {
  override readonly name = "CheckpointMoved";
}

/** A projection's checkpoint; BEGINNING before its first event. */
export async function readCheckpoint(
  database: Pick<Pool, "query">,
  projection: string,
  schema: string = LIVE_SCHEMA,
): Promise<Checkpoint> {
  const row = await statementsOn(database).maybeOne(sql.type(CheckpointRow)`
    select position, event_id as "eventId" from ${sql.identifier([schema, "checkpoints"])}
    where projection = ${projection}`);
  return row ? toCheckpoint(row) : BEGINNING;
}

function toCheckpoint(row: z.infer<typeof CheckpointRow>): Checkpoint {
  return { ...row, position: row.position as Position };
}

const Moved = z.object({ hasParked: z.boolean() });

export type CheckpointMove = {
  readonly projection: string;
  readonly from: Position;
  readonly to: Checkpoint;
  /** Number of events applied since `from`. */
  readonly events: number;
  /** The move is refused when another process has taken the lease over. */
  readonly lease?: Pick<Lease, "name" | "number">;
};

/**
 * Moves the checkpoint, in the transaction that changes the rows. Of two concurrent workers only one
 * succeeds, and none that has lost its lease.
 * @returns whether the projection has parked events
 * @throws CheckpointMoved when the checkpoint is not at `from`, or another process holds the lease
 */
export async function moveCheckpoint(
  transaction: Transaction,
  { projection, from, to, events, lease }: CheckpointMove,
): Promise<boolean> {
  const moved = await transaction.maybeOne(sql.prepared("move_checkpoint", Moved)`
    insert into checkpoints as c (projection, position, event_id, applied_events)
    select ${projection}::text, ${to.position}::text, ${to.eventId}::uuid, ${events}::bigint
    where ${lease?.name ?? null}::text is null
      or exists (
        select from coordination.leases
        where name = ${lease?.name ?? null} and number = ${lease?.number ?? null}::bigint)
    on conflict (projection) do update
      set position = excluded.position, event_id = excluded.event_id,
        applied_events = c.applied_events + excluded.applied_events,
        updated_at = clock_timestamp()
      where c.position = ${from}
    returning exists (select from parked_events where projection = ${projection}) as "hasParked"`);
  if (moved === null) {
    throw new CheckpointMoved(`projection ${projection} left ${from}, or its lease was taken over`);
  }
  return moved.hasParked;
}

/**
 * Prevents all workers from applying a batch until the transaction ends.
 * @returns the checkpoint
 */
export async function holdCheckpoint(
  transaction: Transaction,
  projection: string,
): Promise<Checkpoint> {
  await transaction.run(sql.unsafe`
    insert into checkpoints (projection, position) values (${projection}, ${BEGINNING.position})
    on conflict do nothing`);
  return toCheckpoint(
    await transaction.one(sql.type(CheckpointRow)`
      select position, event_id as "eventId" from checkpoints
      where projection = ${projection} for update`),
  );
}
