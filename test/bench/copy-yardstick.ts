import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Client } from "pg";
import { from as copyFrom, to as copyTo } from "pg-copy-streams";
import { z } from "zod";
import type { BenchService } from "./bench-service.ts";

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

/** All rows of a catalogue, as `copyIn` takes them. */
export async function copyOut(
  database: Client,
  catalogueId: string,
  count: number,
): Promise<Buffer> {
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
export async function copyIn(database: Client, rows: Buffer): Promise<void> {
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
export async function removeAll(
  client: BenchService["client"],
  database: Client,
  catalogueId: string,
): Promise<void> {
  await client.send("DELETE", `/api/catalogues/${catalogueId}`);
  await database.query("delete from read_model.seismic_events where catalogue_key = $1", [
    YARDSTICK_KEY,
  ]);
  await database.query("vacuum read_model.seismic_events");
}
