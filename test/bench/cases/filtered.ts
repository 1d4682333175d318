import { strict as assert } from "node:assert";
import type { Client } from "pg";
import { z } from "zod";
import { type Area, boxOfArea, type Position, shapeOf, wktOf } from "#contracts/geometry/shape.ts";
import { containsPlace, shapeIndex } from "#contracts/geometry/shape-index.ts";
import { FilteredQuery } from "#contracts/http/events.ts";
import { pageQuery } from "#projections/read/walk.ts";
import type { BenchService, SharedCatalogue } from "../../support/bench-service.ts";
import { type Asking, openAsking, openHttpConnection } from "../asking.ts";
import { type ListedRow, toListedEvent } from "../listed-event.ts";
import { beside, compareBetween, medians, type Result, secondsOf } from "../measure.ts";
import { bareClient, bareQuery } from "../yardsticks.ts";

const LIMIT = 10_000;
const TARGET = 2;
/** Rounds that are not counted, and short answers before the first of them: V8 compiles what is hot. */
const WARM_UP = 5;
const WARM_UP_ANSWERS = 1_500;
/** Answers of a few milliseconds, which what else the machine does meets now and then: measured so much oftener. */
const SHORT_EVENTS = 1_000;
const OFTENER = 5;
const NARROW: readonly FilterKind[] = ["small box", "narrow time"];

/** One kind of filter at one size: both sides, to be measured in turn. */
type Contest = {
  readonly kind: FilterKind;
  readonly size: number;
  /** Milliseconds of one answer. */
  readonly ours: () => Promise<number>;
  readonly yardstick: () => Promise<number>;
  /** Events of an answer. */
  readonly length: number;
};

/**
 * The median time of `/events/filtered` against the very same statement by bare `pg`, which makes
 * rows of it and nothing else.
 */
export async function benchFiltered(
  bench: BenchService,
  sizes: readonly number[],
  repetitions: number,
): Promise<Result[]> {
  const database = await bareClient(bench.databaseUrl);
  const asking = openAsking(bench.url, bench.token);
  try {
    const contests: Contest[] = [];
    for (const size of sizes) {
      const catalogue = await bench.shared.of(size);
      const kinds = await filterKinds(database, catalogue.key);
      for (const [kind, filters] of Object.entries(kinds)) {
        const sides = await sidesOf(asking, database, catalogue, filters);
        contests.push({ kind: kind as FilterKind, size, ...sides });
      }
    }
    return (await measure(contests, repetitions)).map(resultOf);
  } finally {
    asking.close();
    await database.end();
  }
}

/** @throws AssertionError when the two do not answer the same */
async function sidesOf(
  asking: Asking,
  database: Client,
  { id, key, version, events }: SharedCatalogue,
  filters: Filters,
): Promise<Pick<Contest, "ours" | "yardstick" | "length">> {
  const path = `/api/catalogues/${id}/events/filtered?${new URLSearchParams(filters)}`;
  const selection = {
    version: { id, key, version, eventCount: events, publicFrom: null, hidden: null },
    order: "time",
    filters: FilteredQuery.parse(filters),
  } as const;
  const query = bareQuery(pageQuery(selection, { offset: 0 }, LIMIT));
  const select = () => database.query<ListedRow>(query.text, query.values);
  const answer = JSON.parse((await asking.ask(path)).body.toString());
  const { rows } = await select();
  const expected = rows.slice(0, LIMIT).map(toListedEvent);
  assert.ok(expected.length > 0);
  assert.deepEqual(answer.events, JSON.parse(JSON.stringify(expected)));
  return {
    ours: async () => (await asking.ask(path)).milliseconds,
    yardstick: async () => 1_000 * (await secondsOf(select)),
    length: expected.length,
  };
}

