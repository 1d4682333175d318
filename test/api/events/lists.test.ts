import { createHash } from "node:crypto";
import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import type { CatalogueVersion } from "#contracts/http/catalogues.ts";
import type { EventChange, ScalarName } from "#contracts/http/events.ts";
import { ATTRIBUTE_NAMES } from "#contracts/seismic-event/attributes.ts";
import type { SeismicEvent } from "#contracts/seismic-event/seismic-event.ts";
import { type PackedValues, requireFewTexts } from "#infra/formats/columnar/packed-columns.ts";
import { createCatalogue, seismicEvent } from "../../support/api/catalogue.ts";
import { oneEvent } from "../../support/api/one-event.ts";
import { expectRefusal } from "../../support/api/refusal.ts";
import type { ApiAnswer } from "../../support/api-client.ts";
import { anyRecord } from "../../support/arbitrary-record.ts";
import { smallBulletin } from "../../support/bulletins/small-bulletin.ts";
import { generateEvents } from "../../support/generate-catalogue.ts";
import {
  type DecodedColumns,
  decodeColumns,
  packedValue,
} from "../../support/packed/decode-columns.ts";
import { runs } from "../../support/runs.ts";
import { sharedService } from "../../support/service.ts";

const client = sharedService().client("editor");
let path: string;

/** Each is told from the others by every filter; `plain` has the required attributes alone. */
const EVENTS = [
  {
    id: "alpha",
    time: "2020-01-01T00:00:00Z",
    latitude: -42,
    longitude: 173,
    depth: 10,
    magnitude: 5,
    magnitude_type: "Mw",
    event_type: "earthquake",
    evaluation_status: "confirmed",
    evaluation_mode: "manual",
    azimuthal_gap: 90,
    used_station_count: 40,
    used_phase_count: 60,
    standard_error: 0.3,
    magnitude_uncertainty: 0.1,
  },
  {
    id: "beta",
    time: "2020-02-01T00:00:00.000001Z",
    latitude: -10,
    longitude: -179.5,
    depth: 600,
    magnitude: 6,
    magnitude_type: "ML",
    event_type: "quarry blast",
    evaluation_status: "preliminary",
    evaluation_mode: "automatic",
    azimuthal_gap: 270,
    used_station_count: 4,
    used_phase_count: 6,
    standard_error: 1.5,
    magnitude_uncertainty: 0.5,
  },
  { id: "plain", time: "2020-03-01T00:00:00Z", latitude: 50, longitude: 179.5, magnitude: -0.5 },
];

type Filtered = {
  readonly events: readonly { source_id: string }[];
  readonly count: number;
  readonly truncated: boolean;
  readonly nextCursor?: string;
};

beforeAll(async () => {
  const { id } = await createCatalogue(client, { events: EVENTS });
  path = `/api/catalogues/${id}/events/filtered`;
});

async function idsOf(query: string): Promise<string[]> {
  const { status, body } = await client.get<Filtered>(`${path}?${query}`);
  expect(status, JSON.stringify(body)).toBe(200);
  expect(body.count).toBe(body.events.length);
  return body.events.map(({ source_id }) => source_id);
}

