import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Client } from "pg";
import { expect, test } from "vitest";
import type { JsonObject } from "#contracts/seismic-event/seismic-event.ts";
import { createPostgresEventLog } from "#infra/event-log/postgres/postgres-event-log.ts";
import { migrate } from "#infra/postgres/migrations/migrate.ts";
import { createPgPool } from "#infra/postgres/pool.ts";
import { cataloguesProjection } from "#projections/catalogues/catalogues-projection.ts";
import { holds, verifyProjection } from "#projections/rebuild/verify-projection.ts";
import { createTestDatabase } from "../../support/database.ts";
import { withClient } from "../../support/database-template.ts";
import { migrationsUpTo } from "../../support/migrations-up-to.ts";

const FIXTURES = join(import.meta.dirname, "../../fixtures/installations");

/** Rows by table, as an installation with so many migrations wrote them. */
async function rowsAfter(migrations: string): Promise<Record<string, JsonObject[]>> {
  return JSON.parse(await readFile(join(FIXTURES, `${migrations}.json`), "utf8"));
}

/** Transactions are this server's own: those of another would lie in its future. */
async function fill(client: Client, tables: Record<string, JsonObject[]>): Promise<void> {
  await client.query("begin");
  for (const [table, rows] of Object.entries(tables)) {
    const columns = Object.keys(rows[0] ?? {}).join(", ");
    await client.query(
      `insert into ${table} (${columns}) overriding system value
       select ${columns} from json_populate_recordset(null::${table}, $1)`,
      [JSON.stringify(rows)],
    );
  }
  await client.query(
    `insert into read_model.checkpoints (projection, position)
     select 'catalogues', max(event_log.position_text(transaction_id, position) collate "C")
     from event_log.events`,
  );
  await client.query("commit");
}

test.each(["0012"])(
  "read models of an installation with %s migrations are what the log says after all others",
  async (migrations) => {
    const database = await createTestDatabase({ empty: true });
    await migrate(database.url, { directory: await migrationsUpTo(migrations) });
    const rows = await rowsAfter(migrations);
    await withClient(database.url, (client) => fill(client, rows));
    await migrate(database.url);
    const log = await createPostgresEventLog(database.url);
    const pool = createPgPool(database.url, { applicationName: "verify", statementTimeoutMs: 0 });
    const { rows: catalogues } = await pool.query(
      "select name, public_from, merge_config->>'linkage' as linkage from read_model.catalogues order by key",
    );
    const { signal } = new AbortController();
    const verification = await verifyProjection({ log, pool, signal }, cataloguesProjection);
    await pool.end();
    await log.close();
    await database.drop();
    expect(verification.tables.flatMap(({ differences }) => differences)).toEqual([]);
    expect(verification.tables[0]?.live.rows).toBe(5);
    expect(holds(verification)).toBe(true);
    // What guests could read they go on reading, and merges are told as they were done.
    expect(catalogues).toEqual([
      { name: "public from the start", public_from: 1, linkage: null },
      { name: "made public", public_from: 1, linkage: null },
      { name: "private again", public_from: null, linkage: null },
      { name: "private", public_from: null, linkage: null },
      { name: "merged", public_from: null, linkage: "complete" },
    ]);
  },
);
