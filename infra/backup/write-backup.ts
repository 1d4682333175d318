import { createHash } from "node:crypto";
import { createWriteStream } from "node:fs";
import { link, rm } from "node:fs/promises";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createZstdCompress } from "node:zlib";
import { type ClientBase, escapeIdentifier } from "pg";
import { to } from "pg-copy-streams";
import {
  type BackupHeader,
  type BackupTable,
  type BackupTrailer,
  END_OF_ROWS,
  readBackupTables,
  type TableLine,
  UnusableBackup,
} from "./backup-format.ts";

export type BackupWriteOptions = {
  /** A client inside a transaction with a single snapshot. */
  readonly client: ClientBase;
  readonly header: BackupHeader;
  /** Path of a file that does not exist yet. It will hold secrets, readable only by its owner. */
  readonly file: string;
  readonly signal: AbortSignal;
};

/**
 * Writes all data that cannot be rebuilt, from one snapshot of the database, to a file. The file
 * gets its final name when it is complete.
 * @throws UnusableBackup when the file exists
 */
export async function writeBackup(options: BackupWriteOptions): Promise<BackupTrailer> {
  const { client, header, file, signal } = options;
  const partial = `${file}.partial`;
  const trailer: BackupTrailer = { rows: {}, sha256: "" };
  // What an earlier run has left would keep its mode, and may be a link to another file.
  await rm(partial, { force: true });
  try {
    await pipeline(
      Readable.from(linesOf(client, header, trailer)),
      createZstdCompress(),
      createWriteStream(partial, { flags: "wx", mode: 0o600, flush: true }),
      { signal },
    );
    // A link, unlike a rename, does not replace an existing file.
    await link(partial, file).catch((cause: NodeJS.ErrnoException) => {
      if (cause.code === "EEXIST") throw new UnusableBackup(`${file} exists`, { cause });
      throw cause;
    });
    return trailer;
  } finally {
    await rm(partial, { force: true });
  }
}

async function* linesOf(
  client: ClientBase,
  header: BackupHeader,
  trailer: BackupTrailer,
): AsyncGenerator<Buffer> {
  const hash = createHash("sha256");
  const hashed = (bytes: Buffer): Buffer => {
    hash.update(bytes);
    return bytes;
  };
  const line = (content: string): Buffer => hashed(Buffer.from(`${content}\n`));
  yield line(JSON.stringify(header));
  for (const table of await readBackupTables(client)) {
    const { name, columns } = table;
    yield line(JSON.stringify({ table: name, columns } as TableLine));
    const copy = client.query(to(`copy (${rowsOf(table)}) to stdout`));
    for await (const bytes of copy) yield hashed(bytes);
    trailer.rows[name] = copy.rowCount;
    yield line(END_OF_ROWS);
  }
  trailer.sha256 = hash.digest("hex");
  yield Buffer.from(`${JSON.stringify(trailer)}\n`);
}

/** Log events in order of position, so that a restored table has the same physical order. */
function rowsOf({ name, columns }: BackupTable): string {
  const selected = columns.map((column) => escapeIdentifier(column)).join(", ");
  const order = name === "event_log.events" ? " order by transaction_id, position" : "";
  return `select ${selected} from ${name}${order}`;
}