const FOUND: readonly (readonly [query: string, found: readonly string[]])[] = [
  ["", ["plain", "beta", "alpha"]],
  ["minMagnitude=5", ["beta", "alpha"]],
  ["minMagnitude=5.000001", ["beta"]],
  ["maxMagnitude=5", ["plain", "alpha"]],
  ["minMagnitude=5&maxMagnitude=5", ["alpha"]],
  ["minMagnitude=%2B.5e1", ["beta", "alpha"]],
  ["minMagnitude=-1e300&endTime=9999-12-31T23:59:59.999999Z", ["plain", "beta", "alpha"]],
  ["minDepth=10", ["beta", "alpha"]],
  ["maxDepth=1e300", ["beta", "alpha"]],
  ["minUsedStationCount=9007199254740991", []],
  ["maxDepth=10", ["alpha"]],
  ["startTime=2020-02-01T00:00:00.000001Z", ["plain", "beta"]],
  ["startTime=2020-02-01T00:00:00.000002Z", ["plain"]],
  ["endTime=2020-02-01T00:00:00Z", ["alpha"]],
  ["startTime=2020-01-01&endTime=2020-01-01T12:00:00%2B12:00", ["alpha"]],
  ["minLatitude=-42&maxLatitude=-10", ["beta", "alpha"]],
  ["minLongitude=173&maxLongitude=179.5", ["plain", "alpha"]],
  ["minLongitude=175&maxLongitude=-175", ["plain", "beta"]],
  ["minLongitude=179.5", ["plain"]],
  ["maxLongitude=-179.5", ["beta"]],
  ["eventType=Quarry%20Blast", ["beta"]],
  ["eventType=quarry%20blast,EARTHQUAKE", ["beta", "alpha"]],
  ["eventType=none", []],
  ["magnitudeType=mw", ["alpha"]],
  ["evaluationStatus=preliminary,confirmed", ["beta", "alpha"]],
  ["evaluationMode=manual", ["alpha"]],
  ["maxAzimuthalGap=90", ["alpha"]],
  ["minUsedStationCount=4", ["beta", "alpha"]],
  ["minUsedPhaseCount=60", ["alpha"]],
  ["maxStandardError=0.3", ["alpha"]],
  ["maxMagnitudeUncertainty=0.5", ["beta", "alpha"]],
  ["latitude=-42&longitude=173&maxRadiusKm=0", ["alpha"]],
  ["latitude=-10&longitude=180&maxRadiusKm=60", ["beta"]],
  ["latitude=-42&longitude=173&minRadiusKm=1", ["plain", "beta"]],
  ["latitude=90&longitude=0&maxRadiusKm=4450", ["plain"]],
  ["latitude=-42&longitude=173&minRadiusKm=3000&maxRadiusKm=20020", ["plain", "beta"]],
  ["orderBy=time", ["plain", "beta", "alpha"]],
  ["orderBy=time-asc", ["alpha", "beta", "plain"]],
  ["orderBy=magnitude", ["beta", "alpha", "plain"]],
  ["orderBy=magnitude-asc", ["plain", "alpha", "beta"]],
  ["minMagnitude=5&maxDepth=10&evaluationMode=manual&minLongitude=170", ["alpha"]],
];

test("a filter or an order finds the events that satisfy it, in that order", async () => {
  for (const [query, found] of FOUND) expect(await idsOf(query), query).toEqual(found);
});

test("a limit truncates the answer, and its cursor goes on with the same filters and order", async () => {
  const read = async (query: string) => (await client.get<Filtered>(`${path}?${query}`)).body;
  const first = await read("orderBy=magnitude&minMagnitude=5&limit=1");
  expect(first).toMatchObject({ count: 1, truncated: true, events: [{ source_id: "beta" }] });
  const cursor = first.nextCursor;
  const rest = await read(`cursor=${cursor}`);
  expect(rest).toMatchObject({ count: 1, truncated: false, events: [{ source_id: "alpha" }] });
  expect(rest).not.toHaveProperty("nextCursor");
  expect(await idsOf(`cursor=${cursor}&minMagnitude=5.0&orderBy=magnitude`)).toEqual(["alpha"]);
  for (const other of ["minMagnitude=4", "maxDepth=10", "orderBy=time"]) {
    expectRefusal(await client.get(`${path}?cursor=${cursor}&${other}`), "INVALID_CURSOR");
  }
  expect(await read("limit=10000")).toMatchObject({ count: 3, truncated: false });
});

const NUMBERS = [
  "minMagnitude",
  "maxMagnitude",
  "minDepth",
  "maxDepth",
  "minLatitude",
  "maxLatitude",
  "minLongitude",
  "maxLongitude",
  "maxAzimuthalGap",
  "minUsedStationCount",
  "minUsedPhaseCount",
  "maxStandardError",
  "maxMagnitudeUncertainty",
  "latitude",
  "longitude",
  "maxRadiusKm",
  "minRadiusKm",
  "limit",
];

const NO_NUMBERS = ["", "12abc", "1e400", "NaN", "0x10", "null", "1,5", "%00", "1&{}=1"];

/** With the parameter that is named first at fault, unless another is told. */
const REFUSED: readonly (readonly [query: string, parameter?: string])[] = [
  ...NUMBERS.flatMap((name, i) =>
    // All of one, and one of each other.
    NO_NUMBERS.filter((_, at) => i === 0 || at === i % NO_NUMBERS.length).map(
      (value) => [`${name}=${value.replace("{}", name)}`] as const,
    ),
  ),
  ...`
    startTime=2024-02-30 startTime=2024-13-01 endTime=now endTime=2024-01-01T25:00:00Z
    startTime= startTime=%00 minMagnitude=6&maxMagnitude=5 minDepth=6&maxDepth=5
    startTime=2021-01-01&endTime=2020-01-01 minLatitude=6&maxLatitude=5 minLatitude=-90.1
    maxLongitude=181 maxRadiusKm=-1 eventType= eventType=a,,b magnitudeType=%00
    evaluationMode=a&evaluationMode=b minUsedStationCount=1.5 orderBy=depth limit=0 limit=10001
    page=1 minmagnitude=1
  `
    .trim()
    .split(/\s+/)
    .map((query) => [query] as const),
  ["latitude=1&longitude=1&minRadiusKm=6&maxRadiusKm=5", "minRadiusKm"],
  ["latitude=1&longitude=1", "maxRadiusKm"],
  ["latitude=1&maxRadiusKm=5", "longitude"],
  ["maxRadiusKm=5", "latitude"],
];

