import { z } from "zod";

/**
 * A backup is one zstd stream of lines, readable by `zstdcat`: the header; for each table a line that
 * names it, its rows as PostgreSQL's COPY writes them as text, and `\.`; and the trailer, whose hash is
 * of every byte before it.
 */
export const BACKUP_FORMAT = "earthquake-catalogue-service backup";
export const BACKUP_VERSION = 1;

/** Ends the rows of a table: no row of COPY is so, since COPY doubles a backslash. */
export const END_OF_ROWS = "\\.";

export const BackupHeader = z.object({
  format: z.literal(BACKUP_FORMAT),
  version: z.literal(BACKUP_VERSION),
  createdAt: z.string(),
  /** Identity of the log, and its last event; the log itself is in the backup where PostgreSQL has it. */
  logId: z.uuid(),
  head: z.string(),
  logKind: z.enum(["event_log", "event_store"]),
  /** What the schema of the database is made of. */
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

/** The file is no backup, was cut off, or has changed since it was written. */
export class UnusableBackup extends Error {
  override readonly name = "UnusableBackup";
}
