import { createHash } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { link, rm } from "node:fs/promises";
import { Readable } from "node:stream";
import { finished, pipeline } from "node:stream/promises";
import { createZstdCompress, createZstdDecompress } from "node:zlib";
import { type ClientBase, escapeIdentifier } from "pg";
import { from as copyFrom, to } from "pg-copy-streams";
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
const END_OF_ROWS = "\\.";

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

const TableLine = z.object({ table: z.string(), columns: z.array(z.string()) });
type TableLine = z.infer<typeof TableLine>;

const BackupTrailer = z.object({ rows: z.record(z.string(), z.int()), sha256: z.string() });
type BackupTrailer = z.infer<typeof BackupTrailer>;

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

const Table = z.object({
  /** `schema.table`. */
  name: z.string(),
  columns: z.array(z.string()),
  refersTo: z.array(z.string()),
});
type Table = z.infer<typeof Table>;

/** The tables of a backup with their columns, referenced tables first. */
async function readBackupTables(client: ClientBase): Promise<Table[]> {
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
  const ordered: Table[] = [];
  while (left.length > 0) {
    const ready = left.findIndex(({ refersTo }) =>
      refersTo.every((name) => !left.some((table) => table.name === name)),
    );
    ordered.push(...left.splice(Math.max(0, ready), 1));
  }
  return ordered;
}

type BackupWriteOptions = {
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
function rowsOf({ name, columns }: Table): string {
  const selected = columns.map((column) => escapeIdentifier(column)).join(", ");
  const order = name === "event_log.events" ? " order by transaction_id, position" : "";
  return `select ${selected} from ${name}${order}`;
}

type BackupPart =
  | { readonly kind: "header"; readonly header: BackupHeader }
  | { readonly kind: "table"; readonly table: TableLine }
  /** Whole COPY lines of the table named before. */
  | { readonly kind: "rows"; readonly bytes: Buffer }
  | { readonly kind: "end of table" }
  | { readonly kind: "trailer"; readonly trailer: BackupTrailer };

const LF = 0x0a;
const END = Buffer.from(END_OF_ROWS);

/**
 * The parts of a backup in order. When the trailer was returned, the whole file has been verified.
 * @throws UnusableBackup
 */
async function* readBackup(file: string): AsyncGenerator<BackupPart> {
  const hash = createHash("sha256");
  let expects: "header" | "table" | "rows" | "nothing" = "header";
  for await (const lines of blocksOfLines(file)) {
    let from = 0;
    while (from < lines.length) {
      if (expects === "rows") {
        const end = endOfRows(lines, from);
        const rows = lines.subarray(from, end ?? lines.length);
        hash.update(rows);
        if (rows.length > 0) yield { kind: "rows", bytes: rows };
        if (end === null) break;
        hash.update(lines.subarray(end, end + END.length + 1));
        from = end + END.length + 1;
        expects = "table";
        yield { kind: "end of table" };
        continue;
      }
      const stop = lines.indexOf(LF, from) + 1;
      const line = lines.subarray(from, stop);
      from = stop;
      if (expects === "nothing") throw new UnusableBackup(`${file} goes on after its end`);
      if (expects === "header") {
        hash.update(line);
        expects = "table";
        yield { kind: "header", header: parsed(file, BackupHeader, line) };
        continue;
      }
      const content = parsed(file, z.union([TableLine, BackupTrailer]), line);
      if ("table" in content) {
        hash.update(line);
        expects = "rows";
        yield { kind: "table", table: content };
        continue;
      }
      if (hash.digest("hex") !== content.sha256) {
        throw new UnusableBackup(`${file} has changed since it was written`);
      }
      expects = "nothing";
      yield { kind: "trailer", trailer: content };
    }
  }
  if (expects !== "nothing") throw new UnusableBackup(`${file} was cut off`);
}

/** Offset of the line that ends the rows; null when these lines do not contain it. */
function endOfRows(lines: Buffer, from: number): number | null {
  for (let at = lines.indexOf(END, from); at !== -1; at = lines.indexOf(END, at + 1)) {
    const isLine = (at === from || lines[at - 1] === LF) && lines[at + END.length] === LF;
    if (isLine) return at;
  }
  return null;
}

function parsed<S extends z.ZodType>(file: string, schema: S, line: Buffer): z.output<S> {
  try {
    return schema.parse(JSON.parse(line.toString()));
  } catch (cause) {
    throw new UnusableBackup(`${file} is not a backup that this version can read`, { cause });
  }
}

/** The decompressed stream in blocks of whole lines. @throws UnusableBackup */
async function* blocksOfLines(file: string): AsyncGenerator<Buffer> {
  const source = createReadStream(file);
  const decompress = createZstdDecompress();
  source.on("error", (error) => decompress.destroy(error));
  let rest: Buffer[] = [];
  try {
    for await (const bytes of source.pipe(decompress) as AsyncIterable<Buffer>) {
      const end = bytes.lastIndexOf(LF) + 1;
      if (end === 0) {
        rest.push(bytes);
        continue;
      }
      yield Buffer.concat([...rest, bytes.subarray(0, end)]);
      rest = end < bytes.length ? [bytes.subarray(end)] : [];
    }
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code?.startsWith("E") && !code.startsWith("ERR_")) {
      throw new UnusableBackup(`${file} cannot be read (${code})`, { cause });
    }
    throw new UnusableBackup(`${file} is not a backup, or was cut off`, { cause });
  } finally {
    source.destroy();
  }
  if (rest.length > 0) throw new UnusableBackup(`${file} was cut off`);
}

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

function copyInto(client: ClientBase, known: readonly Table[], { table, columns }: TableLine) {
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
export async function checkBackup(file: string) {
  let header: BackupHeader | null = null;
  let trailer: BackupTrailer | null = null;
  for await (const part of readBackup(file)) {
    if (part.kind === "header") header = part.header;
    if (part.kind === "trailer") trailer = part.trailer;
  }
  if (header === null || trailer === null) throw new UnusableBackup(`${file} was cut off`);
  return { header, trailer };
}