test("the filtered list refuses what is no filter, and names the parameter", async () => {
  for (const [query, parameter = query.split("=")[0]] of REFUSED) {
    const answer = await client.get(`${path}?${query}`);
    expectRefusal(answer, "VALIDATION_ERROR", parameter);
  }
});

/** By id: latitude, longitude. */
const PLACES = {
  alpine: [-43.5, 170.2],
  edge: [-40, 172.5],
  corner: [-40, 175],
  hole: [-37.5, 172.5],
  west: [10, 179.5],
  east: [10, -179.5],
  seam: [12, 180],
  otherSeam: [14, -180],
  north: [60, 10],
  pole: [90, 45],
} as const;

let places: string;
beforeAll(async () => {
  const events = Object.entries(PLACES).map(([source_id, [latitude, longitude]], i) =>
    seismicEvent({ id: source_id, latitude, longitude, time: `2020-01-01T00:00:${10 + i}Z` }),
  );
  const { id } = await createCatalogue(client, { events });
  places = `/api/catalogues/${id}/events/filtered`;
});

/** The ids in a polygon, in the order of `PLACES`. */
async function within(polygon: string, others: Readonly<Record<string, string>> = {}) {
  const query = new URLSearchParams({ polygon, orderBy: "time-asc", ...others });
  const { status, body } = await client.get<Filtered>(`${places}?${query}`);
  expect([status, body]).toEqual([200, body]);
  return body.events.map((event) => event.source_id);
}

const box = (west: number, south: number, east: number, north: number) =>
  `(${west} ${south},${east} ${south},${east} ${north},${west} ${north},${west} ${south})`;

test("a polygon holds the events in it, by edges that are straight in longitude and latitude", async () => {
  const around = box(170, -40, 175, -35);
  const seam = ["west", "seam", "otherSeam"];
  const all = ["west", "east", "seam", "otherSeam"];
  for (const [polygon, inside] of [
    [`POLYGON(${around})`, ["edge", "corner", "hole"]],
    [`POLYGON(${around},${box(172, -38, 173, -37)})`, ["edge", "corner"]],
    [`POLYGON(${around},${box(172, -38, 172.5, -37)})`, ["edge", "corner", "hole"]],
    [`MULTIPOLYGON((${box(170, -44, 171, -43)}),(${box(0, 50, 20, 70)}))`, ["alpine", "north"]],
    // Inside of a ring that crosses itself is by even and odd.
    ["POLYGON((170 -44,171 -44,170 -43,171 -43,170 -44))", []],
    ["POLYGON((170 -44,171 -43,171 -44,170 -43,170 -44))", ["alpine"]],
    // Longitudes go beyond ±180, which is one meridian.
    [`POLYGON(${box(179, 9, 181, 15)})`, all],
    [`POLYGON(${box(-181, 9, -179, 15)})`, all],
    [`POLYGON(${box(179, 9, 180, 15)})`, seam],
    [`MULTIPOLYGON((${box(179, 9, 180, 15)}),(${box(-180, 9, -179, 15)}))`, all],
    // The great circle from 60° N to 60° N, 90° apart, passes 68° N.
    ["POLYGON((-35 60,55 60,55 50,-35 50,-35 60))", ["north"]],
    ["POLYGON((100 80,110 80,105 90,100 80))", ["pole"]],
  ] as const) {
    expect(await within(polygon), polygon).toEqual(inside);
  }
  // A box or a circle holds too.
  expect(await within(`POLYGON(${around})`, { maxLongitude: "173" })).toEqual(["edge", "hole"]);
  const circle = { latitude: "-40", longitude: "175", maxRadiusKm: "10" };
  expect(await within(`POLYGON(${around})`, circle)).toEqual(["corner"]);
});

/** So many vertices around New Zealand, of all the digits that a double has. */
function largePolygon(vertices: number): string {
  const positions = Array.from({ length: vertices }, (_, i) => {
    const angle = (2 * Math.PI * i) / vertices;
    const [x, y] = [172.5 + 7 * Math.cos(angle), -41 + 7 * Math.sin(angle)];
    return `${x.toPrecision(17)}0 ${y.toPrecision(17)}`;
  });
  return `POLYGON((${[...positions, positions[0]].join(", ")}))`;
}

