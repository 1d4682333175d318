import { strict as assert } from "node:assert";
import type { Client } from "pg";
import { z } from "zod";
import { parseFdsnQuery } from "#contracts/fdsn/parse-query.ts";
import { countQuery, facadeRows } from "#projections/queries/clients/facade-events.ts";
import type { ApiClient } from "../../support/api-client.ts";
import {
  type BenchService,
  catalogueOf,
  type SharedCatalogue,
} from "../../support/bench-service.ts";
import { peakMemoryOf } from "../../support/process-figures.ts";
import { importAll, withAgency } from "../agencies.ts";
import { type Asking, openAsking } from "../asking.ts";
import { comparisonOf, type Result, type Round, secondsOf, spreadOf, within } from "../measure.ts";
import { bareClient, bareQuery } from "../yardsticks.ts";
import { filterKinds } from "./filtered.ts";

const NARROW_TARGET = 2;
const COUNT_TARGET = 1.2;
/** Of the rate of the same events' export, a half. */
const MANY_TARGET = 2;
const MANY = 20_000;
/** Milliseconds of an answer that needs no events. */
const SHORT_MS = 2;
const FIRST_BYTE_MS = 50;
/** As many as one caller may have running and waiting. */
const READERS = 16;
const READING_MIB = 250;
/** As many as the service reads at once, and the one that says that there are more. */
const READ_AT_ONCE = 1_001;
const FORMATS = ["text", "geojson", "xml"] as const;
/** Short answers before the first that counts: V8 compiles what is hot. */
const WARM_UP = 500;
const ROUNDS_BEFORE = 20;

/** The parameters of `/filtered` that narrow queries have, as the event service calls them. */
const NAMES: Readonly<Record<string, string>> = {
  startTime: "starttime",
  endTime: "endtime",
  minLatitude: "minlatitude",
  maxLatitude: "maxlatitude",
  minLongitude: "minlongitude",
  maxLongitude: "maxlongitude",
};

/**
 * The event service of one large catalogue: narrow queries and counts against their statements by bare
 * `pg`, many events against the export of the same, and what takes no events at all.
 */
export async function benchClients(
  { url, token, client, databaseUrl, shared }: BenchService,
  events: number,
  rounds: number,
): Promise<Result[]> {
  const catalogue = await shared.of(events);
  const base = `/api/catalogues/${catalogue.id}/fdsnws/event/1`;
  const size = `${events} events`;
  const database = await bareClient(databaseUrl);
  const asking = openAsking(url, token);
  const results: Result[] = [];
  try {
    const kinds = await filterKinds(database, catalogue.key);
    const warming = `${base}/query?${parametersOf(kinds["narrow time"])}&format=`;
    for (let i = 0; i < WARM_UP; i += 1) {
      for (const format of FORMATS) await asking.ask(warming + format);
    }
    for (const kind of ["narrow time", "small box"] as const) {
      const query = parametersOf(kinds[kind]);
      for (const format of FORMATS) {
        const path = `${base}/query?${query}&format=${format}`;
        const rounded = await narrow(asking, database, { catalogue, query, path, rounds });
        results.push({
          case: `event service, ${kind}, ${format}`,
          size,
          unit: "ms",
          yardstick: "the same SQL by bare pg",
          ...rounded,
          target: NARROW_TARGET,
        });
      }
    }
    const counted = parametersOf(kinds["magnitude and box"]);
    results.push({
      case: "event service, count with filters",
      size,
      unit: "ms",
      yardstick: "the same SQL by bare pg",
      ...(await counting(asking, database, { catalogue, query: counted, path: base, rounds })),
      target: COUNT_TARGET,
    });
    for (const [name, path] of Object.entries(SHORT)) {
      const figures = await millisecondsOf(asking, `${base}/${path}`, rounds);
      results.push({
        case: `event service, ${name}`,
        size,
        unit: "ms",
        ...within(SHORT_MS, figures),
      });
    }
    results.push(await many(client, database, catalogue, Math.max(3, rounds / 20)));
    results.push(await firstBytes(client, catalogue, Math.max(3, rounds / 20)));
    return results;
  } finally {
    asking.close();
    await database.end();
  }
}

