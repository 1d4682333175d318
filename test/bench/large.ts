import { setImmediate, setTimeout as wait } from "node:timers/promises";
import type { Client } from "pg";
import { z } from "zod";
import { DEFAULT_COLUMNS } from "#contracts/http/events.ts";
import type { Job } from "#contracts/http/jobs.ts";
import { cataloguesProjection } from "#projections/catalogues/projection.ts";
import type { ApiClient } from "../support/api-client.ts";
import { type BenchService, catalogueOf, drain, exportAll } from "../support/bench-service.ts";
import { hasChromium } from "../support/chromium.ts";
import { catalogueBody } from "../support/generate-catalogue.ts";
import { memoryOf, peakMemoryOf } from "../support/process-figures.ts";
import { openAsking } from "./asking.ts";
import { firstPictures } from "./cases/console.ts";
import { replayOf } from "./cases/feed.ts";
import {
  beside,
  comparisonOf,
  medians,
  printResults,
  type Result,
  type Round,
  secondsOf,
  timed,
  within,
} from "./measure.ts";
import { runCli } from "./yardsticks.ts";

/** What a catalogue is filled with: as many half a million as fill ten of them at 10,000,000. */
const BODIES = 20;
/** Creating, until visible. */
const CREATED_PER_SECOND = 20_000;
/** Adding must be at least 0.9 as fast as creating. */
const ADDING_TARGET = 1 / 0.9;
const LATER = { sixth: 6, twelfth: 12, twentieth: 20 } as const;

type Filled = {
  readonly id: string;
  readonly events: number;
  /** Of each body, until it was visible. */
  readonly seconds: readonly number[];
};

/** A catalogue of so many bodies, the events of each in random order of time. */
async function fill(
  client: ApiClient,
  name: string,
  bodies: number,
  perBody: number,
): Promise<Filled> {
  const seconds: number[] = [];
  let id = "";
  for (let body = 1; body <= bodies; body += 1) {
    const text = catalogueBody(name, body, perBody);
    const bytes = Buffer.from(text.replaceAll('"source_id":"', `"source_id":"${body}-`));
    // Connections that ended while this thread was busy are noticed first.
    await setImmediate();
    const path = id === "" ? "/api/catalogues" : `/api/catalogues/${id}/events`;
    const [taken, answer] = await timed(() => client.send<{ id: string }>("POST", path, bytes));
    seconds.push(taken);
    if (answer.status >= 300) throw new Error(`adding answered ${answer.status}`);
    if (body === 1) ({ id } = answer.body);
  }
  return { id, events: bodies * perBody, seconds };
}

/** Creating with the first body, and what later ones take of it. */
function addingOf({ events, seconds }: Filled): Result[] {
  const [first = Number.NaN] = seconds;
  const perBody = events / seconds.length;
  const size = `${events} events`;
  const limit = perBody / CREATED_PER_SECOND;
  return [
    within([`creating with the first ${perBody}`, size, "s"], limit, [first]),
    ...Object.entries(LATER).map(([name, place]) =>
      beside(
        [`adding the ${name} ${perBody}`, size, "s"],
        ["the first, by creating", ADDING_TARGET],
        medians([seconds[place - 1] ?? Number.NaN], [first]),
      ),
    ),
  ];
}

/** Bytes an event: what it takes with its indexes, and in the log. */
const LIMITS = { "read_model.seismic_events": 400, "event_log.events": 60 } as const;

const Bytes = z.tuple([z.object({ bytes: z.coerce.number() })]);

const Indexes = z.array(
  z.object({
    index: z.string(),
    bytes: z.coerce.number(),
    /** Scans that statements of the run began, and rows of the index that they read. */
    scans: z.coerce.number(),
    read: z.coerce.number(),
  }),
);