test("500 vertices with all their digits fit into an address, and into that of a cursor", async () => {
  const polygon = largePolygon(500);
  const inside = ["alpine", "edge", "corner", "hole"];
  expect(encodeURIComponent(polygon).length).toBeGreaterThan(22_000);
  expect(await within(polygon)).toEqual(inside);
  const query = new URLSearchParams({ polygon, orderBy: "time-asc", limit: "3" });
  const { body: first } = await client.get<Filtered>(`${places}?${query}`);
  query.set("cursor", first.nextCursor ?? "");
  const { status, body: second } = await client.get<Filtered>(`${places}?${query}`);
  expect(status).toBe(200);
  const ids = [...first.events, ...second.events].map((event) => event.source_id);
  expect(ids).toEqual(inside);
});

test("what is no polygon, or has more than 500 vertices, is refused with the reason and the character", async () => {
  for (const [polygon, message] of [
    ["POLYGON((0 0,1 0,1 1))", /does not end where it begins.* at character 18/],
    ["多边形((0 0))", /neither POLYGON nor MULTIPOLYGON.* at character 1/],
    [largePolygon(501), /more than 500 vertices/],
  ] as const) {
    const answer = await client.get(`${places}?${new URLSearchParams({ polygon })}`);
    const { details } = expectRefusal(answer, "VALIDATION_ERROR");
    expect(details).toEqual([{ field: "polygon", message: expect.stringMatching(message) }]);
  }
});

let catalogue: string;

type Listed = { readonly events: readonly { source_id: string }[] };
type Walked = Listed & {
  readonly pagination: { nextCursor: string | null; prevCursor: string | null; hasMore: boolean };
};

/** Twelve events e00 … e11, a minute apart: e11 is the newest. */
const COUNT = 12;
const name = (i: number) => `e${String(i).padStart(2, "0")}`;
const numbered = (i: number) =>
  seismicEvent({ id: name(i), time: `2020-01-01T00:${String(i).padStart(2, "0")}:00Z` });
const newestFirst = Array.from({ length: COUNT }, (_, i) => name(COUNT - 1 - i));

beforeAll(async () => {
  const events = Array.from({ length: COUNT }, (_, i) => numbered(i));
  catalogue = (await createCatalogue(client, { events })).id;
});

const list = (query: string, id = catalogue): Promise<ApiAnswer<Walked>> =>
  client.get<Walked>(`/api/catalogues/${id}/events?${query}`);
const namesOf = ({ events }: Listed) => events.map(({ source_id }) => source_id);

/** The ids of each page of a walk to its end. */
async function walk(query: string, id = catalogue): Promise<string[][]> {
  const pages: string[][] = [];
  for (let next: string | null = query; next !== null; ) {
    const { body }: ApiAnswer<Walked> = await list(next, id);
    pages.push(namesOf(body));
    const { nextCursor, hasMore } = body.pagination;
    // A limit alone does not tell it.
    expect(hasMore ?? nextCursor !== null).toBe(nextCursor !== null);
    next = nextCursor === null ? null : `cursor=${nextCursor}`;
  }
  return pages;
}

describe("pages and offsets", () => {
  test("are answered newest first, and echo themselves", async () => {
    for (const [query, from, to, echo] of [
      ["", 0, 12, { total: 12, page: 1, pageSize: 50 }],
      ["page=1", 0, 12, { total: 12, page: 1, pageSize: 50 }],
      ["page=2&pageSize=5", 5, 10, { total: 12, page: 2, pageSize: 5 }],
      ["page=3&pageSize=5", 10, 12, { total: 12, page: 3, pageSize: 5 }],
      ["page=4&pageSize=5", 12, 12, { total: 12, page: 4, pageSize: 5 }],
      ["pageSize=1000", 0, 12, { total: 12, page: 1, pageSize: 1000 }],
      ["offset=0", 0, 12, { total: 12, limit: 100, offset: 0 }],
      ["offset=10&limit=5", 10, 12, { total: 12, limit: 5, offset: 10 }],
      ["offset=1000000000", 12, 12, { total: 12, limit: 100, offset: 1_000_000_000 }],
    ] as const) {
      const { status, body } = await list(query);
      const { events: _events, ...rest } = body;
      expect({ status, rest }, query).toEqual({ status: 200, rest: echo });
      expect(namesOf(body), query).toEqual(newestFirst.slice(from, to));
    }
    const { body } = await list("limit=5");
    expect(body).toMatchObject({ total: 12, limit: 5, offset: 0 });
    expect((await walk("limit=5")).flat()).toEqual(newestFirst);
    expect((await list("limit=12")).body.pagination.nextCursor).toBeNull();
  });

  test("are refused by name where they are mixed or malformed", async () => {
    for (const query of [
      ...["page=1&offset=0", "pageSize=5&limit=5", "page=1&cursor=x", "offset=0&direction=asc"],
      "pageSize=5&pagination=cursor",
    ]) {
      const { error } = expectRefusal(await list(query), "VALIDATION_ERROR");
      for (const part of query.split("&")) expect(error).toContain(part.split("=")[0]);
    }
    for (const query of [
      ...["page=0", "page=-1", "page=1.5", "page=12abc", "page=1e400", "page=NaN", "page="],
      ...["page=1&page=2", "pageSize=0", "pageSize=1001", "limit=0", "limit=1001"],
      ...["limit=Infinity", "offset=-1", "offset=99999999999999999999", "direction=up"],
      ...["pagination=page", "asOf=", "asOf=yesterday", "asOf=-1", "asOf=2024-02-30"],
      ...["Page=1", "unknown=1", "__proto__=1"],
    ]) {
      expectRefusal(await list(query), "VALIDATION_ERROR", query.split("=")[0]);
    }
  });
});

