import { strict as assert } from "node:assert";
import { pipeline } from "node:stream/promises";
import type { Client } from "pg";
import { from as copyFrom } from "pg-copy-streams";
import { z } from "zod";
import type { BenchService } from "../../support/bench-service.ts";
import { clientsOf, ratesOf, type Side, textOf } from "../asking.ts";
import { beside, type Result } from "../measure.ts";
import { startBareService } from "../yardsticks.ts";

const WHOLE = 10_000;
const PLACES = 100;

/** Where is asked: times in microseconds since 1970, degrees. */
const Place = z.object({
  start: z.coerce.number(),
  /** Until then there are 50 events, 70 of magnitude 3 and more, 10,000. */
  end: z.coerce.number(),
  endOfMonth: z.coerce.number(),
  endOfWhole: z.coerce.number(),
  latitude: z.number(),
  longitude: z.number(),
});
type Place = z.infer<typeof Place>;

type Question = {
  /** Parameters of the event service: each number asks what none before has asked, for as much. */
  readonly ask: (place: Place, number: number) => string;
  /** Of one client and of sixteen in a round. */
  readonly requests: Readonly<Record<1 | 16, number>>;
};

const window = (start: number, end: number): string =>
  `starttime=${timeOf(start)}&endtime=${timeOf(end)}`;
const month = ({ start, endOfMonth }: Place, number: number): string =>
  `${window(start - number, endOfMonth)}&minmagnitude=3`;
const OFTEN = { 1: 300, 16: 600 };
const LIMITS = 20;

const QUESTIONS: Readonly<Record<"small" | "whole", Readonly<Record<string, Question>>>> = {
  small: {
    "newest 50": {
      ask: (_, number) =>
        `limit=${50 + (number % LIMITS) - LIMITS / 2}&offset=${1 + Math.floor(number / LIMITS)}`,
      requests: OFTEN,
    },
    "window of time, 50 events": {
      ask: ({ start, end }, number) => window(start - number, end),
      requests: OFTEN,
    },
    "narrow, 70 events of a month": { ask: month, requests: OFTEN },
    "that month in a box of 1°": {
      ask: ({ latitude, longitude, ...place }, number) =>
        `${month({ latitude, longitude, ...place }, number)}` +
        `&minlatitude=${latitude - 0.5}&maxlatitude=${latitude + 0.5}` +
        `&minlongitude=${longitude - 0.5}&maxlongitude=${longitude + 0.5}`,
      requests: OFTEN,
    },
    "circle of 30 km": {
      ask: ({ latitude, longitude }, number) =>
        `latitude=${latitude}&longitude=${longitude}&maxradiuskm=${30 + number / 1e6}&minmagnitude=3`,
      requests: { 1: 100, 16: 200 },
    },
  },
  whole: {
    "10,000 events": {
      ask: ({ start, endOfWhole }, number) => window(start - number, endOfWhole),
      requests: { 1: 10, 16: 64 },
    },
  },
};

/** Our rate divided by that of the stand-in. */
const TARGETS = { "not kept": 1, kept: 1.5 } as const;
const TABLE = "public.bench_events";

/**
 * Answers of the event service, for somebody who is signed in, against a service in the shape of an agency's, asked
 * the same: each time what nobody has asked before (not kept), and the same again and again (kept).
 */
export async function benchAnswers(
  { url, token, client, database, databaseUrl, shared }: BenchService,
  events: number,
  rounds: number,
  which: keyof typeof QUESTIONS,
): Promise<Result[]> {
  const { id, key } = await shared.of(events);
  const base = `/api/catalogues/${id}/fdsnws/event/1/query`;
  const all = await client.stream(base);
  await fillTable(database, all.body ?? new ReadableStream());
  const standIn = await startBareService("events", [databaseUrl, TABLE]);
  await using _ = { [Symbol.asyncDispose]: standIn.close };
  const places = await placesOf(database, key, Math.min(WHOLE, events / 2));
  const headers = { authorization: `Bearer ${token}` };
  const sidesOf = (queries: readonly string[]): readonly [Side, Side] => [
    { url, paths: queries.map((query) => `${base}?${query}`), headers },
    { url: standIn.url, paths: queries.map((query) => `/query?${query}`), headers: {} },
  ];
  const cells: Cell[] = [];
  for (const [name, { ask, requests }] of Object.entries(QUESTIONS[which])) {
    for (const format of ["text", "xml"] as const) {
      let number = 0;
      const next = (): string => {
        number += 1;
        const place = places[number % places.length] as Place;
        return `${ask(place, number)}&format=${format}`;
      };
      const same = [next()];
      const [ours, theirs] = sidesOf(same);
      assert.deepEqual(eventsOf(await textOf(ours, 0)), eventsOf(await textOf(theirs, 0)));
      for (const [kind, target] of Object.entries(TARGETS)) {
        for (const clients of [1, 16] as const) {
          const task = { clients, requests: requests[clients] };
          const sides = () =>
            sidesOf(kind === "kept" ? same : Array.from({ length: task.requests }, next));
          const result = beside(
            [`${name}, ${format}, ${kind}, ${clientsOf(clients)}`, `${events} events`, "/s"],
            ["stand-in", 1 / target],
            await ratesOf(sides, rounds, task),
          );
          cells.push({ row: `${name}, ${kind}`, column: `${format}, c=${clients}`, result });
        }
      }
    }
  }
  printRates(cells);
  await database.query(`drop table ${TABLE}`);
  return cells.map(({ result }) => result);
}

