import { strict as assert } from "node:assert";
import { pipeline } from "node:stream/promises";
import type { Client } from "pg";
import { from as copyFrom, to as copyTo } from "pg-copy-streams";
import { z } from "zod";
import { DEFAULT_COLUMNS } from "#contracts/http/events/event-columns.ts";
import type { ApiClient } from "../../support/api-client.ts";
import { type BenchService, exportAll, type SharedCatalogue } from "../../support/bench-service.ts";
import { decodeColumns } from "../../support/packed/decode-columns.ts";
import { load, openAsking } from "../asking.ts";
import { compare, comparisonOf, type Result, type Round, secondsOf, spreadOf } from "../measure.ts";
import type { LoadTask } from "../reading/load-thread.ts";
import { startUrlProcess } from "../yardsticks.ts";
import { timesFrom } from "./filtered.ts";

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

/** How large the columnar files may be, of the size of CSV; null for any size. */
const SIZES = { parquet: 0.4, arrow: null } as const;

/** How much longer than the export as CSV Parquet may take. */
const PARQUET_TARGET = 1.5;

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
  const { id: large } = await shared.of(count);
  await copyAll(database, large);
  const copied: number[] = [];
  const taken = new Map<Timed, number[]>();
  const bytes = new Map<string, number>();
  for (let i = 0; i < repetitions; i += 1) {
    copied.push(await secondsOf(() => copyAll(database, large)));
    for (const format of formats) {
      const seconds = await secondsOf(async () => {
        bytes.set(format, await exportAll(client, large, format, count));
      });
      taken.set(format, [...(taken.get(format) ?? []), seconds]);
    }
  }
  const csv = bytes.get("csv") ?? Number.NaN;
  return [
    ...[...taken].map(([format, seconds]) => rateOf(format, count, seconds, copied)),
    {
      case: "export as parquet, beside CSV",
      size: `${count} events`,
      unit: "s",
      yardstick: "the export as CSV",
      ...comparisonOf(
        (taken.get("parquet") ?? []).map((s, i) => [s, taken.get("csv")?.[i] ?? Number.NaN]),
      ),
      target: PARQUET_TARGET,
    },
    ...Object.entries(SIZES).map(([format, target]) => ({
      case: `size of the export as ${format}`,
      size: `${count} events`,
      unit: "MB",
      ...sizesOf(bytes.get(format) ?? Number.NaN, csv),
      yardstick: "the export as CSV",
      target,
    })),
  ];
}

function sizesOf(bytes: number, csv: number): Pick<Result, "ours" | "yardstickFigure" | "ratio"> {
  const [ours, yardstickFigure] = [spreadOf([bytes / 1e6]), spreadOf([csv / 1e6])];
  return { ours, yardstickFigure, ratio: bytes / csv };
}

function rateOf(
  format: Timed,
  count: number,
  seconds: readonly number[],
  copied: readonly number[],
): Result {
  return {
    case: `export as ${format}`,
    size: `${count} events`,
    unit: "s",
    yardstick: "COPY of the same query",
    ...comparisonOf(seconds.map((s, i) => [s, copied[i] ?? Number.NaN])),
    target: TARGETS[format],
  };
}

