import type { ClientBase } from "pg";
import { sql } from "slonik";
import { z } from "zod";
import { statementsOn } from "#infra/postgres/statements.ts";

/**
 * A backup is one zstd stream of lines, readable with `zstdcat`: a header; for each table a line
 * with its name, its rows in PostgreSQL's COPY text format, and `\.`; and a trailer with a hash of
 * every byte before it.
 */
export const BACKUP_FORMAT = "earthquake-catalogue-service backup";
export const BACKUP_VERSION = 1;

/** Ends the rows of a table. No COPY row equals it, since COPY doubles backslashes. */
export const END_OF_ROWS = "\\.";

export const BackupHeader = z.object({
  format: z.literal(BACKUP_FORMAT),
  version: z.literal(BACKUP_VERSION),
  createdAt: z.string(),
  /** Identity of the log, and its last event. The log itself is in the backup if it is in PostgreSQL. */
  logId: z.uuid(),
  head: z.string(),
  logKind: z.enum(["event_log", "event_store"]),
  /** The migrations that made the schema. */
  migrations: z.array(z.object({ name: z.string(), sha256: z.string() })),
});
export type BackupHeader = z.infer<typeof BackupHeader>;

export const TableLine = z.object({ table: z.string(), columns: z.array(z.string()) });
export type TableLine = z.infer<typeof TableLine>;

export const BackupTrailer = z.object({ rows: z.record(z.string(), z.int()), sha256: z.string() });
export type BackupTrailer = z.infer<typeof BackupTrailer>;

/** The file is not a backup, is incomplete, or changed after it was written. */
export class UnusableBackup extends Error {
  override readonly name = "UnusableBackup";
}

/** Schemas with data that cannot be rebuilt: everything but read models and leases. */
const SCHEMAS = ["event_log", "vault", "notifications", "analytics", "operations"];

/** Left out on purpose: what ended after the backup must not work again after a restore. */
const ENDED = ["vault.sessions", "vault.reset_tokens"];
/** Left out on purpose: large, and uploaded again with ease. */
const PASSING = ["operations.kept_uploads", "operations.kept_upload_pieces"];
const LEFT_OUT = [...ENDED, ...PASSING];

export type BackupTable = {
  /** `schema.table`. */
  readonly name: string;
  readonly columns: readonly string[];
};

const Table = z.object({
  name: z.string(),
  columns: z.array(z.string()),
  refersTo: z.array(z.string()),
});

/** The tables of a backup with their columns, referenced tables first. */
export async function readBackupTables(client: ClientBase): Promise<BackupTable[]> {
  const rows = await statementsOn(client).any(sql.type(Table)`
    select n.nspname || '.' || c.relname as name,
      (select json_agg(attname order by attnum) from pg_attribute
       where attrelid = c.oid and attnum > 0 and not attisdropped and attgenerated = '') as columns,
      coalesce((select json_agg(distinct rn.nspname || '.' || rc.relname)
       from pg_constraint f
       join pg_class rc on rc.oid = f.confrelid join pg_namespace rn on rn.oid = rc.relnamespace
       where f.conrelid = c.oid and f.contype = 'f' and rc.oid <> c.oid), '[]') as "refersTo"
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where c.relkind = 'r' and n.nspname = any(${sql.array(SCHEMAS, "text")})
    order by 1`);
  const left = rows.filter(({ name }) => !LEFT_OUT.includes(name));
  const ordered: BackupTable[] = [];
  while (left.length > 0) {
    const ready = left.findIndex(({ refersTo }) =>
      refersTo.every((name) => !left.some((table) => table.name === name)),
    );
    const [table] = left.splice(Math.max(0, ready), 1);
    if (table) ordered.push({ name: table.name, columns: table.columns });
  }
  return ordered;
}