describe("a cursor walk", () => {
  test("shows every event once, newest first or oldest first, and goes back", async () => {
    for (const limit of [1, 5, 6, 12, 1000]) {
      const pages = await walk(`pagination=cursor&limit=${limit}`);
      expect(pages.flat()).toEqual(newestFirst);
      expect(pages).toHaveLength(Math.ceil(COUNT / limit));
    }
    expect((await walk("direction=asc&limit=5")).flat()).toEqual(newestFirst.toReversed());
    expect((await list("pagination=cursor")).body).toMatchObject({ pagination: { limit: 100 } });

    const first = (await list("pagination=cursor&limit=5")).body;
    expect(first.pagination.prevCursor).toBeNull();
    const second = (await list(`cursor=${first.pagination.nextCursor}`)).body;
    const back = await list(`cursor=${second.pagination.prevCursor}`);
    expect(namesOf(back.body)).toEqual(namesOf(first));
    // A repeated direction that agrees, and another limit.
    const again = `cursor=${first.pagination.nextCursor}&direction=desc&limit=2`;
    expect(namesOf((await list(again)).body)).toEqual(newestFirst.slice(5, 7));
  });

  test("refuses a cursor that was cut, changed, made up, forged or is of something else", async () => {
    const other = await createCatalogue(client);
    const cursor = (await list("pagination=cursor&limit=5")).body.pagination.nextCursor ?? "";
    const middle = Math.floor(cursor.length / 2);
    const flipped = cursor[middle] === "A" ? "B" : "A";
    const hostile = [
      ...["", "x", "%00", "AAAA", "e30", "🜨", `${cursor}A`, `${cursor}%3D`, "A".repeat(5_000)],
      ...[cursor.slice(0, -1), cursor.slice(1), `${cursor}&direction=asc`],
      `${cursor.slice(0, middle)}${flipped}${cursor.slice(middle + 1)}`,
      ...[-1, 0, 0.5, 2, 2 ** 31 - 1, 2 ** 31, 2 ** 53, 1e300].map((version) =>
        forgeCursor(cursor, { version }),
      ),
    ];
    for (const text of hostile) expectRefusal(await list(`cursor=${text}`), "INVALID_CURSOR");
    expectRefusal(await list(`cursor=${cursor}`, other.id), "INVALID_CURSOR");
    const filtered = `/api/catalogues/${catalogue}/events/filtered?cursor=${cursor}`;
    expectRefusal(await client.get(filtered), "INVALID_CURSOR");
  });
});

test("a list answers 304 to who has seen the version", async () => {
  const path = `/api/catalogues/${catalogue}/events`;
  expect((await client.get(path)).headers.get("etag")).toBe('"1"');
  expect((await client.get(path, { "if-none-match": '"1"' })).status).toBe(304);
  expect((await client.get(path, { "if-none-match": '"2"' })).status).toBe(200);
});

/** The cursor with other contents; its checksum is no secret. */
function forgeCursor(cursor: string, contents: object): string {
  const value = JSON.parse(Buffer.from(cursor, "base64url").subarray(6).toString()) as object;
  const json = Buffer.from(JSON.stringify({ ...value, ...contents }));
  const checksum = createHash("sha256").update(json).digest().subarray(0, 6);
  return Buffer.concat([checksum, json]).toString("base64url");
}

const ALL: readonly ScalarName[] = ["id", "time", ...ATTRIBUTE_NAMES];
const DEFAULT: ScalarName[] = ["id", "time", "latitude", "longitude", "depth", "magnitude"];
/** Of more events of an agency than a page of the list has. */
let large: string;
let filled: string;
beforeAll(async () => {
  large = await pathOf([...generateEvents(11, 10_050)]);
  filled = await pathOf([...generateEvents(12, 1_200)]);
});

