import { beforeAll, expect, test, vi } from "vitest";
import type { Collection, Link } from "#contracts/http/clients.ts";
import { createCatalogue, seismicEvent } from "../../support/api/catalogue.ts";
import { expectRefusal } from "../../support/api/refusal.ts";
import { withClient } from "../../support/database-template.ts";
import { sharedService } from "../../support/service.ts";

const service = sharedService();
const editor = service.client("editor");
const guest = service.client("guest");
let id: string;

type Feature = {
  readonly id: string;
  readonly geometry: { readonly coordinates: readonly number[] };
  readonly properties: Readonly<Record<string, unknown>>;
  readonly links?: readonly Link[];
};
type Features = {
  readonly features: readonly Feature[];
  readonly links: readonly Link[];
  readonly numberMatched?: number;
  readonly numberReturned: number;
};

/** Six events a year apart, from the antimeridian eastwards; the last one is without a depth. */
const EVENTS = [0, 1, 2, 3, 4, 5].map((n) =>
  seismicEvent({
    source_id: `event ${n}`,
    time: `201${n}-01-01T00:00:00Z`,
    latitude: n * 10,
    longitude: [179, -179, -60, 0, 60, 120][n],
    depth: n === 5 ? null : n * 100,
    event_type: n === 3 ? "explosion" : "earthquake",
  }),
);

beforeAll(async () => {
  ({ id } = await createCatalogue(editor, { events: EVENTS, is_public: true }));
});

const items = (query = "") => guest.get<Features>(`/api/ogc/collections/${id}/items${query}`);

const idsOf = (features: readonly Feature[]) =>
  features.map(({ properties }) => Number(String(properties["source_id"]).split(" ")[1])).sort();

const linkTo = (links: readonly Link[], rel: string) => links.find((link) => link.rel === rel);

/** An address of the service's answers as one that the client takes. */
function pathOf(href: string): string {
  const { pathname, search } = new URL(href);
  return pathname + search;
}

test("the landing page leads to definition, conformance and collections", async () => {
  const { body } = await guest.get<{ links: Link[] }>("/api/ogc");
  for (const rel of ["self", "service-desc", "conformance", "data"]) {
    const link = linkTo(body.links, rel);
    expect([rel, link?.type]).toEqual([rel, expect.any(String)]);
    const answer = await guest.get(pathOf(link?.href ?? ""));
    expect([rel, answer.status]).toEqual([rel, 200]);
    expect(answer.headers.get("content-type")?.split(";")[0]).toBe(link?.type?.split(";")[0]);
  }
});

test("documents are revalidated by their tags, and open to scripts of every origin, without credentials", async () => {
  // The definition's path / below its server is the landing page.
  const slash = await guest.get("/api/ogc/");
  expect(slash).toMatchObject({ status: 200, body: (await guest.get("/api/ogc")).body as object });
  const collection = `/collections/${id}`;
  for (const path of [
    ...["", "/api", "/conformance", "/collections", collection, `${collection}/schema`],
  ]) {
    const { headers } = await guest.get(`/api/ogc${path}`, { origin: "https://example.org" });
    expect(headers.get("cache-control"), path).toBe("public, no-cache");
    expect(headers.get("access-control-allow-origin"), path).toBe("*");
    expect(headers.get("access-control-allow-credentials"), path).toBeNull();
    const tag = headers.get("etag") ?? "";
    expect((await guest.get(`/api/ogc${path}`, { "if-none-match": tag })).status, path).toBe(304);
  }
});

test("the definition is OpenAPI 3.0 and states the size of pages", async () => {
  const { body, headers } = await guest.get<string>("/api/ogc/api");
  const definition = typeof body === "string" ? JSON.parse(body) : body;
  expect(headers.get("content-type")).toMatch(
    /^application\/vnd\.oai\.openapi\+json; ?version=3\.0/,
  );
  expect(definition.openapi).toMatch(/^3\.0\./);
  expect(definition.components.parameters.limit.schema).toMatchObject({
    default: 10_000,
    maximum: 10_000,
  });
});

test("a public catalogue is a collection with its extent, a private one is none", async () => {
  const hidden = await createCatalogue(editor, { events: EVENTS });
  const { body } = await guest.get<{ collections: Collection[] }>("/api/ogc/collections");
  const ids = body.collections.map((collection) => collection.id);
  expect(ids).toContain(id);
  expect(ids).not.toContain(hidden.id);
  const own = await guest.get<Collection>(`/api/ogc/collections/${id}`);
  expect(own.body.extent).toMatchObject({
    spatial: { bbox: [[-60, 0, -179, 50]] },
    temporal: { interval: [["2010-01-01T00:00:00Z", "2015-01-01T00:00:00Z"]] },
  });
  for (const path of ["", "/items", "/schema", `/items/${hidden.id}`]) {
    expectRefusal(await guest.get(`/api/ogc/collections/${hidden.id}${path}`), "NOT_FOUND");
    expectRefusal(await editor.get(`/api/ogc/collections/${hidden.id}${path}`), "NOT_FOUND");
  }
});