/** What answers with as many events, in turn; what answers with more comes after it. */
async function measure(contests: readonly Contest[], repetitions: number): Promise<Measured[]> {
  const measured = contests.map((one) => ({ ...one, mine: [] as number[], other: [] as number[] }));
  const short = contests.filter(({ kind }) => NARROW.includes(kind));
  for (let i = 0; i < WARM_UP_ANSWERS; i += 1) await short[i % short.length]?.ours();
  const byLength = Object.groupBy(measured, ({ length }) => length);
  for (const [length, alike = []] of Object.entries(byLength)) {
    const rounds = Number(length) <= SHORT_EVENTS ? OFTENER * repetitions : repetitions;
    for (let i = -WARM_UP; i < rounds; i += 1) {
      for (const { ours, yardstick, mine, other } of alike) {
        const [a, b] = [await ours(), await yardstick()];
        if (i < 0) continue;
        mine.push(a);
        other.push(b);
      }
    }
  }
  return measured;
}

type Measured = Pick<Contest, "kind" | "size"> & {
  readonly mine: readonly number[];
  readonly other: readonly number[];
};

function resultOf({ kind, size, mine, other }: Measured): Result {
  const named = [`filtered: ${kind}`, `${size} events`, "ms"] as const;
  return beside(named, ["the same SQL by bare pg", TARGET], medians(mine, other));
}

type Filters = Readonly<Record<string, string>>;

/** Events of a narrow answer: as many whatever the size of the catalogue. */
const NARROW_EVENTS = 100;

const Window = z.tuple([z.object({ start: z.string(), end: z.string() })]);
const Box = z.tuple([z.object({ latitude: z.number(), longitude: z.number(), half: z.number() })]);

/**
 * What is asked for, by name. The two narrow ones are made to hold so many events of the catalogue
 * with this key.
 */
export async function filterKinds(database: Client, key: number) {
  return {
    "magnitude and box": {
      minMagnitude: "3",
      minLatitude: "-42",
      maxLatitude: "-38",
      minLongitude: "170",
      maxLongitude: "175",
    },
    circle: { latitude: "-41.3", longitude: "171", maxRadiusKm: "30" },
    "small box": await smallBox(database, key),
    "narrow time": await timesFrom(database, key, {
      from: "2019-01-01",
      count: NARROW_EVENTS,
    }),
    "wide time": { startTime: "2017-01-01", endTime: "2020-12-31" },
    none: {},
  } satisfies Record<string, Filters>;
}

type FilterKind = keyof Awaited<ReturnType<typeof filterKinds>>;

/** The times between which so many events lie, the first ones from a time on. */
async function timesFrom(
  database: Client,
  key: number,
  { from, count }: { readonly from: string; readonly count: number },
): Promise<{ readonly startTime: string; readonly endTime: string }> {
  const { rows } = await database.query(
    `select to_char(min(time), 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as start,
       to_char(max(time), 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as end
     from (select time from read_model.seismic_events
           where catalogue_key = $1 and time >= $3 order by time limit $2)`,
    [key, count, from],
  );
  const [{ start, end }] = Window.parse(rows);
  return { startTime: start, endTime: end };
}

/** The square around the event in the middle of the catalogue's years that reaches so many others. */
async function smallBox(database: Client, key: number): Promise<Filters> {
  const { rows } = await database.query(
    `with centre as (
       select latitude, longitude from read_model.seismic_events
       where catalogue_key = $1 and time >= '2019-01-01' and longitude between 170 and 175
       order by time limit 1)
     select c.latitude, c.longitude,
       greatest(abs(e.latitude - c.latitude), abs(e.longitude - c.longitude)) as half
     from read_model.seismic_events e, centre c
     where catalogue_key = $1 order by half limit 1 offset $2`,
    [key, NARROW_EVENTS - 1],
  );
  const [{ latitude, longitude, half }] = Box.parse(rows);
  const text = (degrees: number): string => degrees.toFixed(9);
  return {
    minLatitude: text(latitude - half),
    maxLatitude: text(latitude + half),
    minLongitude: text(longitude - half),
    maxLongitude: text(longitude + half),
  };
}

/** Of an answer by a filter, how much longer than by the bounding box it may take. */
const TARGETS = { polygon: 1.3, region: 4 } as const;

const VERTICES = { polygon: 12, region: 10_000 } as const;

/** In the middle of the events. */
const CENTRE: Position = [172.5, -40];
const RADIUS_DEG = 5;

/** Roughness of a coast: how often it waves around the area, and how far. */
const WAVES = [
  [9, 0.5],
  [101, 0.1],
  [1_003, 0.02],
] as const;

