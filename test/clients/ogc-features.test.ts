import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { beforeAll, describe, expect, test } from "vitest";
import { createCatalogue } from "../support/api/catalogue.ts";
import { type ApiClient, createApiClient } from "../support/api-client.ts";
import { hasOgr } from "../support/clients/python.ts";
import { generateEvents } from "../support/generate-catalogue.ts";
import { useReachableService } from "../support/reachable-service.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";
import { awkwardEvents, type ClientEvent } from "./support/events.ts";

const run = promisify(execFile);
/** More than two pages. */
const MANY = 25_000;
/** As many Features as GDAL reads to guess types: their attributes are all unknown. */
const BARE = 12;

const service = await useReachableService();
const EVENTS = awkwardEvents(20);
let guest: ApiClient;
let small = "";
let bare = "";
let large = "";

beforeAll(async () => {
  guest = createApiClient(service.url);
  const editor = await service.loginAs("editor");
  const open = { is_public: true };
  ({ id: small } = await createCatalogue(editor, { ...open, name: "Small", events: EVENTS }));
  // The newest come first.
  const bareEvents = Array.from({ length: BARE }, (_, i) => ({
    time: `2030-01-${String(i + 1).padStart(2, "0")}T00:00:00Z`,
    latitude: 0,
    longitude: i,
  }));
  const full = {
    ...{ time: "2000-01-01T00:00:00.123Z", latitude: 1, longitude: 2, depth: 3, magnitude: 4.5 },
    ...{ used_station_count: 12, azimuthal_gap: 100.5, region: "Somewhere" },
  };
  const events = [...bareEvents, full];
  ({ id: bare } = await createCatalogue(editor, { ...open, name: "Bare", events }));
  const many = [...generateEvents(5, MANY)];
  ({ id: large } = await createCatalogue(editor, { ...open, name: "Large", events: many }));
});

