import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Client } from "pg";
import { from as copyFrom, to as copyTo } from "pg-copy-streams";
import { z } from "zod";
import { catalogueBody } from "../../support/generate-catalogue.ts";
import type { BenchService } from "../bench-service.ts";
import type { Result } from "../report.ts";
import { secondsOf, spreadOf } from "../statistics.ts";

/** Key of no catalogue, under which the yardstick's rows are written and removed again. */
const YARDSTICK_KEY = 2_000_000_000;

const Columns = z.array(z.object({ name: z.string() }));

/**
 * Creating a catalogue by POST until it is visible, against a COPY of the very rows that it made
 * into the same table with the same indexes. Both are repeated in turn.
 */
export async function benchCreate(
  { client, database }: BenchService,
  count: number,
  repetitions: number,
  target: number,
): Promise<Result> {
  const body = Buffer.from(catalogueBody(`bench ${count}`, count, count));
  const ours: number[] = [];
  const yardstick: number[] = [];
  for (let i = 0; i <= repetitions; i += 1) {
    let id = "";
    const created = await secondsOf(async () => {
      id = await create(client, body, count);
    });
    const rows = await copyOut(database, id, count);
    const copied = await secondsOf(() => copyIn(database, rows));
    await removeAll(client, database, id);
    // The first round warms up both sides.
    if (i === 0) continue;
    ours.push(created);
    yardstick.push(copied);
  }
  return {
    case: "create by POST until visible",
    size: `${count} events`,
    unit: "s",
    ours: spreadOf(ours),
    yardstick: "COPY of the same rows",
    yardstickFigure: spreadOf(yardstick),
    ratio: spreadOf(ours.map((seconds, i) => seconds / (yardstick[i] ?? Number.NaN))).median,
    target,
  };
}

/** Creates a catalogue and sees it, by the same client. */
export async function create(
  client: BenchService["client"],
  body: Buffer,
  count: number,
): Promise<string> {
  const answer = await client.send<{ id: string; event_count: number }>(
    "POST",
    "/api/catalogues",
    body,
  );
  if (answer.status !== 201 || answer.body.event_count !== count) {
    throw new Error(`creating answered ${answer.status}`);
  }
  const page = await client.get<{ events: unknown[]; total: number }>(
    `/api/catalogues/${answer.body.id}/events?pageSize=1`,
  );
  if (page.body.total !== count || page.body.events.length !== 1) {
    throw new Error("what was created is not visible");
  }
  return answer.body.id;
}

async function columnsOf(database: Client): Promise<string[]> {
  const { rows } = await database.query(
    `select column_name as name from information_schema.columns
     where table_schema = 'read_model' and table_name = 'seismic_events'
     order by ordinal_position`,
  );
  return Columns.parse(rows).map(({ name }) => name);
}

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
  await client.send("DELETE", `/api/catalogues/${catalogueId}`);
  await database.query("delete from read_model.seismic_events where catalogue_key = $1", [
    YARDSTICK_KEY,
  ]);
  await database.query("vacuum read_model.seismic_events");
}
