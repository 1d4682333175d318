import { sql } from "slonik";
import type { Checkpoint } from "#infra/event-log/event-log.ts";
import type { Projection, Transaction } from "../engine/projection.ts";
import { LIVE_SCHEMA } from "../engine/read-model-schema.ts";
import type { TableDefinition } from "./table-definitions.ts";

export async function replaceTable(
  transaction: Transaction,
  schema: string,
  { name, statistics }: TableDefinition,
): Promise<void> {
  const live = sql.identifier([LIVE_SCHEMA]);
  await transaction.run(sql.unsafe`drop table ${sql.identifier([LIVE_SCHEMA, name])}`);
  await transaction.run(
    sql.unsafe`alter table ${sql.identifier([schema, name])} set schema ${live}`,
  );
  // Indexes and constraints move with their table, extended statistics do not.
  for (const object of statistics) {
    const moved = sql.identifier([schema, object.name]);
    await transaction.run(sql.unsafe`alter statistics ${moved} set schema ${live}`);
  }
}

export async function replaceBookkeeping(
  transaction: Transaction,
  { name }: Projection,
  schema: string,
  { position, eventId }: Checkpoint,
): Promise<void> {
  const parked = sql.identifier([LIVE_SCHEMA, "parked_events"]);
  await transaction.run(sql.unsafe`delete from ${parked} where projection = ${name}`);
  await transaction.run(sql.unsafe`
    insert into ${parked} select * from ${sql.identifier([schema, "parked_events"])}`);
  await transaction.run(sql.unsafe`
    update ${sql.identifier([LIVE_SCHEMA, "checkpoints"])}
    set position = ${position}, event_id = ${eventId}, updated_at = clock_timestamp()
    where projection = ${name}`);
}
