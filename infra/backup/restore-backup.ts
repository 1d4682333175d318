import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { finished } from "node:stream/promises";
import { createZstdDecompress } from "node:zlib";
import { type ClientBase, escapeIdentifier } from "pg";
import { from as copyFrom } from "pg-copy-streams";
import { sql } from "slonik";
import { z } from "zod";
import { statementsOn } from "#infra/postgres/statements.ts";
import {
  BackupHeader,
  BackupTrailer,
  END_OF_ROWS,
  readBackupTables,
  TableLine,
  UnusableBackup,
} from "./backup-format.ts";

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
