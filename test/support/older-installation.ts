import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Client } from "pg";
import type { JsonObject } from "#contracts/seismic-event/seismic-event.ts";
import { migrate } from "#infra/postgres/migrations/migrate.ts";
import { createTestDatabase, type TestDatabase } from "./database.ts";
import { withClient } from "./database-template.ts";
import { migrationsUpTo } from "./migrations-up-to.ts";

export const INSTALLATIONS = join(import.meta.dirname, "../fixtures/installations");

/** Rows by table, as an installation with so many migrations wrote them. */
export type InstallationRows = Readonly<Record<string, readonly JsonObject[]>>;

export async function rowsAfter(migrations: string): Promise<InstallationRows> {
  return JSON.parse(await readFile(join(INSTALLATIONS, `${migrations}.json`), "utf8"));
}

/** Transactions are this server's own: those of another would lie in its future. */
async function fill(client: Client, tables: InstallationRows): Promise<void> {
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

/** The database of an installation with so many migrations, as it stands before later ones; to be dropped. */
export async function createOlderInstallation(migrations: string): Promise<TestDatabase> {
  const database = await createTestDatabase({ empty: true });
  await migrate(database.url, { directory: await migrationsUpTo(migrations) });
  const rows = await rowsAfter(migrations);
  await withClient(database.url, (client) => fill(client, rows));
  return database;
}