type Cell = { readonly row: string; readonly column: string; readonly result: Result };

/** Our rate divided by that of the stand-in. */
function printRates(cells: readonly Cell[]): void {
  const rows = Object.entries(Object.groupBy(cells, ({ row }) => row)).map(([row, ofRow = []]) => [
    row,
    Object.fromEntries(
      ofRow.map(({ column, result }) => [column, Number((1 / result.ratio).toFixed(2))]),
    ),
  ]);
  console.table(Object.fromEntries(rows));
}

/** Around events of magnitude 3 and more, in no order that a filter has. @param whole events of a whole answer */
async function placesOf(database: Client, key: number, whole: number): Promise<Place[]> {
  const { rows } = await database.query(
    `with counted as (
       select event_id, extract(epoch from time) * 1e6 as start, magnitude, latitude, longitude
       from read_model.seismic_events where catalogue_key = $1
     ), ends as (
       select *, lead(start, 49) over by_time as end, lead(start, $2) over by_time as "endOfWhole"
       from counted window by_time as (order by start)
     ), strong as (
       select *, lead(start, 69) over (order by start) as "endOfMonth" from ends where magnitude >= 3
     )
     select * from strong
     where "endOfMonth" is not null and "endOfWhole" is not null and longitude between 160 and 179
     order by event_id limit $3`,
    [key, whole - 1, PLACES],
  );
  return z.array(Place).min(1).parse(rows);
}

function timeOf(microseconds: number): string {
  const milliseconds = Math.floor(microseconds / 1_000);
  const rest = String(microseconds - 1_000 * milliseconds).padStart(3, "0");
  return `${new Date(milliseconds).toISOString().slice(0, -1)}${rest}`;
}

/** What tells the events of an answer, in no order: those of one time have none. */
function eventsOf(text: string): string[] {
  const lines = text.split("\n").filter((line) => /^(?:<event |[^<#])/.test(line));
  assert.ok(lines.length > 0);
  return lines.map((line) => (line.startsWith("<") ? line : (line.split("|")[1] ?? ""))).toSorted();
}

/** The table of the stand-in, by the events of QuakeML with each in a line of its own, in order of time. */
async function fillTable(database: Client, xml: AsyncIterable<Uint8Array>): Promise<void> {
  await database.query(
    `create table ${TABLE} (id text, time timestamptz, latitude float8, longitude float8,
       depth float8, magnitude float8, type text, region text, fragment text)`,
  );
  const copy = database.query(copyFrom(`copy ${TABLE} from stdin`));
  await pipeline(xml, copiedLines, copy);
  await database.query(`create index on ${TABLE} (time)`);
  await database.query(`create index on ${TABLE} (latitude, longitude, magnitude)`);
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

/** In the order of the columns; depths are in metres. */
const COLUMNS = [
  /([^/"]*)">/,
  ...["time", "latitude", "longitude", "depth", "mag"].map(
    (name) => new RegExp(`<${name}><value>([^<]*)`),
  ),
  /<\/mag><type>([^<]*)/,
  /<description><text>([^<]*)/,
];

function copiedLine(event: string): string {
  const values = [...COLUMNS.map((column) => column.exec(event)?.[1] ?? null), `${event}\n`];
  const written = values.map((value) =>
    value === null ? "\\N" : value.replaceAll("\\", "\\\\").replaceAll("\n", "\\n"),
  );
  return `${written.join("\t")}\n`;
}