const SHORT = { WADL: "application.wadl", version: "version", count: "count" } as const;

type Question = {
  readonly catalogue: SharedCatalogue;
  readonly query: string;
  readonly path: string;
  readonly rounds: number;
};

function parametersOf(filters: Readonly<Record<string, string>>): string {
  return Object.entries(filters)
    .map(([name, value]) => `${NAMES[name] ?? name.toLowerCase()}=${encodeURIComponent(value)}`)
    .join("&");
}

function selectionOf({ id, key, version, events }: SharedCatalogue, text: string) {
  const parsed = parseFdsnQuery(text);
  if (!parsed.ok) throw new Error(parsed.fault.message);
  const query = { ...parsed.query, changedAfter: null, deleted: null };
  return {
    version: {
      id,
      key,
      version,
      eventCount: events,
      publicFrom: null,
      hidden: null,
      seesMore: false,
    },
    query,
  };
}

async function narrow(
  asking: Asking,
  database: Client,
  { catalogue, query, path, rounds }: Question,
): Promise<Pick<Result, "ours" | "yardstickFigure" | "ratio">> {
  const { version, query: wanted } = selectionOf(catalogue, query);
  const withUpdated = path.endsWith("geojson");
  const selection = { version, query: { ...wanted, limit: READ_AT_ONCE }, withUpdated };
  const statement = bareQuery(facadeRows({ ...selection, members: "none" }));
  const { rows } = await database.query(statement.text, statement.values);
  assert.ok(rows.length > 0 && rows.length < READ_AT_ONCE);
  const { body } = await asking.ask(path);
  for (const { event_id: id, source_id: source } of rows) {
    const isThere = body.includes(source ?? id.replaceAll("-", ""));
    assert.ok(isThere, `${path} lacks ${id}`);
  }
  return inTurn(asking, path, () => database.query(statement.text, statement.values), rounds);
}

async function counting(
  asking: Asking,
  database: Client,
  { catalogue, query, path, rounds }: Question,
): Promise<Pick<Result, "ours" | "yardstickFigure" | "ratio">> {
  const { version, query: wanted } = selectionOf(catalogue, query);
  const statement = bareQuery(countQuery(version, wanted));
  const { rows } = await database.query(statement.text, statement.values);
  const { body } = await asking.ask(`${path}/count?${query}`);
  assert.equal(Number(body.toString()), Number(rows[0].count));
  const select = () => database.query(statement.text, statement.values);
  return inTurn(asking, `${path}/count?${query}`, select, Math.max(5, rounds / 10));
}

/** Milliseconds of both sides in turn; the ratio is that of their medians. */
async function inTurn(
  asking: Asking,
  path: string,
  select: () => Promise<unknown>,
  rounds: number,
): Promise<Pick<Result, "ours" | "yardstickFigure" | "ratio">> {
  const ours: number[] = [];
  const other: number[] = [];
  for (let i = -Math.min(rounds, ROUNDS_BEFORE); i < rounds; i += 1) {
    const [a, b] = [(await asking.ask(path)).milliseconds, 1_000 * (await secondsOf(select))];
    if (i < 0) continue;
    ours.push(a);
    other.push(b);
  }
  const [mine, yardstickFigure] = [spreadOf(ours), spreadOf(other)];
  return { ours: mine, yardstickFigure, ratio: mine.median / yardstickFigure.median };
}

async function millisecondsOf(asking: Asking, path: string, rounds: number): Promise<number[]> {
  const figures: number[] = [];
  for (let i = -Math.min(rounds, ROUNDS_BEFORE); i < rounds; i += 1) {
    const { milliseconds } = await asking.ask(path);
    if (i >= 0) figures.push(milliseconds);
  }
  return figures;
}

const End = z.tuple([z.object({ end: z.string() })]);

