import { escapeIdentifier, type Pool } from "pg";
import { z } from "zod";
import { BEGINNING, type Checkpoint, type Position } from "#infra/event-log/event-log.ts";
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

/**
 * Moves the checkpoint, in the transaction that changes the rows: of two workers only one can.
 * @param events how many events of the log have been applied since `from`
 * @returns whether the projection has parked events
 * @throws CheckpointMoved when it is not at `from`
 */
export async function moveCheckpoint(
  transaction: Transaction,
  projection: string,
  from: Position,
  to: Checkpoint,
  events: number,
): Promise<boolean> {
  const { rows } = await transaction.query({
    name: "move_checkpoint",
    text: `insert into checkpoints as c (projection, position, event_id, applied_events)
     values ($1, $3, $4, $5)
     on conflict (projection) do update
       set position = excluded.position, event_id = excluded.event_id,
         applied_events = c.applied_events + excluded.applied_events,
         updated_at = clock_timestamp()
       where c.position = $2
     returning exists (select from parked_events where projection = $1) as "hasParked"`,
    values: [projection, from, to.position, to.eventId, events],
  });
  const [moved] = Moved.parse(rows);
  if (moved === undefined) throw new CheckpointMoved(`projection ${projection} left ${from}`);
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