async function pathOf(events: readonly unknown[]): Promise<string> {
  const { id } = await createCatalogue(client, { events });
  return `/api/catalogues/${id}/events`;
}

async function columnsOf(path: string, query = ""): Promise<DecodedColumns> {
  const answer = await client.stream(`${path}/columns?${query}`);
  expect([answer.status, answer.headers.get("content-type")]).toEqual([
    200,
    "application/octet-stream",
  ]);
  return decodeColumns(new Uint8Array(await answer.arrayBuffer()));
}

type FilteredPage = { readonly events: SeismicEvent[]; readonly nextCursor?: string };

/** All events of the filtered list, by its cursor. */
async function filteredOf(path: string, query = ""): Promise<SeismicEvent[]> {
  const events: SeismicEvent[] = [];
  for (let next: string | undefined = query; next !== undefined; ) {
    const { body }: { body: FilteredPage } = await client.get(`${path}/filtered?${next}`);
    events.push(...body.events);
    next = body.nextCursor && `cursor=${body.nextCursor}`;
  }
  return events;
}

const valuesOf = (events: readonly SeismicEvent[], columns: readonly ScalarName[]) =>
  columns.map((name) => events.map((event) => packedValue(event, name)));

type JsonColumns = {
  readonly catalogue: string;
  readonly version: number;
  readonly count: number;
  readonly columns: readonly { readonly name: ScalarName; readonly values: readonly unknown[] }[];
};

const asJson = (path: string, query = "") =>
  client.get<JsonColumns>(`${path}/columns?${query}`, { accept: "application/json" });

test("a column tells how many arrivals each event's bulletin has", async () => {
  const path = await pathOf([{ bulletin: smallBulletin() }, seismicEvent()]);
  expect((await columnsOf(path, "columns=arrivals,magnitude")).values[0]).toEqual([2, null]);
  const { body } = await asJson(path, "columns=arrivals");
  expect(body.columns).toEqual([{ name: "arrivals", values: [2, null] }]);
});

test("columns of any events, packed and as JSON, have what the filtered list has", async () => {
  const anyEvents = fc
    .uniqueArray(anyRecord, { maxLength: 12, selector: (r) => r.source_id ?? Symbol("none") })
    .map((records) => records.map(({ source_events: _, ...record }) => record));
  const anyColumns = fc.shuffledSubarray([...ALL], { minLength: 1 });
  await fc.assert(
    fc.asyncProperty(anyEvents, anyColumns, async (events, columns) => {
      const path = await pathOf(events);
      const query = `columns=${columns}`;
      const listed = await filteredOf(path);
      expect((await columnsOf(path, query)).values).toEqual(valuesOf(listed, columns));
      const { body } = await asJson(path, query);
      expect(body).toMatchObject({ version: 1, count: events.length });
      expect(body.columns).toEqual(
        columns.map((name) => ({ name, values: listed.map((event) => event[name]) })),
      );
    }),
    { numRuns: runs(12), endOnFailure: true },
  );
});

const anyBound = fc.oneof(
  fc.double({ min: 1.5, max: 4, noNaN: true }).map((m) => `minMagnitude=${m}`),
  fc.double({ min: 1, max: 60, noNaN: true }).map((km) => `maxDepth=${km}`),
  fc.double({ min: -46, max: -30, noNaN: true }).map((deg) => `minLatitude=${deg}`),
  fc.constantFrom("minLongitude=175&maxLongitude=-178", "minLongitude=-180"),
  fc.constantFrom("startTime=2018-01-01&endTime=2019-06-01T12:00:00Z", "endTime=2017-03-04"),
  fc.constantFrom("evaluationMode=manual", "maxAzimuthalGap=120", "magnitudeType=ml,mw"),
  fc.constantFrom("latitude=-41&longitude=174&maxRadiusKm=300"),
);
const filterOf = (bound: string) => bound.replace(/=.*/, "");

test("columns with any filters are of the events that the filtered list has, in its order", async () => {
  const anyQuery = fc
    .uniqueArray(anyBound, { maxLength: 3, selector: filterOf })
    .map((bounds) => bounds.join("&"))
    // A bound given twice is refused.
    .filter((query) => query.split("endTime=").length <= 2);
  await fc.assert(
    fc.asyncProperty(anyQuery, async (query) => {
      const listed = await filteredOf(filled, query);
      const { header, values } = await columnsOf(filled, query);
      expect(header.count).toBe(listed.length);
      const expected = valuesOf(listed, DEFAULT);
      for (const [i, column] of values.entries()) {
        expect(column.findIndex((value, row) => value !== expected[i]?.[row])).toBe(-1);
      }
    }),
    { numRuns: runs(15), endOnFailure: true },
  );
});