/** So many events as GeoJSON, against the export of the same. */
async function many(
  client: ApiClient,
  database: Client,
  { id, key, events }: SharedCatalogue,
  rounds: number,
): Promise<Result> {
  const count = Math.min(MANY, events / 2);
  const { rows } = await database.query(
    `select to_char(time, 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as end from read_model.seismic_events
     where catalogue_key = $1 order by time, event_id limit 1 offset $2`,
    [key, count - 1],
  );
  const [{ end }] = End.parse(rows);
  const base = `/api/catalogues/${id}`;
  const exported = `${base}/export?format=geojson&endTime=${end}`;
  const asked = `${base}/fdsnws/event/1/query?format=geojson&endtime=${end}`;
  const measured: Round[] = [];
  for (let i = -1; i < rounds; i += 1) {
    const round: Round = [
      await secondsOf(() => readAll(client, asked)),
      await secondsOf(() => readAll(client, exported)),
    ];
    if (i >= 0) measured.push(round);
  }
  return {
    case: "event service, geojson",
    size: `${count} of ${events} events`,
    unit: "s",
    yardstick: "the export of the same",
    ...comparisonOf(measured),
    target: MANY_TARGET,
  };
}

async function readAll(client: ApiClient, path: string): Promise<void> {
  const { status, body } = await client.stream(path);
  if (status !== 200) throw new Error(`${path} answered ${status}`);
  // Taken, and not kept.
  for await (const _ of body ?? []) {
  }
}

/** How long the first byte of all events takes. */
async function firstBytes(
  client: ApiClient,
  { id, events }: SharedCatalogue,
  rounds: number,
): Promise<Result> {
  const figures: number[] = [];
  for (let i = -1; i < rounds; i += 1) {
    const started = performance.now();
    const { body } = await client.stream(`/api/catalogues/${id}/fdsnws/event/1/query`);
    const reader = body?.getReader();
    await reader?.read();
    if (i >= 0) figures.push(performance.now() - started);
    await reader?.cancel();
  }
  const size = `${events} events`;
  return {
    case: "event service, first byte of xml",
    size,
    unit: "ms",
    ...within(FIRST_BYTE_MS, figures),
  };
}

/** What a service that has done nothing else holds while so many clients read all events as QuakeML. */
export async function benchClientsMemory(
  { shared, startAnother }: BenchService,
  events: number,
): Promise<Result> {
  const { id } = await shared.of(events);
  const { process, signIn } = await startAnother();
  try {
    const client = await signIn();
    const path = `/api/catalogues/${id}/fdsnws/event/1/query`;
    await readAll(client, `${path}?limit=2000`);
    const peak = await peakMemoryOf(process.pid, () =>
      Promise.all(Array.from({ length: READERS }, () => readAll(client, path))),
    );
    return {
      case: `peak memory while ${READERS} clients read xml`,
      size: `${events} events each`,
      unit: "MiB",
      ...within(READING_MIB, [peak]),
    };
  } finally {
    await process.stop();
  }
}

/** ObsPy waits longer, but a start beyond it is felt. */
const START_MS = 1_000;

/** What ObsPy's client asks for at once when it is made; two of them are not there. */
const START_REQUESTS = [
  "dataselect/1/application.wadl",
  "station/1/application.wadl",
  "event/1/application.wadl",
  "event/1/catalogs",
  "event/1/contributors",
];

/** The slowest start of ObsPy's client at a large catalogue, the first among them, during an import. */
export async function benchClientStart(events: number, imported: number): Promise<Result> {
  return withAgency(imported, 0, async ({ client }) => {
    const base = `/api/catalogues/${await catalogueOf(client, events)}/fdsnws`;
    let isImporting = true;
    const importing = importAll(client, "full", imported).finally(() => {
      isImporting = false;
    });
    const figures: number[] = [];
    while (isImporting) figures.push(await startAt(client, base));
    await importing;
    return {
      case: "event service, slowest start of ObsPy while importing",
      size: `${events} events`,
      unit: "ms",
      ...within(START_MS, [Math.max(...figures)]),
    };
  });
}

/** Milliseconds until all start requests are answered. */
async function startAt(client: ApiClient, base: string): Promise<number> {
  const started = performance.now();
  const answers = START_REQUESTS.map(async (path) => {
    const { status } = await client.get(`${base}/${path}`);
    const expected = path.startsWith("event") ? 200 : 404;
    if (status !== expected) throw new Error(`${path} answered ${status}`);
  });
  await Promise.all(answers);
  return performance.now() - started;
}