type Filter = Readonly<Record<string, string>>;

/** Paths below `/api/catalogues/{id}`, which take a box by these names. */
const WAYS: Readonly<Record<string, (filter: Filter, round: number) => string>> = {
  filtered: (filter) => `/events/filtered?${new URLSearchParams(filter)}`,
  // Counts are kept: each round asks for something else, which leaves out no event.
  count: (filter, round) =>
    `/fdsnws/event/1/count?${`${new URLSearchParams({ ...lowered(filter), mindepth: `${-1 - round / 1e3}` })}`}`,
};

/** The same by the names of the event service. */
function lowered(filter: Filter): Filter {
  return Object.fromEntries(
    Object.entries(filter).map(([name, value]) => [name.toLowerCase(), value]),
  );
}

/** Answers by a polygon and by a saved region against those by their bounding boxes. */
export async function benchRegions(
  { url, token, client, shared }: BenchService,
  count: number,
  repetitions: number,
): Promise<Result[]> {
  const { id } = await shared.of(count);
  const connection = openHttpConnection(url);
  const headers = { authorization: `Bearer ${token}`, "accept-encoding": "identity" };
  const read = async (path: string) => {
    const answer = await connection.ask("GET", `/api/catalogues/${id}${path}`, headers);
    if (answer.status !== 200) throw new Error(`${path.slice(0, 200)} answered ${answer.status}`);
    return answer.body;
  };
  const results: Result[] = [];
  try {
    for (const kind of ["polygon", "region"] as const) {
      const area = areaOf(VERTICES[kind], kind === "region");
      const own =
        kind === "polygon" ? { polygon: wktOf(area) } : { region: await saved(client, area) };
      const box = boxFilter(area);
      checkAnswer(await read(WAYS["filtered"]?.(own, 0) ?? ""), area);
      for (const [way, pathOf] of Object.entries(WAYS)) {
        let round = 0;
        const comparison = await compareBetween(
          repetitions,
          () => read(pathOf(own, round++)),
          () => read(pathOf(box, round++)),
          2,
        );
        results.push(
          beside(
            [`${kind} of ${VERTICES[kind]}: ${way}`, `${count} events`, "s"],
            ["its box", TARGETS[kind]],
            comparison,
          ),
        );
      }
    }
  } finally {
    connection.close();
  }
  return results;
}

function areaOf(vertices: number, isRough: boolean): Area {
  const open = Array.from({ length: vertices }, (_, i): Position => {
    const angle = (2 * Math.PI * i) / vertices;
    const waves = isRough ? WAVES.map(([often, far]) => far * Math.sin(often * angle)) : [];
    const radius = waves.reduce((sum, wave) => sum + wave, RADIUS_DEG);
    const [x, y] = CENTRE;
    return [rounded(x + radius * Math.cos(angle)), rounded(y + radius * Math.sin(angle))];
  });
  return [[[...open, ...open.slice(0, 1)]]];
}

/** To the decimetre, as maps have it. */
function rounded(degrees: number): number {
  return Number(degrees.toFixed(6));
}

function boxFilter(area: Area): Filter {
  const { west, south, east, north } = boxOfArea(area);
  return {
    minLongitude: String(west),
    maxLongitude: String(east),
    minLatitude: String(south),
    maxLatitude: String(north),
  };
}

async function saved(client: BenchService["client"], area: Area): Promise<string> {
  const geometry = { type: "MultiPolygon", coordinates: area };
  const answer = await client.send<{ region: { id: string } }>("POST", "/api/regions", {
    name: "Benchmark",
    geometry,
  });
  if (answer.status !== 201) throw new Error(`saving a region answered ${answer.status}`);
  return answer.body.region.id;
}

function checkAnswer(body: Buffer, area: Area): void {
  const { events } = JSON.parse(body.toString()) as {
    events: readonly { readonly longitude: number; readonly latitude: number }[];
  };
  const index = shapeIndex(shapeOf(area));
  assert.ok(events.length > 0);
  assert.ok(events.every(({ longitude, latitude }) => containsPlace(index, longitude, latitude)));
}