describe.skipIf(!hasOgr)("GDAL's OAPIF driver", () => {
  const source = () => `OAPIF:${service.url}/api/ogc`;
  const ogrinfo = async (...args: string[]): Promise<string> =>
    (await run("ogrinfo", ["-ro", ...args])).stdout;

  /** Features as the driver gives them, by ogr2ogr. */
  async function features(layer: string, ...args: string[]): Promise<{ source_id: string }[]> {
    const out = ["-f", "GeoJSON", "/vsistdout/", source(), layer, ...args];
    const { stdout } = await run("ogr2ogr", out, { maxBuffer: 2 ** 26 });
    const { features: found } = JSON.parse(stdout) as {
      features: { properties: { source_id: string } }[];
    };
    return found.map(({ properties }) => properties);
  }
  const idsOf = (found: readonly { source_id: string }[]) =>
    found.map(({ source_id }) => source_id).toSorted();

  test("lists every public catalogue as a layer", async () => {
    const text = await ogrinfo(source());
    for (const id of [small, bare, large]) expect(text).toContain(id);
    expect(text).toContain("(title: Small)");
  });

  test("reads all Features of a catalogue, and a version of it", async () => {
    expect(idsOf(await features(small))).toEqual(idsOf(EVENTS));
    const { stdout } = await run("ogrinfo", ["-ro", "-so", `${source()}?asOf=1`, small]);
    expect(stdout).toContain(`Feature Count: ${EVENTS.length}`);
  });

  test("selects by a box, by time and by id", async () => {
    const box = await features(small, "-spat", "165", "-50", "180", "0");
    const inBox = EVENTS.filter(
      ({ latitude, longitude }) => longitude >= 165 && latitude >= -50 && latitude <= 0,
    );
    expect(idsOf(box)).toEqual(idsOf(inBox));
    const since = await features(small, "-where", "time >= '2016/01/01 00:00:00'");
    expect(idsOf(since)).toEqual(idsOf(EVENTS.filter(({ time }) => time >= "2016")));
    const { body } = await guest.get<{ events: { id: string; source_id: string }[] }>(
      `/api/catalogues/${small}/events`,
    );
    const one = body.events.find(({ source_id }) => source_id === "ev3");
    expect(idsOf(await features(small, "-where", `id = '${one?.id}'`))).toEqual(["ev3"]);
    const blasts = await features(small, "-where", "event_type = 'quarry blast'");
    expect(idsOf(blasts)).toEqual(
      idsOf(EVENTS.filter(({ event_type }) => event_type === "quarry blast")),
    );
  });

  test.each<[where: string, isMeant: (event: ClientEvent) => boolean]>([
    ["magnitude >= 5 AND depth < 100", (e) => (e.magnitude ?? 0) >= 5 && (e.depth ?? 999) < 100],
    ["NOT (magnitude > 5)", ({ magnitude }) => magnitude !== null && magnitude <= 5],
    [
      "magnitude IS NULL OR depth = -1.5",
      ({ magnitude, depth }) => magnitude === null || depth === -1.5,
    ],
    ["depth BETWEEN 10 AND 33", ({ depth }) => depth !== null && depth >= 10 && depth <= 33],
    ["region LIKE 'Māori & \"quoted\"%'", ({ region }) => region !== null],
    ["magnitude_type ILIKE 'mW%'", (e) => e.magnitude_type?.startsWith("Mw") ?? false],
    ["agency_id <> 'GFZ'", (e) => e.agency_id !== null && e.agency_id !== "GFZ"],
    [
      "time >= '2016/01/01 00:00:00' AND event_type = 'explosion'",
      (e) => e.time >= "2016" && e.event_type === "explosion",
    ],
  ])("has the service filter where %s", async (where, isMeant) => {
    const meant = EVENTS.filter(isMeant);
    expect(meant.length).toBeGreaterThan(0);
    expect(idsOf(await features(small, "-where", where))).toEqual(idsOf(meant));
    const args = ["-ro", "-q", source(), small, "-where", where, "--debug", "ON"];
    const { stderr } = await run("ogrinfo", args, { maxBuffer: 2 ** 26 });
    expect(stderr).not.toContain("client side");
    const [, asked = ""] = /Fetch\((\S*[?&]filter=\S*)\)/.exec(stderr) ?? [];
    expect(new URL(asked).searchParams.get("filter-lang")).toBe("cql-text");
    const { body } = await guest.get<Page>(asked);
    expect(body.numberMatched).toBe(meant.length);
  });

  test("knows the types of attributes though the first Features have none of their values", async () => {
    const text = await ogrinfo("-al", "-so", source(), bare);
    expect(text).toMatch(/^time: DateTime/m);
    for (const name of ["magnitude", "depth", "azimuthal_gap"]) {
      expect(text).toMatch(new RegExp(`^${name}: Real`, "m"));
    }
    expect(text).toMatch(/^used_station_count: Integer/m);
    expect(text).toMatch(/^region: String/m);
  });

  test(`writes ${MANY} Features into a GeoPackage`, async () => {
    const path = join(await temporaryDirectory(), "catalogue.gpkg");
    await run("ogr2ogr", ["-f", "GPKG", path, source(), large, "-nln", "catalogue"]);
    const sql = "SELECT COUNT(*) AS n, COUNT(DISTINCT source_id) AS ids FROM catalogue";
    const text = await ogrinfo("-sql", sql, path);
    expect(text).toMatch(new RegExp(`n \\(Integer\\w*\\) = ${MANY}$`, "m"));
    expect(text).toMatch(new RegExp(`ids \\(Integer\\w*\\) = ${MANY}$`, "m"));
  });
});

type Link = { readonly rel: string; readonly href: string; readonly type?: string };
type Linked = { readonly links: Link[] };
type Definition = {
  readonly openapi: string;
  readonly components: {
    readonly parameters: Record<string, { schema: { default: number; maximum: number } }>;
  };
};
type Page = Linked & {
  readonly numberMatched?: number;
  readonly numberReturned: number;
  readonly features: { readonly id: string }[];
};