/** What the events of all catalogues take, for each. */
async function sizesOf(database: Client, events: number): Promise<Result[]> {
  const results: Result[] = [];
  for (const [table, limit] of Object.entries(LIMITS)) {
    const { rows } = await database.query("select pg_total_relation_size($1) as bytes", [table]);
    const [{ bytes }] = Bytes.parse(rows);
    results.push(
      within([`bytes an event in ${table}`, `${events} events`, "bytes"], limit, [bytes / events]),
    );
  }
  return results;
}

/** What each index of the events costs, and how often it was used: what it earns. */
async function printIndexes(database: Client, events: number): Promise<void> {
  // What other connections did is told when they are next idle.
  await database.query("select pg_stat_force_next_flush(), pg_stat_clear_snapshot()");
  const { rows } = await database.query(
    `select indexrelname as index, pg_relation_size(indexrelid) as bytes, idx_scan as scans,
       idx_tup_read as read
     from pg_stat_user_indexes where schemaname = 'read_model' and relname = 'seismic_events'
     union all
     select 'the rows themselves', pg_table_size(relid), seq_scan, seq_tup_read
     from pg_stat_user_tables where schemaname = 'read_model' and relname = 'seismic_events'
     order by bytes desc`,
  );
  console.table(
    Indexes.parse(rows).map(({ index, bytes, scans, read }) => ({
      "index of seismic_events": index,
      MB: Math.round(bytes / 1e6),
      "bytes an event": Number((bytes / events).toFixed(1)),
      scans,
      "rows read": read,
    })),
  );
}

/** Answers a second, to one client, at 10,000,000 events. */
const PER_SECOND = { narrow: 150, newest: 840, circle: 20 } as const;
type Question = keyof typeof PER_SECOND;

const ROUNDS = 10;
const PER_ROUND = 20;
/** Rounds before the first that counts: V8 compiles what is hot, PostgreSQL reads what it needs. */
const WARM_UP = 3;
/** A narrow query is as fast before as after an ANALYZE by hand. */
const FRESH_TARGET = 1.25;
const PLACES = PER_ROUND * (WARM_UP + ROUNDS);
const HALF_MONTH_MS = 15 * 86_400_000;

const Places = z.array(z.object({ time: z.date(), latitude: z.number(), longitude: z.number() }));
type Place = z.infer<typeof Places>[number];

/** Parameters of the event service around an event, which is among the answer's. */
const QUESTIONS: Readonly<Record<Question, (place: Place) => string>> = {
  /** A month, one degree, magnitude 3 and more. */
  narrow: ({ time, latitude, longitude }) => {
    const dayOf = (offset: number): string =>
      new Date(time.getTime() + offset).toISOString().slice(0, 19);
    return (
      `starttime=${dayOf(-HALF_MONTH_MS)}&endtime=${dayOf(HALF_MONTH_MS)}&minmagnitude=3` +
      `&minlatitude=${latitude - 0.5}&maxlatitude=${latitude + 0.5}` +
      `&minlongitude=${longitude - 0.5}&maxlongitude=${longitude + 0.5}`
    );
  },
  newest: () => "limit=50",
  /** 30 km, magnitude 3 and more. */
  circle: ({ latitude, longitude }) =>
    `latitude=${latitude}&longitude=${longitude}&maxradiuskm=30&minmagnitude=3`,
};

/** Where events of magnitude 3 and more are, in no order that a filter has. */
async function placesOf(database: Client, id: string): Promise<readonly Place[]> {
  const { rows } = await database.query(
    `select time, latitude, longitude from read_model.seismic_events
     where catalogue_key = (select key from read_model.catalogues where id = $1)
       and magnitude >= 3 and longitude between 160 and 179
     order by event_id limit $2`,
    [id, PLACES],
  );
  return Places.parse(rows);
}

