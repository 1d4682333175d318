import { escapeIdentifier, type Pool } from "pg";
import { z } from "zod";
import { type Position, START } from "#infra/event-log/event-log.ts";
import type { Transaction } from "./projection.ts";
import { LIVE_SCHEMA } from "./read-model-schema.ts";

const PositionRow = z.object({ position: z.string() });
const PositionRows = z.array(PositionRow);

/** Another worker has moved the checkpoint: this one does not hold the projection any more. */
export class CheckpointMoved extends Error {
  override readonly name = "CheckpointMoved";
}

/** How far the read model of a projection stands; START when it has applied nothing. */
export async function readCheckpoint(
  database: Pick<Pool, "query">,
  projection: string,
  schema: string = LIVE_SCHEMA,
): Promise<Position> {
  const { rows } = await database.query(
    `select position from ${escapeIdentifier(schema)}.checkpoints where projection = $1`,
    [projection],
  );
  return (PositionRows.parse(rows)[0]?.position ?? START) as Position;
}

const Moved = z.array(z.object({ hasParked: z.boolean() }));

/**
 * Moves the checkpoint, in the transaction that changes the rows: of two workers only one can.
 * @returns whether the projection has parked events
 * @throws CheckpointMoved when it is not at `from`
 */
export async function moveCheckpoint(
  transaction: Transaction,
  projection: string,
  from: Position,
  to: Position,
): Promise<boolean> {
  const { rows } = await transaction.query({
    name: "move_checkpoint",
    text: `insert into checkpoints as c (projection, position) values ($1, $3)
     on conflict (projection) do update
       set position = excluded.position, updated_at = clock_timestamp()
       where c.position = $2
     returning exists (select from parked_events where projection = $1) as "hasParked"`,
    values: [projection, from, to],
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
): Promise<Position> {
  await transaction.query(
    "insert into checkpoints (projection, position) values ($1, $2) on conflict do nothing",
    [projection, START],
  );
  const { rows } = await transaction.query(
    "select position from checkpoints where projection = $1 for update",
    [projection],
  );
  const [{ position }] = z.tuple([PositionRow]).parse(rows);
  return position as Position;
}
