import { beforeAll, expect, test } from "vitest";
import type { ApiClient } from "../../support/api-client.ts";
import { sharedService } from "../../support/service.ts";
import { createCatalogue, seismicEvent } from "../support/catalogue.ts";
import { expectRefusal } from "../support/refusal.ts";

const service = sharedService();
let client: ApiClient;
let path: string;

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

beforeAll(async () => {
  client = await service.loginAs("editor");
  const events = Object.entries(PLACES).map(([source_id, [latitude, longitude]], i) =>
    seismicEvent({ id: source_id, latitude, longitude, time: `2020-01-01T00:00:${10 + i}Z` }),
  );
  const { id } = await createCatalogue(client, { events });
  path = `/api/catalogues/${id}/events/filtered`;
});

type Filtered = {
  readonly events: readonly { readonly source_id: string }[];
  readonly nextCursor?: string;
};

/** The ids in a polygon, in the order of `PLACES`. */
async function within(polygon: string, others: Readonly<Record<string, string>> = {}) {
  const query = new URLSearchParams({ polygon, orderBy: "time-asc", ...others });
  const { status, body } = await client.get<Filtered>(`${path}?${query}`);
  expect([status, body]).toEqual([200, body]);
  return body.events.map((event) => event.source_id);
}

const box = (west: number, south: number, east: number, north: number) =>
  `(${west} ${south},${east} ${south},${east} ${north},${west} ${north},${west} ${south})`;

test("a point on an edge or a corner is inside, also of a hole", async () => {
  expect(await within(`POLYGON(${box(170, -40, 175, -35)})`)).toEqual(["edge", "corner", "hole"]);
  const holed = `POLYGON(${box(170, -40, 175, -35)},${box(172, -38, 173, -37)})`;
  expect(await within(holed)).toEqual(["edge", "corner"]);
  const touching = `POLYGON(${box(170, -40, 175, -35)},${box(172, -38, 172.5, -37)})`;
  expect(await within(touching)).toEqual(["edge", "corner", "hole"]);
});

test("several parts are united", async () => {
  const parts = `MULTIPOLYGON((${box(170, -44, 171, -43)}),(${box(0, 50, 20, 70)}))`;
  expect(await within(parts)).toEqual(["alpine", "north"]);
});

test("a ring that crosses itself is inside by even and odd", async () => {
  const twice = `(${[...Array(2)].map(() => "170 -44,171 -44,171 -43,170 -43").join(",")},170 -44)`;
  expect(await within(`POLYGON(${twice})`)).toEqual([]);
  expect(await within("POLYGON((170 -44,171 -44,170 -43,171 -43,170 -44))")).toEqual([]);
  expect(await within("POLYGON((170 -44,171 -43,171 -44,170 -43,170 -44))")).toEqual(["alpine"]);
});

test("a ring crosses the antimeridian by longitudes beyond ±180, and ±180 is one meridian", async () => {
  const all = ["west", "east", "seam", "otherSeam"];
  expect(await within(`POLYGON(${box(179, 9, 181, 15)})`)).toEqual(all);
  expect(await within(`POLYGON(${box(-181, 9, -179, 15)})`)).toEqual(all);
  expect(await within(`POLYGON(${box(179, 9, 180, 15)})`)).toEqual(["west", "seam", "otherSeam"]);
  expect(await within(`POLYGON(${box(-180, 9, -179, 15)})`)).toEqual(["east", "seam", "otherSeam"]);
  expect(
    await within(`MULTIPOLYGON((${box(179, 9, 180, 15)}),(${box(-180, 9, -179, 15)}))`),
  ).toEqual(all);
});

test("edges are straight in longitude and latitude, not great circles", async () => {
  // The great circle from 60° N to 60° N, 90° apart, passes 68° N.
  expect(await within("POLYGON((-35 60,55 60,55 50,-35 50,-35 60))")).toEqual(["north"]);
});

test("a pole is in a polygon that touches its latitude", async () => {
  expect(await within("POLYGON((100 80,110 80,105 90,100 80))")).toEqual(["pole"]);
});

test("a polygon and a box or a circle hold both", async () => {
  const polygon = `POLYGON(${box(170, -40, 175, -35)})`;
  expect(await within(polygon, { maxLongitude: "173" })).toEqual(["edge", "hole"]);
  const circle = { latitude: "-40", longitude: "175", maxRadiusKm: "10" };
  expect(await within(polygon, circle)).toEqual(["corner"]);
});

test.each([
  ["POINT(1 2)", "neither POLYGON nor MULTIPOLYGON", 1],
  ["POLYGON Z((0 0 1,1 0 1,1 1 1,0 0 1))", "longitude and latitude alone", 9],
  ["POLYGON((0 0 1,1 0 1,1 1 1,0 0 1))", "more than longitude and latitude", 14],
  ["POLYGON EMPTY", "empty", 9],
  ["POLYGON((0 0,1 0,1 1))", "does not end where it begins", 18],
  ["POLYGON((0 0,1 0,1 1,0 0)) and", "nothing may follow", 28],
  ["POLYGON((0 0,1e999 0,1 1,0 0))", "a longitude beyond ±360", 14],
  ["POLYGON((NaN 0,1 0,1 1,0 0))", "a number expected", 10],
  ["多边形((0 0))", "neither POLYGON nor MULTIPOLYGON", 1],
])("%s is refused with the reason and the character", async (polygon, reason, character) => {
  const answer = await client.get(`${path}?${new URLSearchParams({ polygon })}`);
  const { details } = expectRefusal(answer, "VALIDATION_ERROR");
  const [fault] = details ?? [];
  expect(fault?.field).toBe("polygon");
  expect(fault?.message).toContain(reason);
  expect(fault?.message).toContain(`at character ${character}`);
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
  const { body: first } = await client.get<Filtered>(`${path}?${query}`);
  query.set("cursor", first.nextCursor ?? "");
  const { status, body: second } = await client.get<Filtered>(`${path}?${query}`);
  expect(status).toBe(200);
  const ids = [...first.events, ...second.events].map((event) => event.source_id);
  expect(ids).toEqual(inside);
});

test("501 vertices are refused", async () => {
  const answer = await client.get(`${path}?${new URLSearchParams({ polygon: largePolygon(501) })}`);
  const { details } = expectRefusal(answer, "VALIDATION_ERROR");
  expect(details?.[0]?.message).toContain("more than 500 vertices");
});
