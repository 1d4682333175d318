import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { Client } from "pg";
import { from as copyFrom, to as copyTo } from "pg-copy-streams";
import type { FragmentSqlToken } from "slonik";
import { z } from "zod";
import { PG_TYPE_PARSERS } from "#infra/postgres/pool.ts";
import { parameterSql } from "#infra/postgres/statements.ts";
import { type BenchService, remove } from "../support/bench-service.ts";
import { type Comparison, compare, type Round, secondsOf, timed } from "./measure.ts";

/** A process beside the service, and where it answers. */
export type UrlProcess = { readonly url: string; readonly close: () => Promise<void> };

/** Starts a program that prints its URL once it listens, and ends at SIGTERM. */
export async function startUrlProcess(
  program: URL,
  args: readonly (string | number)[],
): Promise<UrlProcess> {
  const child = spawn(process.execPath, [fileURLToPath(program), ...args.map(String)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const closed = once(child, "close");
  const close = async (): Promise<void> => {
    child.kill("SIGTERM");
    await closed;
  };
  for await (const url of createInterface({ input: child.stdout })) return { url, close };
  throw new Error(`${program.pathname} ended before it listened`);
}

const CLI_MAIN = fileURLToPath(new URL("../../services/cli/main.ts", import.meta.url));

/** Runs a command of the service in a process of its own; what it says is shown in one line. */
export async function runCli(
  variables: Readonly<Record<string, string>>,
  ...args: string[]
): Promise<void> {
  const env = { PATH: process.env["PATH"], ...variables };
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [CLI_MAIN, ...args], {
    env,
  });
  console.info(`${stdout}${stderr}`.trim().replaceAll("\n", "; "));
}

/** Starts one of the least services that there can be as a process of its own. */
export function startBareService(
  name: "events" | "page",
  args: readonly (string | number)[],
): Promise<UrlProcess> {
  return startUrlProcess(new URL("./bare-service-main.ts", import.meta.url), [name, ...args]);
}

/** A query as bare `pg` runs it: its text, and the values of its parameters. */
type BareQuery = { readonly text: string; readonly values: unknown[] };

/** The very statement that the service sends, without slonik. */
export function bareQuery(query: FragmentSqlToken): BareQuery {
  return parameterSql(query);
}

/** A connection with the service's types. */
export async function bareClient(connectionString: string): Promise<Client> {
  const client = new Client({ connectionString, types: PG_TYPE_PARSERS });
  await client.connect();
  return client;
}

/** Key of no catalogue, under which the yardstick's rows are written and removed again. */
const YARDSTICK_KEY = 2_000_000_000;

const Columns = z.array(z.object({ name: z.string() }));

async function columnsOf(database: Client): Promise<string[]> {
  const { rows } = await database.query(
    `select column_name as name from information_schema.columns
     where table_schema = 'read_model' and table_name = 'seismic_events'
     order by ordinal_position`,
  );
  return Columns.parse(rows).map(({ name }) => name);
}

/** Reads what a COPY gives to its end; its bytes. */
export async function drainCopy(
  database: Client,
  query: string,
  format: "binary" | "csv, header",
): Promise<number> {
  let bytes = 0;
  const stream = database.query(copyTo(`copy (${query}) to stdout (format ${format})`));
  for await (const piece of stream) bytes += (piece as Buffer).length;
  if (bytes === 0) throw new Error("nothing was copied");
  return bytes;
}

/** All rows of a catalogue, as `copyIn` takes them. */
async function copyOut(database: Client, catalogueId: string, count: number): Promise<Buffer> {
  const columns = await columnsOf(database);
  const selected = columns.map((name) =>
    name === "catalogue_key" ? `${YARDSTICK_KEY} as catalogue_key` : name,
  );
  const { rows } = await database.query("select key from read_model.catalogues where id = $1", [
    catalogueId,
  ]);
  const [{ key }] = z.tuple([z.object({ key: z.int() })]).parse(rows);
  const chunks: Buffer[] = [];
  const stream = database.query(
    copyTo(
      `copy (select ${selected.join(", ")} from read_model.seismic_events
             where catalogue_key = ${key}) to stdout (format binary)`,
    ),
  );
  for await (const chunk of stream) chunks.push(chunk);
  if (stream.rowCount !== count) throw new Error(`${stream.rowCount} rows of ${count} were copied`);
  return Buffer.concat(chunks);
}

/** The bare COPY of the rows into the table that they are from. */
async function copyIn(database: Client, rows: Buffer): Promise<void> {
  const columns = await columnsOf(database);
  const copy = database.query(
    copyFrom(`copy read_model.seismic_events (${columns.join(", ")}) from stdin (format binary)`),
  );
  await pipeline(Readable.from(slices(rows)), copy);
}

const SLICE_BYTES = 256 * 1024;

function* slices(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += SLICE_BYTES) {
    yield bytes.subarray(at, at + SLICE_BYTES);
  }
}

/** Both sides begin each round with the same table. */
async function removeAll(
  client: BenchService["client"],
  database: Client,
  catalogueId: string,
): Promise<void> {
  await remove(client, catalogueId);
  await database.query("delete from read_model.seismic_events where catalogue_key = $1", [
    YARDSTICK_KEY,
  ]);
  await database.query("vacuum read_model.seismic_events");
}

/**
 * Making a catalogue of `count` events until they are visible, against a COPY of the very rows that it
 * made into the same table with the same indexes; in seconds.
 * @param make resolves with the catalogue's id
 */
export async function againstCopy(
  { client, database }: Pick<BenchService, "client" | "database">,
  count: number,
  repetitions: number,
  make: () => Promise<string>,
  warmUps?: number,
): Promise<Comparison> {
  const measure = async (): Promise<Round> => {
    const [made, id] = await timed(make);
    const rows = await copyOut(database, id, count);
    const copied = await secondsOf(() => copyIn(database, rows));
    await removeAll(client, database, id);
    return [made, copied];
  };
  return compare(repetitions, measure, warmUps);
}
