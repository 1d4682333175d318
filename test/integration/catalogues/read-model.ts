import { setImmediate } from "node:timers/promises";
import type { Pool } from "pg";
import { type EventLog, eventsToHead, START } from "#infra/log/event-log.ts";
import { cataloguesProjection } from "#projections/catalogues/projection.ts";
import { applyBatch } from "#projections/engine/run.ts";

const { tables } = cataloguesProjection;

/** Every row of the read model of catalogues that counts, by table: not those that deleted ones have left. */
export async function dumpReadModel(pool: Pool): Promise<Record<string, unknown[]>> {
  const entries = await Promise.all(
    tables.map(async ({ name, key, owner }) => {
      const owned = owner
        ? `where ${owner.by} in (select ${owner.key} from read_model.${owner.table})`
        : "";
      const { rows } = await pool.query(
        `select * from read_model.${name} ${owned} order by ${key.join()}`,
      );
      return [name, rows] as const;
    }),
  );
  return Object.fromEntries(entries);
}

/** Makes the read model anew from the start of the log, while the live projector stands still. */
export async function rebuildReadModel(pool: Pool, log: EventLog): Promise<void> {
  const { name, types } = cataloguesProjection;
  await pool.query(`truncate ${tables.map((table) => `read_model.${table.name}`).join(", ")}`);
  await pool.query("delete from read_model.parked_events where projection = $1", [name]);
  await pool.query("delete from read_model.checkpoints where projection = $1", [name]);
  let after = START;
  for await (const batch of eventsToHead(log, after, new AbortController().signal)) {
    const { position, eventId } = batch;
    const events = batch.events.filter(({ type }) => types.includes(type));
    await applyBatch(pool, cataloguesProjection, after, { events, position, eventId });
    after = position;
    await setImmediate();
  }
}
