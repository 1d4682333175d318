import { setImmediate } from "node:timers/promises";
import type { Pool } from "pg";
import { type EventLog, START } from "#infra/event-log/event-log.ts";
import { applyBatch } from "#projections/apply-batch.ts";
import { cataloguesProjection } from "#projections/catalogues/catalogues-projection.ts";

/** Tables of the projection, and the key that orders their rows. */
const TABLES = {
  catalogues: "key",
  catalogue_versions: "catalogue_key, version",
  imports: "id",
  seismic_events: "catalogue_key, event_id, revision_from",
};

/** Every row of the read model of catalogues, by table. */
export async function dumpReadModel(pool: Pool): Promise<Record<string, unknown[]>> {
  const entries = await Promise.all(
    Object.entries(TABLES).map(async ([table, order]) => {
      const { rows } = await pool.query(`select * from read_model.${table} order by ${order}`);
      return [table, rows] as const;
    }),
  );
  return Object.fromEntries(entries);
}

/** Makes the read model anew from the start of the log, while the live projector stands still. */
export async function rebuildReadModel(pool: Pool, log: EventLog): Promise<void> {
  const { name, types } = cataloguesProjection;
  const head = await log.head();
  const tables = Object.keys(TABLES).map((table) => `read_model.${table}`);
  await pool.query(`truncate ${tables.join(", ")}`);
  await pool.query("delete from read_model.parked_events where projection = $1", [name]);
  await pool.query("delete from read_model.checkpoints where projection = $1", [name]);
  const stopping = new AbortController();
  let after = START;
  for await (const batch of log.subscribe({ after, types, signal: stopping.signal })) {
    await applyBatch(pool, cataloguesProjection, after, batch);
    after = batch.position;
    if (after >= head) stopping.abort();
    await setImmediate();
  }
}