test("QGIS' requests in its order read a catalogue whole", async () => {
  const json = "application/json";
  const hrefOf = ({ links }: Linked, rel: string, type: string) =>
    links.find((link) => link.rel === rel && (link.type ?? "").startsWith(type))?.href ?? "";
  const landing = await guest.get<Linked>("/api/ogc", { accept: json });
  const openApi = "application/vnd.oai.openapi+json;version=3.0";
  const definitionAt = hrefOf(landing.body, "service-desc", openApi);
  const collectionsAt = hrefOf(landing.body, "data", json);
  const definition = await guest.get<Definition>(definitionAt, { accept: `${openApi}, ${json}` });
  const parsed =
    typeof definition.body === "string"
      ? (JSON.parse(definition.body) as Definition)
      : definition.body;
  expect(parsed.openapi).toMatch(/^3\.0\./);
  const { default: usual, maximum } = parsed.components.parameters["limit"]?.schema ?? {};
  const pageSize = Math.min(Math.max(1000, usual ?? 0), maximum ?? 0);
  expect(pageSize).toBe(10_000);

  const collections = await guest.get<{ collections: { id: string }[] }>(collectionsAt);
  expect(collections.body.collections.map(({ id }) => id)).toContain(large);
  const collection = await guest.get<{ extent: { spatial: { bbox: number[][] } } }>(
    `/api/ogc/collections/${large}`,
  );
  expect(collection.body.extent.spatial.bbox[0]).toHaveLength(4);

  const items = `/api/ogc/collections/${large}/items`;
  const asked = { accept: "application/geo+json, application/json" };
  const pageOf = async (path: string): Promise<Page> => {
    const { status, headers, body } = await guest.get<Page | string>(path, asked);
    expect([path, status]).toEqual([path, 200]);
    expect(headers.get("content-type")).toMatch(/^application\/geo\+json/);
    return typeof body === "string" ? (JSON.parse(body) as Page) : body;
  };
  expect((await pageOf(`${items}?limit=10`)).features).toHaveLength(10);
  expect((await pageOf(`${items}?limit=1`)).numberMatched).toBe(MANY);
  const ids = new Set<string>();
  let next = `${items}?limit=${pageSize}`;
  let pages = 0;
  while (next !== "") {
    const page = await pageOf(next);
    for (const { id } of page.features) ids.add(id);
    next = hrefOf(page, "next", "application/geo+json");
    pages += 1;
  }
  expect([ids.size, pages]).toEqual([MANY, 3]);
  const view = await pageOf(`${items}?limit=${pageSize}&bbox=170,-45,175,-40`);
  expect(view.features.length).toBeGreaterThan(0);
  expect((await pageOf(`${items}?limit=99999`)).numberReturned).toBe(10_000);
  expect((await guest.get(`${items}?colour=red`, asked)).status).toBe(400);
});

test("QGIS' filters of a layer are read as it writes them", async () => {
  const { body } = await guest.get<{ conformsTo: string[] }>("/api/ogc/conformance");
  for (const name of [
    "cql2/1.0/conf/basic-cql2",
    "cql2/1.0/conf/cql2-text",
    "ogcapi-features-3/1.0/conf/filter",
    "ogcapi-features-3/1.0/conf/features-filter",
  ]) {
    expect(body.conformsTo).toContain(`http://www.opengis.net/spec/${name}`);
  }
  const asked = { accept: "application/schema+json" };
  const schema = await guest.get(`/api/ogc/collections/${small}/queryables`, asked);
  expect(schema.headers.get("content-type")).toMatch(/^application\/schema\+json/);
  // As qgsoapifcql2textexpressioncompiler.cpp writes them; a layer's filter and that of a view go together.
  const filters: readonly (readonly [string, (event: ClientEvent) => boolean])[] = [
    ["(magnitude >= 5)", ({ magnitude }) => (magnitude ?? 0) >= 5],
    [
      "((magnitude > ( - (1))) AND (depth IS NOT NULL))",
      (e) => e.magnitude !== null && e.depth !== null,
    ],
    [
      "(NOT (\"event_type\" = 'explosion'))",
      (e) => e.event_type !== null && e.event_type !== "explosion",
    ],
    ["depth BETWEEN 0 AND 33.5", ({ depth }) => depth !== null && depth >= 0 && depth <= 33.5],
    [
      "\"magnitude_type\" NOT IN ('Mw','ML')",
      ({ magnitude_type: type }) => !["Mw", "ML", null].includes(type),
    ],
    [
      "((time >= TIMESTAMP('2016-01-01T00:00:00.000Z'))) AND ((depth > 1))",
      (e) => e.time >= "2016" && (e.depth ?? 0) > 1,
    ],
    [
      "S_INTERSECTS(geometry,BBOX(165,-50,180,0))",
      (e) => e.longitude >= 165 && e.latitude >= -50 && e.latitude <= 0,
    ],
  ];
  for (const [filter, isMeant] of filters) {
    const query = new URLSearchParams({ limit: "1000", filter, "filter-lang": "cql2-text" });
    const answer = await guest.get<Page>(`/api/ogc/collections/${small}/items?${query}`);
    expect([filter, answer.status, answer.body.numberMatched]).toEqual([
      filter,
      200,
      EVENTS.filter(isMeant).length,
    ]);
  }
});