test("columns as JSON of many events are those of the filtered list", async () => {
  const listed = await filteredOf(large);
  const { body, headers } = await asJson(large, "columns=time,region,depth");
  expect(headers.get("content-type")).toBe("application/json; charset=utf-8");
  expect(body.columns.map(({ name }) => name)).toEqual(["time", "region", "depth"]);
  for (const { name, values } of body.columns) {
    expect(values.length).toBe(10_050);
    expect(values.findIndex((value, row) => value !== listed[row]?.[name])).toBe(-1);
  }
});

test("columns of no events are empty", async () => {
  const { header, values } = await columnsOf(await pathOf([]));
  expect(header.columns.map(({ name }) => name)).toEqual(DEFAULT);
  expect([header.count, values]).toEqual([0, DEFAULT.map(() => [])]);
  const { body } = await asJson(large, "minMagnitude=9.9&columns=id,region");
  expect(body).toMatchObject({
    count: 0,
    columns: ["id", "region"].map((name) => ({ name, values: [] })),
  });
});

test("columns are read as of a version, and tell which by header and entity tag", async () => {
  const path = await pathOf([seismicEvent({ magnitude: 5 })]);
  await client.send("POST", path, { events: [seismicEvent({ magnitude: 6 })] });
  const versions = [["", 2, 2] as const, ["asOf=2", 2, 2] as const, ["asOf=1", 1, 1] as const];
  for (const [query, version, count] of versions) {
    const { header } = await columnsOf(path, query);
    expect(header).toMatchObject({ version, count, catalogue: path.split("/")[3] });
    const tag = (await client.head(`${path}/columns?${query}`)).headers.get("etag");
    expect(tag).toBe(`"${version}"`);
    const again = await client.get(`${path}/columns?${query}`, { "if-none-match": tag ?? "" });
    expect(again).toMatchObject({ status: 304, body: "" });
  }
  expectRefusal(await client.get(`${path}/columns?asOf=3`), "NOT_FOUND");
});

describe("columns are refused", () => {
  test("where there are none of the name, and with parameters that they do not take", async () => {
    for (const [query, sentence] of [
      ["columns=id,extra", 'columns: there is no column "extra"'],
      ["columns=Time", 'columns: there is no column "Time"'],
      ["columns=", 'columns: there is no column ""'],
      ["columns=time,depth,time", "columns: a column is named twice"],
      ...["limit=10", "orderBy=magnitude", "cursor=x", "minmag=3"].map((other) => [other, ""]),
    ] as const) {
      const answer = await client.get(`${large}/columns?${query}`);
      expectRefusal(answer, "VALIDATION_ERROR", sentence);
    }
  });

  test("when a column has too many texts for its indexes, or too large ones", () => {
    const refusalOf = (length: number, byteLength: number) => {
      const values = { texts: { length, byteLength } } as unknown as PackedValues;
      try {
        return requireFewTexts([{ name: "author", values }]) ?? "none";
      } catch (error) {
        return error;
      }
    };
    expect(refusalOf(65_535, 2 ** 24)).toBe("none");
    expect(refusalOf(65_536, 2 ** 24)).toMatchObject({
      code: "VALIDATION_ERROR",
      details: [{ message: expect.stringContaining("author has more than 65535 different texts") }],
    });
    expect(refusalOf(1, 2 ** 24 + 1)).toMatchObject({ code: "VALIDATION_ERROR" });
  });
});

/** Version 1 has the event, 2 changes it, 3 adds another, 4 removes the first. */
let events: string;
let one: string;
let versions: CatalogueVersion[];
/** The magnitudes of each version. */
const AS_OF = [[], [1], [2], [9, 2], [9]];

beforeAll(async () => {
  const made = await oneEvent(client, seismicEvent({ id: "a", magnitude: 1 }));
  ({ events, path: one } = made);
  await made.change({ magnitude: 2 });
  await made.add({ events: [seismicEvent({ id: "b", magnitude: 9 })] });
  await made.send("DELETE", "");
  const list = `${made.catalogue}/versions`;
  ({ versions } = (await client.get<{ versions: CatalogueVersion[] }>(list)).body);
});