test("features have heights in metres, two coordinates where the depth is unknown, and links to themselves", async () => {
  const { body } = await items();
  expect(body).toMatchObject({ type: "FeatureCollection", numberMatched: 6, numberReturned: 6 });
  const coordinates = body.features.map(({ geometry }) => geometry.coordinates);
  expect(coordinates).toContainEqual([-60, 20, -200_000]);
  expect(coordinates).toContainEqual([120, 50]);
  const [first] = body.features;
  const { body: one } = await guest.get<Feature>(`/api/ogc/collections/${id}/items/${first?.id}`);
  expect(one).toMatchObject({ ...first });
  expect(one.links?.map(({ rel }) => rel)).toEqual(["self", "collection"]);
  expectRefusal(await guest.get(`/api/ogc/collections/${id}/items/${id}`), "NOT_FOUND");
});

test("a box, a time and a type select events, and what is none of them is refused", async () => {
  for (const [query, expected] of [
    ["?bbox=170,-90,-170,90", [0, 1]],
    ["?bbox=-180,-90,180,15", [0, 1]],
    ["?bbox=-180,-90,-250000,180,90,-150000", [2]],
    ["?datetime=2012-01-01T00:00:00Z", [2]],
    ["?datetime=2012-01-01T00:00:00Z/2013-06-01T00:00:00Z", [2, 3]],
    ["?datetime=../2011-01-01T00:00:00Z", [0, 1]],
    ["?datetime=2014-01-01T00:00:00Z/..", [4, 5]],
    ["?datetime=2014-01-01T00:00:00Z/", [4, 5]],
    ["?event_type=explosion", [3]],
    ["?event_type=explosion&bbox=0,0,1,1", []],
  ] as const) {
    const { body } = await items(query);
    expect([query, idsOf(body.features)]).toEqual([query, expected]);
    expect(body.numberMatched).toBe(expected.length);
  }
  for (const query of [
    ...["bbox=1,2,3", "bbox=a,b,c,d", "bbox=0,50,1,40", "bbox=0,0,200,10", "bbox=0x1,0,2,2"],
    ...["bbox=,,,", "bbox=1e999,0,1,1", "bbox=1,2,3,4,5", "bbox=1,2,3,4&bbox=1,2,3,4"],
    ...["datetime=yesterday", "datetime=../..", "datetime=/", "datetime=a/b/c"],
    ...["datetime=2012-01-01T00:00:00Z/2011-01-01T00:00:00Z", "limit=0", "limit=x"],
    ...["limit=1&limit=2", "event_type=picnic", "filter=x", "asOf=x", "crs=EPSG:4326"],
    "__proto__=1",
  ]) {
    expectRefusal(await items(`?${query}`), "VALIDATION_ERROR");
  }
  for (const cursor of ["x", "%00"]) {
    expectRefusal(await items(`?cursor=${cursor}`), "INVALID_CURSOR");
  }
  const feeds = `/api/catalogues/${id}/feed/v1.0/summary`;
  for (const path of [
    ...["/api/ogc/collections/x", `/api/ogc/collections/${id}%2fitems`, `${feeds}/all_day`],
    ...[`${feeds}/all_day.geojson%00`, `${feeds}/ALL_DAY.geojson`, `${feeds}/..%2f..%2fevents`],
  ]) {
    expect((await guest.get(path)).status, path).toBe(404);
  }
  // A limit above the maximum is no error.
  expect((await items("?limit=99999")).body.numberReturned).toBe(6);
});

test("a walk by its links stays at the version at which it began", async () => {
  const { id: walked } = await createCatalogue(editor, { events: EVENTS, is_public: true });
  const seen: Feature[] = [];
  let path: string | null = `/api/ogc/collections/${walked}/items?limit=2`;
  while (path !== null) {
    const { body }: { body: Features } = await guest.get<Features>(path);
    seen.push(...body.features);
    await editor.send("POST", `/api/catalogues/${walked}/events`, { events: [seismicEvent()] });
    const next = linkTo(body.links, "next");
    path = next ? pathOf(next.href) : null;
  }
  expect(idsOf(seen)).toEqual([0, 1, 2, 3, 4, 5]);
  const { body } = await guest.get<Features>(`/api/ogc/collections/${walked}/items?asOf=1`);
  expect(body.numberMatched).toBe(6);
});

test("the count of matches is of the version whose features are told, whichever is the latest by then", async () => {
  const { id: written } = await createCatalogue(editor, { events: EVENTS, is_public: true });
  await editor.send("POST", `/api/catalogues/${written}/events`, { events: [seismicEvent()] });
  const { body } = await withClient(service.databaseUrl, async (database) => {
    const setLatest = (version: number) =>
      database.query("update read_model.catalogues set version = $1 where id = $2", [
        version,
        written,
      ]);
    await setLatest(1);
    await database.query("begin");
    await database.query("lock table read_model.seismic_events in access exclusive mode");
    await setLatest(2);
    const answer = guest.get<Features>(`/api/ogc/collections/${written}/items`);
    await vi.waitFor(async () => {
      const { rowCount } = await database.query(
        "select from pg_locks where not granted and relation = 'read_model.seismic_events'::regclass",
      );
      expect(rowCount).toBe(1);
    });
    await database.query("commit");
    return await answer;
  });
  expect(body).toMatchObject({ numberReturned: 6, numberMatched: 6 });
});