/** Milliseconds of an answer as text, the mean of each round. */
async function roundsOf({ url, token, database }: BenchService, id: string, question: Question) {
  const places = await placesOf(database, id);
  const asking = openAsking(url, token);
  const base = `/api/catalogues/${id}/fdsnws/event/1/query?format=text`;
  const times: number[] = [];
  try {
    for (const place of places) {
      times.push((await asking.ask(`${base}&${QUESTIONS[question](place)}`)).milliseconds);
    }
  } finally {
    asking.close();
  }
  return Array.from({ length: ROUNDS }, (_, round) => {
    const from = (WARM_UP + round) * PER_ROUND;
    return times.slice(from, from + PER_ROUND).reduce((sum, each) => sum + each, 0) / PER_ROUND;
  });
}

/** What one client asks the event service; only the large catalogue has targets. */
async function questionsOf(
  bench: BenchService,
  { id, events }: Filled,
  isLarge: boolean,
): Promise<Result[]> {
  const results: Result[] = [];
  for (const question of Object.keys(PER_SECOND) as Question[]) {
    const perSecond = PER_SECOND[question];
    const times = await roundsOf(bench, id, question);
    results.push(
      beside(
        [`event service, ${question}, one client`, `${events} events`, "ms"],
        [`${perSecond} a second`, isLarge ? 1 : null],
        medians(times, [1_000 / perSecond]),
      ),
    );
  }
  return results;
}

/** A narrow query of a catalogue that was just filled. Afterwards its rows are known as those of one at rest are. */
async function freshStatistics(bench: BenchService, { id, events }: Filled): Promise<Result> {
  const before = await roundsOf(bench, id, "narrow");
  await bench.database.query("vacuum (analyze) read_model.seismic_events");
  const after = await roundsOf(bench, id, "narrow");
  return beside(
    ["narrow query as soon as all is visible", `${events} events`, "ms"],
    ["after an ANALYZE by hand", FRESH_TARGET],
    medians(before, after),
  );
}

/** Of columns of the largest events, of all and of most; and of a page that draws them. */
const FIRST_PICTURE_SECONDS = 3;
const MOST_OF_THEM = "minLatitude=-44&maxLatitude=-33";

/** What the page of a catalogue asks for: new questions, which differ in the order of the columns, and one again. */
async function largestOf(bench: BenchService, { id, events }: Filled): Promise<Result[]> {
  const path = `/api/catalogues/${id}/events/columns`;
  const secondsFor = (query: string) => secondsOf(() => drain(bench.client, `${path}?${query}`));
  const orders = DEFAULT_COLUMNS.map((_, i) => [
    ...DEFAULT_COLUMNS.slice(i),
    ...DEFAULT_COLUMNS.slice(0, i),
  ]);
  const [own = [], ...others] = orders;
  const size = `${events} events`;
  const results: Result[] = [];
  for (const [name, query] of [
    ["columns of the largest", ""],
    ["columns of the largest in a box of most", `&${MOST_OF_THEM}`],
  ] as const) {
    const seconds: number[] = [];
    for (const columns of others) seconds.push(await secondsFor(`columns=${columns}${query}`));
    results.push(within([name, size, "s"], FIRST_PICTURE_SECONDS, seconds));
  }
  const again = [await secondsFor(`columns=${own}`), await secondsFor(`columns=${own}`)].slice(1);
  results.push(within(["columns of the largest, asked again", size, "s"], 0.5, again));
  if (!hasChromium) return results;
  const [picture = Number.NaN, ...later] = await firstPictures(bench, { id }, 4);
  const most = 1_000 * FIRST_PICTURE_SECONDS;
  return [
    ...results,
    within(["console, first picture", size, "ms"], most, [picture]),
    within(["console, first picture of what was asked before", size, "ms"], most, later),
  ];
}

const FORMATS = ["csv", "quakeml", "text"] as const;
/** An event of the large catalogue may take no longer than one of the small. */
const TARGET = 1.1;

/** Microseconds an event of the large catalogue's export, between two of the small one's. */
async function exportsOf(client: ApiClient, small: Filled, large: Filled) {
  const results: Result[] = [];
  for (const format of FORMATS) {
    const each = async ({ id, events }: Filled): Promise<number> =>
      ((await secondsOf(() => exportAll(client, id, format, events))) * 1e6) / events;
    await each(small);
    const before = await each(small);
    const ours = await each(large);
    const round: Round = [ours, (before + (await each(small))) / 2];
    results.push(
      beside(
        [`export as ${format}, per event`, `${large.events} events`, "µs"],
        [`${small.events} events`, TARGET],
        comparisonOf([round]),
      ),
    );
  }
  return results;
}