test("lists show the events as of a version or its time", async () => {
  const magnitudesAt = async (asOf: string | number, list: string) => {
    const answer = await client.get<{ events: SeismicEvent[] }>(`${events}${list}?asOf=${asOf}`);
    const magnitudes = answer.body.events.map(({ magnitude }) => Number(magnitude));
    return { magnitudes: magnitudes.sort((a, b) => b - a), etag: answer.headers.get("etag") };
  };
  for (const list of ["", "/filtered"]) {
    for (const { version, created_at } of versions) {
      const magnitudes = AS_OF[version];
      const shown = { magnitudes, etag: `"${version}"` };
      expect(await magnitudesAt(version, list)).toEqual(shown);
      // Times are shown in milliseconds: one later, the version is surely there.
      const later = new Date(Date.parse(created_at) + 1).toISOString();
      const next = versions.find((each) => each.version === version + 1);
      if (next && Date.parse(next.created_at) <= Date.parse(later)) continue;
      expect((await magnitudesAt(later, list)).magnitudes).toEqual(magnitudes);
    }
    for (const asOf of [
      ...["0", "5", "999999999", "99999999999999999999", "1990-01-01", "1990-01-01T00:00:00Z"],
    ]) {
      expectRefusal(await client.get(`${events}${list}?asOf=${asOf}`), "NOT_FOUND");
    }
    for (const asOf of ["", "-1", "1.5", "v1", "NaN", "2024-02-30", "%00", "1&asOf=2", "1e0"]) {
      expectRefusal(await client.get(`${events}${list}?asOf=${asOf}`), "VALIDATION_ERROR", "asOf");
    }
  }
});

test("an event is there as of the versions that have it, and has a history of its changes, newest first", async () => {
  for (const [version, magnitude] of [
    [1, 1],
    [2, 2],
    [3, 2],
  ]) {
    const answer = await client.get(`${one}?asOf=${version}`);
    expect(answer).toMatchObject({ status: 200, body: { event: { magnitude } } });
    expect(answer.headers.get("etag")).toBe(`"${version}"`);
  }
  expectRefusal(await client.get(`${one}?asOf=4`), "NOT_FOUND");
  expectRefusal(await client.get(one), "NOT_FOUND");
  const { history } = (await client.get<{ history: EventChange[] }>(`${one}/history`)).body;
  expect(history).toMatchObject([
    { version: 4, change: "removed", event: { magnitude: 2 } },
    { version: 2, change: "updated", event: { magnitude: 2 } },
    { version: 1, change: "added", event: { magnitude: 1 } },
  ]);
  const times = new Map(versions.map(({ version, created_at }) => [version, created_at]));
  for (const { version, created_at } of history) expect(created_at).toBe(times.get(version));
  for (const [query, parameter] of [
    ["?asOf=x", "asOf"],
    ["?page=1", "page"],
    ["/history?asOf=1", "asOf"],
  ] as const) {
    expectRefusal(await client.get(`${one}${query}`), "VALIDATION_ERROR", parameter);
  }
});

test("values come back as given", async () => {
  const text = "Kaikōura 地震 👨‍👩‍👧 e\u0301 \u202e";
  const extra = { "": 0, ключ: ["\u2028", "\\", '"'] };
  const values: readonly (readonly [keyof SeismicEvent, unknown, unknown?])[] = [
    ["time", "2016-11-13T11:02:56.123456Z"],
    ["time", "2016-11-13T11:02:56.100Z"],
    ["time", "2016-11-13T11:02:56.000000Z"],
    ["time", "2016-11-13T11:02:56Z"],
    ["time", "2016-11-13T11:02:56", "2016-11-13T11:02:56Z"],
    ["time", "2016-11-14T00:02:56.5+13:00", "2016-11-13T11:02:56.5Z"],
    ["time", "1000-01-01T00:00:00Z"],
    ["magnitude", 5e-324],
    ["magnitude", 0.1 + 0.2],
    ["magnitude", -3],
    ["magnitude", 10],
    ["longitude", 180],
    ["longitude", -180],
    ["longitude", 360, 0],
    ["longitude", 180.1, -179.9],
    ["longitude", 359.9, -0.1],
    ["latitude", 90],
    // JSON does not tell it apart from 0.
    ["latitude", "-0", 0],
    ["depth", -10],
    ["depth", 1000],
    ["region", text],
    ["extra", extra],
  ];
  const submitted = values.map(([name, given], i) => seismicEvent({ id: `v${i}`, [name]: given }));
  const body = JSON.stringify({ name: "values", events: submitted }).replace('"-0"', "-0");
  const created = await client.send<{ id: string }>("POST", "/api/catalogues", body);
  const list = `/api/catalogues/${created.body.id}/events`;
  const shown = (await client.get<{ events: SeismicEvent[] }>(list)).body.events;
  for (const [i, [name, given, kept = given]] of values.entries()) {
    const event = shown.find(({ source_id }) => source_id === `v${i}`);
    expect(event?.[name], `${name} ${given}`).toEqual(kept);
  }
});
