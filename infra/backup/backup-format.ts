import { z } from "zod";

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

export const BackupTrailer = z.object({
  rows: z.record(z.string(), z.int()),
  sha256: z.string(),
});
export type BackupTrailer = z.infer<typeof BackupTrailer>;

/** The file is not a backup, is incomplete, or changed after it was written. */
export class UnusableBackup extends Error {
  override readonly name = "UnusableBackup";
}