/** What the longest of others' small writes may take meanwhile. */
const LONGEST_MS = 1_000;
/** Of what filling it took. */
const DELETED_PER_SECOND = 100_000;
/** Rows: a third of that, since what was ended and has not is a new row in every index. */
const UNDONE_PER_SECOND = 33_000;

/** Deletes a large catalogue, until its rows are gone, while another one is written to. */
async function deletionOf(bench: BenchService, { id, events }: Filled): Promise<Result[]> {
  const { client, database } = bench;
  const key = await keyOf(database, id);
  const [seconds, longest] = await besideWrites(bench, `${events} events are deleted`, async () => {
    const { status } = await client.send("DELETE", `/api/catalogues/${id}`);
    if (status >= 300) throw new Error(`deleting answered ${status}`);
    await untilNone(database, `read_model.seismic_events where catalogue_key = ${key}`);
  });
  const size = `${events} events`;
  const limit = events / DELETED_PER_SECOND;
  return [within(["deleting until the rows are gone", size, "s"], limit, [seconds]), longest];
}

const CONVERSION = {
  name: "bench",
  from: "ML",
  to: "MLc",
  slope: 1,
  intercept: 0.1,
  sigma: 0,
  range: [-2, 9],
  reference: "made for the benchmark",
};

/**
 * Converts the magnitudes of half of a catalogue's events, which writes a row of each and ends another, and gives
 * that up; then until all is undone, while another catalogue is written to.
 */
async function givingUpOf(bench: BenchService, { id, events }: Filled): Promise<Result[]> {
  const { client, database } = bench;
  const prefer = { prefer: "respond-async" };
  const form = { conversions: [CONVERSION] };
  const path = `/api/catalogues/${id}/conversions`;
  const { body } = await client.send<{ operationId: string }>("POST", path, form, prefer);
  const address = `/api/operations/${body.operationId}`;
  let done = 0;
  while (done < events / 2) {
    await wait(100);
    ({ done } = (await client.get<{ operation: Job }>(address)).body.operation.progress);
  }
  const { status } = await client.send("DELETE", address);
  if (status !== 200) throw new Error(`cancelling answered ${status}`);
  // What was written before it is applied first.
  const key = await keyOf(database, id);
  await untilNone(
    database,
    `read_model.catalogues where key = ${key} and open_revision is not null`,
  );
  const [seconds, longest] = await besideWrites(bench, `${2 * done} rows are undone`, () =>
    untilNone(database, "read_model.abandoned_revisions"),
  );
  await database.query("vacuum (analyze) read_model.seismic_events");
  const limit = (2 * done) / UNDONE_PER_SECOND;
  return [
    within(["undoing what was given up", `${2 * done} rows`, "s"], limit, [seconds]),
    longest,
  ];
}

async function keyOf(database: Client, id: string): Promise<number> {
  const { rows } = await database.query("select key from read_model.catalogues where id = $1", [
    id,
  ]);
  return z.tuple([z.object({ key: z.int() })]).parse(rows)[0].key;
}

async function untilNone(database: Client, rows: string): Promise<void> {
  for (let isLeft = true; isLeft; ) {
    await wait(20);
    isLeft = (await database.query(`select from ${rows} limit 1`)).rowCount !== 0;
  }
}

/** Writes to another catalogue until work has ended; its seconds, and the longest of the writes. */
async function besideWrites(
  bench: BenchService,
  activity: string,
  work: () => Promise<void>,
): Promise<[seconds: number, longest: Result]> {
  const other = await catalogueOf(bench.client, 1);
  const writing = await writeThroughout(bench, other);
  const seconds = await secondsOf(work);
  const waits = await writing.stop();
  await bench.client.send("DELETE", `/api/catalogues/${other}`);
  const named = [
    `the longest of others' small writes while ${activity}`,
    `${waits.length} writes`,
    "ms",
  ] as const;
  return [seconds, within(named, LONGEST_MS, [Math.max(...waits)])];
}

