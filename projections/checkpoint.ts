import { escapeIdentifier, type Pool } from "pg";
import { z } from "zod";
import { BEGINNING, type Checkpoint, type Position } from "#infra/event-log/event-log.ts";
import type { Lease } from "#infra/postgres/lease.ts";
import type { Transaction } from "./projection.ts";
import { LIVE_SCHEMA } from "./read-model-schema.ts";

const CheckpointRow = z.object({ position: z.string(), eventId: z.uuid().nullable() });
const CheckpointRows = z.array(CheckpointRow);

/** Another worker has moved the checkpoint: this one does not hold the projection any more. */
export class CheckpointMoved extends Error {
  override readonly name = "CheckpointMoved";
}

/** How far the read model of a projection stands; BEGINNING when it has applied nothing. */
export async function readCheckpoint(
  database: Pick<Pool, "query">,
  projection: string,
  schema: string = LIVE_SCHEMA,
): Promise<Checkpoint> {
  const { rows } = await database.query(
    `select position, event_id as "eventId" from ${escapeIdentifier(schema)}.checkpoints
     where projection = $1`,
    [projection],
  );
  return toCheckpoint(CheckpointRows.parse(rows)[0]);
}

function toCheckpoint(row: z.infer<typeof CheckpointRow> | undefined): Checkpoint {
  return row ? { ...row, position: row.position as Position } : BEGINNING;
}

const Moved = z.array(z.object({ hasParked: z.boolean() }));

export type CheckpointMove = {
  readonly projection: string;
  readonly from: Position;
  readonly to: Checkpoint;
  /** How many events of the log have been applied since `from`. */
  readonly events: number;
  /** Refuses the move once another process has taken it over. */
  readonly lease?: Pick<Lease, "name" | "number">;
};

/**
 * Moves the checkpoint, in the transaction that changes the rows: of two workers only one can, and
 * none whose lease was taken over.
 * @returns whether the projection has parked events
 * @throws CheckpointMoved when it is not at `from`, or the lease is another's
 */
export async function moveCheckpoint(
  transaction: Transaction,
  { projection, from, to, events, lease }: CheckpointMove,
): Promise<boolean> {
  const { rows } = await transaction.query({
    name: "move_checkpoint",
    text: `insert into checkpoints as c (projection, position, event_id, applied_events)
     select $1::text, $3::text, $4::uuid, $5::bigint
     where $6::text is null
       or exists (select from coordination.leases where name = $6 and number = $7::bigint)
     on conflict (projection) do update
       set position = excluded.position, event_id = excluded.event_id,
         applied_events = c.applied_events + excluded.applied_events,
         updated_at = clock_timestamp()
       where c.position = $2
     returning exists (select from parked_events where projection = $1) as "hasParked"`,
    values: [
      projection,
      from,
      to.position,
      to.eventId,
      events,
      lease?.name ?? null,
      lease?.number ?? null,
    ],
  });
  const [moved] = Moved.parse(rows);
  if (moved === undefined) {
    throw new CheckpointMoved(`projection ${projection} left ${from}, or its lease was taken over`);
  }
  return moved.hasParked;
}

/**
 * Keeps every worker from applying a batch until the transaction ends.
 * @returns where the checkpoint stands
 */
export async function holdCheckpoint(
  transaction: Transaction,
  projection: string,
): Promise<Checkpoint> {
  await transaction.query(
    "insert into checkpoints (projection, position) values ($1, $2) on conflict do nothing",
    [projection, BEGINNING.position],
  );
  const { rows } = await transaction.query(
    `select position, event_id as "eventId" from checkpoints where projection = $1 for update`,
    [projection],
  );
  return toCheckpoint(z.tuple([CheckpointRow]).parse(rows)[0]);
}