/** The rows that an export reads, in its order, as the database itself would write them. */
async function copyAll(database: Client, id: string): Promise<void> {
  const { rows } = await database.query(
    "select key, version from read_model.catalogues where id = $1",
    [id],
  );
  const [{ key, version }] = z.tuple([z.object({ key: z.int(), version: z.int() })]).parse(rows);
  const stream = database.query(
    copyTo(
      `copy (select * from read_model.seismic_events
             where catalogue_key = ${key} and revision_from <= ${version}
               and (revision_to is null or revision_to > ${version})
             order by time desc, event_id desc) to stdout (format csv, header)`,
    ),
  );
  let bytes = 0;
  for await (const piece of stream) bytes += (piece as Buffer).length;
  if (bytes === 0) throw new Error("nothing was copied");
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
    results.push({
      case: name,
      size: `${count} events`,
      unit: "s",
      yardstick: "COPY of the same columns",
      ...comparison,
      target,
    });
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

async function copyColumns(database: Client, { key, version }: SharedCatalogue): Promise<void> {
  const columns = DEFAULT_COLUMNS.map((name) => (name === "id" ? "event_id" : name));
  const stream = database.query(
    copyTo(
      `copy (select ${columns} from read_model.seismic_events
             where catalogue_key = ${key} and revision_from <= ${version}
               and (revision_to is null or revision_to > ${version})
             order by time desc, event_id desc) to stdout (format binary)`,
    ),
  );
  let bytes = 0;
  for await (const piece of stream) bytes += (piece as Buffer).length;
  if (bytes === 0) throw new Error("nothing was copied");
}

const EVENTS = 10_000;
/** Of the rate of stored fragments at least 1.05. */
const TARGET = 1 / 1.05;
const CLIENTS = [1, 16];
const ANSWERS_OF_ONE = 10;
const MAIN = new URL("../reading/stored-fragments-main.ts", import.meta.url);
const TABLE = "bench_fragments";

/**
 * 10,000 events of a large catalogue as QuakeML of the event service, against a service that keeps the
 * same XML by event and sends it as it lies: seconds of so many answers.
 */
export async function benchWholeAnswers(
  { url, token, client, database, databaseUrl, shared }: BenchService,
  events: number,
  rounds: number,
): Promise<Result[]> {
  const { id, key } = await shared.of(events);
  const base = `/api/catalogues/${id}/fdsnws/event/1/query`;
  const all = await client.stream(base);
  await keepFragments(database, all.body ?? new ReadableStream());
  const stored = await startUrlProcess(MAIN, [databaseUrl, TABLE]);
  try {
    const query = await middle(database, key, Math.min(EVENTS, events / 2));
    const ours = {
      url,
      paths: [`${base}?${query}`],
      headers: { authorization: `Bearer ${token}` },
    };
    const theirs = { url: stored.url, paths: [`/query?${query}`], headers: {} };
    assert.deepEqual(await eventsOf(ours, token), await eventsOf(theirs));
    const results: Result[] = [];
    for (const clients of CLIENTS) {
      const requests = ANSWERS_OF_ONE * clients;
      const seconds = async (asked: typeof ours | typeof theirs): Promise<number> =>
        (await load({ ...asked, clients, requests })).elapsedMs / 1_000;
      const measure = async (): Promise<Round> => [await seconds(ours), await seconds(theirs)];
      results.push({
        case: `whole answers, xml, c=${clients}`,
        size: `${requests} answers of ${EVENTS} of ${events} events`,
        unit: "s",
        yardstick: "stored fragments",
        ...(await compare(rounds, measure)),
        target: TARGET,
      });
    }
    return results;
  } finally {
    await stored.close();
    await database.query(`drop table ${TABLE}`);
  }
}

/** The events of QuakeML that has each in a line of its own, in order of time as such services get them. */
async function keepFragments(database: Client, xml: AsyncIterable<Uint8Array>): Promise<void> {
  await database.query(`create table ${TABLE} (time timestamptz, fragment text)`);
  const copy = database.query(copyFrom(`copy ${TABLE} from stdin`));
  await pipeline(xml, copiedLines, copy);
  await database.query(`create index on ${TABLE} (time)`);
  await database.query(`vacuum (analyze) ${TABLE}`);
}

async function* copiedLines(xml: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const piece of xml) {
    const lines = (rest + decoder.decode(piece, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    yield lines
      .filter((line) => line.startsWith("<event "))
      .map(copiedLine)
      .join("");
  }
}

function copiedLine(event: string): string {
  const [, time] = /<time><value>([^<]*)/.exec(event) ?? [];
  return `${time}\t${event.replaceAll("\\", "\\\\")}\\n\n`;
}

/** The parameters for so many events in the middle of a catalogue's years. */
async function middle(database: Client, key: number, count: number): Promise<string> {
  const { startTime, endTime } = await timesFrom(database, key, { from: "2017-01-01", count });
  return `starttime=${startTime}&endtime=${endTime}`;
}

async function eventsOf(
  { url, paths: [path = ""] }: Pick<LoadTask, "url" | "paths">,
  token?: string,
): Promise<string[]> {
  const asking = openAsking(url, token);
  try {
    const { body } = await asking.ask(path);
    const events = body
      .toString()
      .split("\n")
      .filter((line) => line.startsWith("<event "));
    assert.ok(events.length > 0);
    // Those of one time are in any order.
    return events.toSorted();
  } finally {
    asking.close();
  }
}
