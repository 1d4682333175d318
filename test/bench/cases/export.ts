import { strict as assert } from "node:assert";
import { pipeline } from "node:stream/promises";
import type { Client } from "pg";
import { from as copyFrom } from "pg-copy-streams";
import { DEFAULT_COLUMNS } from "#contracts/http/events.ts";
import type { ApiClient } from "../../support/api-client.ts";
import { type BenchService, exportAll, type SharedCatalogue } from "../../support/bench-service.ts";
import { decodeColumns } from "../../support/packed/decode-columns.ts";
import { load, openAsking } from "../asking.ts";
import type { LoadTask } from "../load-thread.ts";
import { beside, compare, comparisonOf, type Result, type Round, secondsOf } from "../measure.ts";
import { drainCopy, startBareService } from "../yardsticks.ts";
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

const EVENTS = 10_000;
/** Of the rate of stored fragments at least 1.05. */
const TARGET = 1 / 1.05;
const CLIENTS = [1, 16];
const ANSWERS_OF_ONE = 10;
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
  const stored = await startBareService("fragments", [databaseUrl, TABLE]);
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
      results.push(
        beside(
          [
            `whole answers, xml, c=${clients}`,
            `${requests} answers of ${EVENTS} of ${events} events`,
            "s",
          ],
          ["stored fragments", TARGET],
          await compare(rounds, measure),
        ),
      );
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