/** Changes the one event of a catalogue over and over, until visible; milliseconds of each. */
async function writeThroughout({ client }: BenchService, id: string) {
  const { body } = await client.get<{ events: [{ id: string }] }>(`/api/catalogues/${id}/events`);
  const path = `/api/catalogues/${id}/events/${body.events[0].id}`;
  const waits: number[] = [];
  let stopped = false;
  const writing = (async () => {
    for (let i = 0; !stopped; i += 1) {
      const started = performance.now();
      const { status } = await client.send("PATCH", path, { magnitude: 1 + (i % 60) / 10 + 0.05 });
      if (status !== 200) throw new Error(`a small write answered ${status}`);
      waits.push(performance.now() - started);
    }
  })();
  writing.catch(() => undefined);
  return {
    stop: async () => {
      stopped = true;
      await writing;
      return waits;
    },
  };
}

/** Resident memory of the service a minute after the last body, and at most in all of it. */
const MEMORY_MIB = { after: 400, peak: 600 };
const MINUTE = 60_000;

/**
 * What grows with a catalogue: one of `events`, and one of a tenth of them beside it, filled in
 * bodies of a twentieth, asked in every way, and deleted.
 */
export async function benchGrowth(bench: BenchService, events: number): Promise<Result[]> {
  const results: Result[] = [];
  const [peak] = await peakMemoryOf(bench.pid, async () => {
    let began = performance.now();
    for await (const part of partsOf(bench, events)) {
      results.push(...part);
      console.error(`  ${Math.round((performance.now() - began) / 1_000)} s for these:`);
      printResults(part);
      began = performance.now();
    }
  });
  const size = `${events} events`;
  return [...results, within(["peak memory in all of it", size, "MiB"], MEMORY_MIB.peak, [peak])];
}

async function* partsOf(bench: BenchService, events: number): AsyncGenerator<readonly Result[]> {
  const { client, database } = bench;
  const small = await fill(client, "small", BODIES / 10, events / BODIES);
  const large = await fill(client, "large", BODIES, events / BODIES);
  yield addingOf(large);
  yield [await freshStatistics(bench, large), await memoryAfter(bench, large)];
  yield await largestOf(bench, large);
  yield await exportsOf(client, small, large);
  yield await questionsOf(bench, small, false);
  yield await questionsOf(bench, large, true);
  for (const { id, events: size } of [small, large]) yield [await replayOf(client, id, size, 1)];
  yield await sizesOf(database, small.events + large.events);
  await printIndexes(database, small.events + large.events);
  yield await rebuilding(bench, small.events + large.events, [small, large]);
  yield await givingUpOf(bench, large);
  yield await deletionOf(bench, large);
}

async function memoryAfter({ pid }: BenchService, { events }: Filled): Promise<Result> {
  await wait(MINUTE);
  const size = `${events} events`;
  const held = [await memoryOf(pid)];
  return within(["memory a minute after the last body", size, "MiB"], MEMORY_MIB.after, held);
}

/** Both with the start of their process, beside the live service. */
async function rebuilding(
  { databaseUrl }: BenchService,
  events: number,
  filled: readonly Filled[],
): Promise<Result[]> {
  const run = (command: string) =>
    secondsOf(() => runCli({ DATABASE_URL: databaseUrl }, command, cataloguesProjection.name));
  const made = filled.flatMap(({ seconds }) => seconds).reduce((sum, each) => sum + each, 0);
  const results: Result[] = [];
  for (const command of ["rebuild", "verify"]) {
    const figures = medians([await run(command)], [made]);
    results.push(beside([command, `${events} events`, "s"], ["filling them", 1], figures));
  }
  return results;
}
