import type { Client } from "pg";
import { z } from "zod";
import { type Result, within } from "../report.ts";

/** Bytes an event: what it takes with its indexes, and in the log. */
const LIMITS = { "read_model.seismic_events": 400, "event_log.events": 60 } as const;

const Bytes = z.tuple([z.object({ bytes: z.coerce.number() })]);

const Indexes = z.array(
  z.object({
    index: z.string(),
    bytes: z.coerce.number(),
    /** Scans that statements of the run began, and rows of the index that they read. */
    scans: z.coerce.number(),
    read: z.coerce.number(),
  }),
);

/** What the events of all catalogues take, for each. */
export async function sizesOf(database: Client, events: number): Promise<Result[]> {
  const results: Result[] = [];
  for (const [table, limit] of Object.entries(LIMITS)) {
    const { rows } = await database.query("select pg_total_relation_size($1) as bytes", [table]);
    const [{ bytes }] = Bytes.parse(rows);
    results.push({
      case: `bytes an event in ${table}`,
      size: `${events} events`,
      unit: "bytes",
      ...within(limit, [bytes / events]),
    });
  }
  return results;
}

/** What each index of the events costs, and how often it was used: what it earns. */
export async function printIndexes(database: Client, events: number): Promise<void> {
  // What other connections did is told when they are next idle.
  await database.query("select pg_stat_force_next_flush(), pg_stat_clear_snapshot()");
  const { rows } = await database.query(
    `select indexrelname as index, pg_relation_size(indexrelid) as bytes, idx_scan as scans,
       idx_tup_read as read
     from pg_stat_user_indexes where schemaname = 'read_model' and relname = 'seismic_events'
     union all
     select 'the rows themselves', pg_table_size(relid), seq_scan, seq_tup_read
     from pg_stat_user_tables where schemaname = 'read_model' and relname = 'seismic_events'
     order by bytes desc`,
  );
  console.table(
    Indexes.parse(rows).map(({ index, bytes, scans, read }) => ({
      "index of seismic_events": index,
      MB: Math.round(bytes / 1e6),
      "bytes an event": Number((bytes / events).toFixed(1)),
      scans,
      "rows read": read,
    })),
  );
}
