import { strict as assert } from "node:assert";
import type { Client } from "pg";
import { DEFAULT_COLUMNS } from "#contracts/http/events.ts";
import type { ApiClient } from "../../support/api-client.ts";
import { type BenchService, exportAll, type SharedCatalogue } from "../../support/bench-service.ts";
import { decodeColumns } from "../../support/packed/decode-columns.ts";
import { beside, compare, comparisonOf, type Result, secondsOf } from "../measure.ts";
import { drainCopy } from "../yardsticks.ts";

/** How much longer than the COPY each format may take. */
const TARGETS = {
  csv: 2,
  json: 3.5,
  geojson: 1 / 0.3,
  quakeml: 5,
  kml: 6,
  text: 3.5,
  parquet: 2,
  arrow: 2,
} as const;
type Timed = keyof typeof TARGETS;

/** What warms up each format. */
const SMALL = 100_000;

/**
 * Exports of a catalogue against `COPY … TO STDOUT (format csv)` of the same query, both read to the
 * end by this process.
 */
export async function benchExport(
  { client, database, shared }: BenchService,
  count: number,
  repetitions: number,
): Promise<Result[]> {
  const formats = Object.keys(TARGETS) as Timed[];
  const small = await shared.of(Math.min(count, SMALL));
  for (const format of formats) await exportAll(client, small.id, format, small.events);
  const large = await shared.of(count);
  const copyAll = () => copyRows(database, large, "*", "csv, header");
  await copyAll();
  const copied: number[] = [];
  const taken = new Map<Timed, number[]>();
  for (let i = 0; i < repetitions; i += 1) {
    copied.push(await secondsOf(copyAll));
    for (const format of formats) {
      const seconds = await secondsOf(() => exportAll(client, large.id, format, count));
      taken.set(format, [...(taken.get(format) ?? []), seconds]);
    }
  }
  return [...taken].map(([format, seconds]) =>
    beside(
      [`export as ${format}`, `${count} events`, "s"],
      ["COPY of the same query", TARGETS[format]],
      comparisonOf(seconds.map((s, i) => [s, copied[i] ?? Number.NaN])),
    ),
  );
}

/** The rows that an export reads, in its order, as the database itself would write them. */
function copyRows(
  database: Client,
  { key, version }: SharedCatalogue,
  columns: string,
  format: "binary" | "csv, header",
): Promise<number> {
  const query = `select ${columns} from read_model.seismic_events
     where catalogue_key = ${key} and revision_from <= ${version}
       and (revision_to is null or revision_to > ${version})
     order by time desc, event_id desc`;
  return drainCopy(database, query, format);
}

/** How they are sent, with how much longer than the COPY that may take, the client's part included. */
const CODINGS = [
  { name: "columns", coding: "identity", target: 2 },
  { name: "columns, compressed", coding: "zstd", target: 2.5 },
] as const;

/**
 * The columns that a map draws, of all events of a catalogue, against COPY of the same columns in its
 * binary format, both read to the end by this process.
 */
export async function benchColumns(
  { client, database, shared }: BenchService,
  count: number,
  repetitions: number,
): Promise<Result[]> {
  const catalogue = await shared.of(count);
  const results: Result[] = [];
  for (const { name, coding, target } of CODINGS) {
    const { header } = decodeColumns(Buffer.concat(await columnsOf(client, catalogue, coding)));
    assert.equal(header.count, count);
    const comparison = await compare(repetitions, async () => [
      await secondsOf(() => columnsOf(client, catalogue, coding)),
      await secondsOf(() => copyColumns(database, catalogue)),
    ]);
    results.push(
      beside([name, `${count} events`, "s"], ["COPY of the same columns", target], comparison),
    );
  }
  return results;
}

async function columnsOf(
  client: ApiClient,
  { id }: SharedCatalogue,
  coding: string,
): Promise<Uint8Array[]> {
  const answer = await client.stream(`/api/catalogues/${id}/events/columns`, {
    "accept-encoding": coding,
  });
  if (answer.status !== 200) throw new Error(`columns answered ${answer.status}`);
  const pieces: Uint8Array[] = [];
  for await (const piece of answer.body ?? []) pieces.push(piece);
  return pieces;
}

function copyColumns(database: Client, catalogue: SharedCatalogue): Promise<number> {
  const columns = DEFAULT_COLUMNS.map((name) => (name === "id" ? "event_id" : name));
  return copyRows(database, catalogue, String(columns), "binary");
}
