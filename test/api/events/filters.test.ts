import { beforeAll, expect, test } from "vitest";
import { createCatalogue, seismicEvent } from "../../support/api/catalogue.ts";
import { clientOf } from "../../support/api/client-of.ts";
import { expectRefusal } from "../../support/api/refusal.ts";
import { sharedService } from "../../support/service.ts";

const service = sharedService();
const client = clientOf(service, "editor");
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
  ["minDepth=10", ["beta", "alpha"]],
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
  ...NUMBERS.flatMap((name) =>
    NO_NUMBERS.map((value) => [`${name}=${value.replace("{}", name)}`] as const),
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
