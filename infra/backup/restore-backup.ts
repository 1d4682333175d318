import { finished } from "node:stream/promises";
import { type ClientBase, escapeIdentifier } from "pg";
import { from as copyFrom } from "pg-copy-streams";
import { sql } from "slonik";
import { z } from "zod";
import { statementsOn } from "#infra/postgres/statements.ts";
import {
  type BackupHeader,
  type BackupTrailer,
  readBackupTables,
  type TableLine,
  UnusableBackup,
} from "./backup-format.ts";
import { readBackup } from "./read-backup.ts";

/** The database is not empty. */
export class NotEmpty extends Error {
  override readonly name = "NotEmpty";
}

const Named = z.object({ name: z.string() });

/** @throws NotEmpty when the database has any table outside PostgreSQL's own schemas */
export async function requireEmpty(client: ClientBase): Promise<void> {
  const table = await statementsOn(client).maybeOne(sql.type(Named)`
    select n.nspname || '.' || c.relname as name
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where c.relkind in ('r', 'p') and n.nspname !~ '^pg_' and n.nspname <> 'information_schema'
    order by 1 limit 1`);
  if (table) throw new NotEmpty(`the database is not empty: it has the table ${table.name}`);
}

/**
 * Fills the tables of a database that has the backup's schema, in one transaction.
 * @throws UnusableBackup
 */
export async function fillFromBackup(client: ClientBase, file: string): Promise<void> {
  let copy: ReturnType<typeof copyInto> | null = null;
  await client.query("begin");
  const known = await readBackupTables(client);
  // Migrations insert rows of their own into some tables.
  await client.query(`truncate ${known.map(({ name }) => name).join(", ")} cascade`);
  for await (const part of readBackup(file)) {
    if (part.kind === "table") copy = copyInto(client, known, part.table);
    if (part.kind === "rows") await copy?.write(part.bytes);
    if (part.kind === "end of table") await copy?.end();
  }
  await statementsOn(client).any(sql.unsafe`
    select setval(pg_get_serial_sequence('event_log.events', 'position'),
      (select coalesce(max(position), 0) + 1 from event_log.events), false)`);
  await client.query("commit");
}

function copyInto(
  client: ClientBase,
  known: readonly { readonly name: string }[],
  { table, columns }: TableLine,
) {
  if (!known.some(({ name }) => name === table)) {
    throw new UnusableBackup(`the backup has a table ${table}, which this version does not know`);
  }
  const names = columns.map((column) => escapeIdentifier(column)).join(", ");
  const stream = client.query(copyFrom(`copy ${table} (${names}) from stdin`));
  const ended = finished(stream);
  // Awaited at the end; until then the writes report a failure.
  ended.catch(() => undefined);
  return {
    async write(bytes: Buffer): Promise<void> {
      if (stream.write(bytes)) return;
      await Promise.race([new Promise((resolve) => stream.once("drain", resolve)), ended]);
    },
    async end(): Promise<void> {
      stream.end();
      await ended;
    },
  };
}

/** Empties the database again after a failed restore. */
export async function emptyDatabase(client: ClientBase): Promise<void> {
  const { any, run } = statementsOn(client);
  const schemas = await any(sql.type(Named)`
    select nspname as name from pg_namespace
    where nspname !~ '^pg_' and nspname not in ('information_schema', 'public')`);
  for (const { name } of schemas) {
    await run(sql.unsafe`drop schema ${sql.identifier([name])} cascade`);
  }
  await run(sql.unsafe`drop table if exists schema_migrations`);
}

/** Reads the whole file and verifies its hash. @throws UnusableBackup */
export async function checkBackup(
  file: string,
): Promise<{ readonly header: BackupHeader; readonly trailer: BackupTrailer }> {
  let header: BackupHeader | null = null;
  let trailer: BackupTrailer | null = null;
  for await (const part of readBackup(file)) {
    if (part.kind === "header") header = part.header;
    if (part.kind === "trailer") trailer = part.trailer;
  }
  if (header === null || trailer === null) throw new UnusableBackup(`${file} was cut off`);
  return { header, trailer };
}
