import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { CQL2_LIMITS } from "#contracts/cql2/predicates.ts";
import type { Collection, Link } from "#contracts/http/clients.ts";
import { createCatalogue } from "../../support/api/catalogue.ts";
import { expectRefusal } from "../../support/api/refusal.ts";
import { type ApiClient, createApiClient } from "../../support/api-client.ts";
import {
  anyTree,
  type Comparison,
  type Geometry,
  type Item,
  jsonOf,
  type Literal,
  RELATIONS,
  type Temporal,
  TIMES,
  type Tree,
  tasteOf,
  textOf,
  truthOf,
  VALUES,
} from "../../support/cql2.ts";
import { runs } from "../../support/runs.ts";
import { sharedService } from "../../support/service.ts";

const service = sharedService();

type Queryable = {
  readonly type?: string;
  readonly format?: string;
  readonly enum?: string[];
};
type Features = {
  readonly features: readonly { readonly properties: { readonly source_id: string } }[];
  readonly numberMatched?: number;
  readonly links: readonly Link[];
};
type Query = Readonly<Record<string, string>>;

/** Five earthquakes with what the abstract tests ask for. */
const EVENTS = [
  {
    ...{ source_id: "a", time: "2021-04-16T10:13:19Z", latitude: 49.92, longitude: 7.02 },
    ...{ depth: 3.14, magnitude: 1, event_type: "earthquake", region: "Bern", used_phase_count: 1 },
  },
  {
    ...{ source_id: "b", time: "2022-04-16T10:13:19Z", latitude: 45, longitude: 5, depth: 10 },
    ...{ magnitude: 4.5, event_type: "explosion", region: "Barcelona", agency_id: "foo" },
  },
  {
    ...{ source_id: "c", time: "2022-04-24T07:59:57Z", latitude: -45, longitude: -170 },
    ...{ magnitude: -0.5, region: "bern", author: "it's \\ me" },
  },
  {
    ...{ source_id: "d", time: "2022-12-31T23:59:59.5Z", latitude: 5, longitude: 10, depth: 600 },
    ...{ magnitude: null, region: "%_", magnitude_type: "Mw" },
  },
  { source_id: "e", time: "2023-01-01T00:00:00Z", latitude: -45, longitude: -110, magnitude: 7 },
];
const ALL = ["a", "b", "c", "d", "e"];

/** A public catalogue of events, by default those above, and what filters select of it. */
function filterScene(events: readonly unknown[] = EVENTS) {
  let guest: ApiClient;
  let id = "";
  let queryables: Readonly<Record<string, Queryable>> = {};
  let turns = 0;

  beforeAll(async () => {
    guest = createApiClient(service.url);
    const editor = await service.loginAs("editor");
    ({ id } = await createCatalogue(editor, { events, is_public: true }));
    const { body } = await guest.get<{ properties: Record<string, Queryable> }>(
      `/api/ogc/collections/${id}/queryables`,
    );
    queryables = body.properties;
  });

  const itemsPath = (query: Query) =>
    `/api/ogc/collections/${id}/items?${new URLSearchParams(query)}`;

  async function idsFor(query: Query): Promise<string[]> {
    const { status, body, headers } = await guest.get<Features>(itemsPath(query));
    expect([query, status], JSON.stringify(body)).toEqual([query, 200]);
    expect(headers.get("content-type")).toMatch(/^application\/geo\+json/);
    expect(body.numberMatched).toBe(body.features.length);
    return body.features.map(({ properties }) => properties.source_id).sort();
  }

  const inJson = (tree: Tree): Query => ({
    filter: JSON.stringify(jsonOf(tree)),
    "filter-lang": "cql2-json",
  });

  return {
    get: <T>(path: string, headers?: Record<string, string>) => guest.get<T>(path, headers),
    collection: () => `/api/ogc/collections/${id}`,
    queryables: () => queryables,
    itemsPath,
    idsFor,
    /** Who satisfies a filter, in both encodings alike. */
    async selected(tree: Tree, taste = () => true): Promise<string[]> {
      const found = await idsFor({ filter: textOf(tree, taste) });
      expect(await idsFor(inJson(tree))).toEqual(found);
      return found;
    },
    /** The same in each encoding in turn, for what goes over all queryables. */
    inTurn(tree: Tree): Promise<string[]> {
      turns += 1;
      return idsFor(turns % 2 === 0 ? inJson(tree) : { filter: textOf(tree, () => true) });
    },
    async refused(query: Query): Promise<void> {
      expectRefusal(await guest.get(itemsPath(query)), "VALIDATION_ERROR");
    },
    /** Queryables that are one value, with the literals of /conf/basic-cql2/comparison. */
    scalars: () =>
      Object.entries(queryables).flatMap(([name, queryable]) => {
        const literal = literalFor(queryable);
        return literal === null ? [] : [{ name, literal }];
      }),
  };
}

const compare = (property: string, operator: Comparison, literal: Literal): Tree => ({
  ...{ kind: "compare", property, operator, literal, isTurned: false },
});

function literalFor({ type, format, enum: values }: Queryable): Literal | null {
  if (format === "date-time") return { timestamp: "2022-04-14T14:48:46Z" };
  if (type === "string") return values?.[0] ?? "foo";
  if (type === "integer") return 1;
  return type === "number" ? 3.14 : null;
}

const scene = filterScene();

/** The abstract tests of OGC 19-079r2, Annex A. */
describe("OGC API – Features, Part 3", () => {
  test("/conf/queryables: a collection leads to the schema of its queryables", async () => {
    const { body } = await scene.get<Collection>(scene.collection());
    const rel = "http://www.opengis.net/def/rel/ogc/1.0/queryables";
    const link = body.links.find((each) => each.rel === rel);
    const path = `${scene.collection()}/queryables`;
    expect(new URL(link?.href ?? "").pathname).toBe(path);
    const accept = { accept: "application/schema+json" };
    const answer = await scene.get<Record<string, unknown>>(`${path}?asOf=1`, accept);
    expect(answer.headers.get("content-type")).toMatch(/^application\/schema\+json/);
    expect(answer.body).toMatchObject({
      $schema: "https://json-schema.org/draft/2020-12/schema",
      $id: (link?.href ?? "").split("?")[0],
      type: "object",
      additionalProperties: false,
    });
    expect(scene.queryables()["geometry"]).toMatchObject({
      format: "geometry-point",
      "x-ogc-role": "primary-geometry",
    });
    expect(Object.keys(scene.queryables()["geometry"] ?? {})).not.toContain("type");
    expect(scene.queryables()["time"]).toMatchObject({ type: "string", format: "date-time" });
  });

  test("/conf/queryables: every property of the items that is one value is a queryable", async () => {
    const { body } = await scene.get<{ features: { properties: object }[] }>(scene.itemsPath({}));
    const properties = Object.keys(body.features[0]?.properties ?? {});
    const structured = ["focal_mechanisms", "extra"];
    expect(Object.keys(scene.queryables()).toSorted()).toEqual(
      ["geometry", ...properties.filter((name) => !structured.includes(name))].toSorted(),
    );
  });

  test("/conf/queryables-query-parameters: every queryable of one value is a parameter", async () => {
    for (const { name, literal } of scene.scalars()) {
      const value = typeof literal === "object" ? "2022-04-24T07:59:57Z" : literal;
      const expected = await scene.selected(
        compare(name, "=", typeof literal === "object" ? { timestamp: String(value) } : literal),
      );
      expect([name, await scene.idsFor({ [name]: String(value) })]).toEqual([name, expected]);
    }
    expect(await scene.idsFor({ magnitude: "4.5", region: "Barcelona" })).toEqual(["b"]);
    expect(await scene.idsFor({ author: "it's \\ me" })).toEqual(["c"]);
    await scene.refused({ magnitude: "large" });
    await scene.refused({ event_type: "picnic" });
    await scene.refused({ time: "noon" });
  });

  test("an empty filter is none", async () => {
    const all = await scene.idsFor({});
    for (const lang of ["cql2-text", "cql2-json"]) {
      expect(await scene.idsFor({ "filter-lang": lang, filter: "" })).toEqual(all);
      expect(await scene.idsFor({ "filter-lang": lang, filter: " " })).toEqual(all);
    }
  });

  test("/conf/filter/filter-param, filter-lang-default, expression-construction: unknown queryables are refused", async () => {
    for (const lang of [{}, { "filter-lang": "cql2-text" }, { "filter-lang": "cql-text" }]) {
      expect(await scene.idsFor({ ...lang, filter: "depth IS NULL" })).toEqual(["c", "e"]);
      await scene.refused({ ...lang, filter: "THIS IS NOT A FILTER" });
    }
    await scene.refused({ filter: "depth IS NULL", "filter-lang": "cql2-xml" });
    await scene.refused({ filter: "this_is_not_a_queryable IS NULL" });
    const filter = "depth = 1 AND magnitude >";
    const { body } = await scene.get<object>(scene.itemsPath({ filter }));
    expect(JSON.stringify(body)).toMatch(/filter.*is expected, not the end \(character 26\)/);
  });

  test("/conf/filter/filter-crs-*: geometries are in WGS 84, and in what the collection names", async () => {
    const { body } = await scene.get<Collection>(scene.collection());
    const bbox = (body.extent?.spatial?.bbox[0] ?? []).join(",");
    const filter = `S_INTERSECTS(geometry,BBOX(${bbox}))`;
    expect(await scene.idsFor({ filter })).toEqual(ALL);
    for (const crs of body.crs) {
      expect([crs, await scene.idsFor({ filter, "filter-crs": crs })]).toEqual([crs, ALL]);
    }
    const unknown = "http://www.opengis.net/def/crs/OGC/0/does_not_exist";
    await scene.refused({ filter, "filter-crs": unknown });
    await scene.refused({ filter: "S_INTERSECTS(geometry,BBOX(1000000,1000000,2000000,2000000))" });
  });

  test("/conf/filter/mixing-expression: a filter and other parameters hold together", async () => {
    const filter = "S_INTERSECTS(geometry,BBOX(-180,-90,180,90))";
    expect(await scene.idsFor({ filter, bbox: "0,40,10,50" })).toEqual(["a", "b"]);
    expect(await scene.idsFor({ filter, bbox: "50,-10,60,0" })).toEqual([]);
    expect(await scene.idsFor({ filter, datetime: "2022-04-16T10:13:19Z" })).toEqual(["b"]);
    expect(await scene.idsFor({ filter, event_type: "explosion" })).toEqual(["b"]);
  });

  test("a walk keeps its filter; a filter that differs from the cursor's is refused", async () => {
    const filter = "magnitude IS NOT NULL AND region <> 'it''s'";
    const seen: string[] = [];
    let path = scene.itemsPath({ filter, limit: "1" });
    let repeated = "";
    while (path !== "") {
      const { body }: { body: Features } = await scene.get<Features>(path);
      seen.push(...body.features.map(({ properties }) => properties.source_id));
      const next = new URL(body.links.find(({ rel }) => rel === "next")?.href ?? "http://nowhere");
      path = next.search === "" ? "" : next.pathname + next.search;
      repeated ||= next.searchParams.get("cursor") ?? "";
    }
    expect(seen).toEqual(["c", "b", "a"]);
    expect(
      (await scene.get(scene.itemsPath({ cursor: repeated, filter, limit: "1" }))).status,
    ).toBe(200);
    const other = scene.itemsPath({ cursor: repeated, filter: "magnitude > 1" });
    expectRefusal(await scene.get(other), "INVALID_CURSOR");
  });
});

test("the conformance classes are those that have tests, here and in ogc-features.test.ts", async () => {
  const { body } = await scene.get<{ conformsTo: string[] }>("/api/ogc/conformance");
  expect(body.conformsTo.map((uri) => uri.replace("http://www.opengis.net/spec/", ""))).toEqual([
    ...["core", "geojson", "oas30"].map((name) => `ogcapi-features-1/1.0/conf/${name}`),
    ...["queryables", "queryables-query-parameters", "filter", "features-filter"].map(
      (name) => `ogcapi-features-3/1.0/conf/${name}`,
    ),
    ...["cql2-text", "cql2-json", "basic-cql2", "advanced-comparison-operators"].map(
      (name) => `cql2/1.0/conf/${name}`,
    ),
    ...["basic-spatial-functions", "basic-spatial-functions-plus", "temporal-functions"].map(
      (name) => `cql2/1.0/conf/${name}`,
    ),
  ]);
});

/** The abstract tests of OGC 21-065r2, Annex A, in both encodings. */
describe("CQL2: basic-cql2", () => {
  test("/conf/basic-cql2/basic-test: each queryable has a type", () => {
    expect(scene.scalars().length).toBeGreaterThan(0);
    for (const [name, { type, format }] of Object.entries(scene.queryables())) {
      expect([name, type ?? format]).toEqual([name, expect.any(String)]);
    }
  });

  test("/conf/basic-cql2/comparison: opposites have no item in common", async () => {
    const OPPOSITES = [
      ["=", "<>"],
      [">", "<="],
      ["<", ">="],
    ] as const;
    // Of each queryable one pair in its turn: any filter has all of all.
    for (const [i, { name, literal }] of scene.scalars().entries()) {
      const [operator, opposite] = OPPOSITES[i % 3] ?? OPPOSITES[0];
      const some = await scene.inTurn(compare(name, operator, literal));
      const others = await scene.inTurn(compare(name, opposite, literal));
      const both = some.filter((each) => others.includes(each));
      expect([name, operator, both]).toEqual([name, operator, []]);
    }
  });

  test("/conf/basic-cql2/is-null: null and not null part the items", async () => {
    for (const property of Object.keys(scene.queryables())) {
      const none = await scene.inTurn({ kind: "null", property, isNot: false });
      const known = await scene.inTurn({ kind: "null", property, isNot: true });
      expect([property, [...none, ...known].toSorted()]).toEqual([property, ALL]);
    }
  });

  test("/conf/basic-cql2/test-data", async () => {
    const rows: readonly (readonly [Tree, string])[] = [
      [compare("region", "=", "Bern"), "a"],
      [compare("region", ">=", "Bern"), "ac"],
      [compare("region", "<", "Bern"), "bd"],
      [compare("region", "<>", "Bern"), "bcd"],
      [compare("magnitude", ">", 4.5), "e"],
      [compare("magnitude", "<=", 4.5), "abc"],
      [compare("time", "=", { timestamp: "2022-04-16T10:13:19Z" }), "b"],
      [compare("time", "<=", { timestamp: "2022-04-16T10:13:19Z" }), "ab"],
      [compare("time", "<>", { date: "2022-12-31" }), "abce"],
      [compare("time", ">", { date: "2022-12-31" }), "e"],
      [compare("event_type", "=", "Explosion"), ""],
    ];
    for (const [tree, expected] of rows) {
      expect(await scene.selected(tree), JSON.stringify(tree)).toEqual([...expected]);
    }
  });
});

describe("CQL2: advanced-comparison-operators", () => {
  test("/conf/advanced-comparison-operators/like, between, in: patterns, numbers, texts and times", async () => {
    const like = (pattern: string, isNot = false, property = "region"): Tree => ({
      ...{ kind: "like", property, pattern, isNot },
    });
    const between = (property: string, low: Literal, high: Literal, isNot = false): Tree => ({
      ...{ kind: "between", property, low, high, isNot },
    });
    const oneOf = (property: string, list: Literal[], isNot = false): Tree => ({
      ...{ kind: "in", property, list, isNot },
    });
    for (const { name } of scene.scalars().filter((one) => typeof one.literal === "string")) {
      const found = async (pattern: string) => scene.inTurn(like(pattern, false, name));
      const [any, some, none] = [await found("%"), await found("_%"), await found("")];
      expect([name, some.filter((each) => none.includes(each))]).toEqual([name, []]);
      expect([name, await found("%%")]).toEqual([name, any]);
    }
    const rows: readonly (readonly [Tree, string])[] = [
      [like("\\%\\_"), "d"],
      [like("B_r%"), "ab"],
      [like("B_r%", true), "cd"],
      [between("depth", 0, 100), "ab"],
      [between("depth", 0, 100, true), "d"],
      [between("depth", 100, 1), ""],
      [between("time", { date: "2022-04-16" }, { date: "2022-12-31" }), "bcd"],
      [oneOf("used_phase_count", [1, 2, 3]), "a"],
      [oneOf("region", ["bern", "Barcelona"]), "bc"],
      [oneOf("region", ["bern", "Barcelona"], true), "ad"],
      [oneOf("time", ["2022-04-16T10:13:19Z", "2023-01-01"]), "be"],
      [oneOf("time", [{ date: "2022-12-31" }], true), "abce"],
    ];
    for (const [tree, expected] of rows) {
      expect(await scene.selected(tree), JSON.stringify(tree)).toEqual([...expected]);
    }
  });
});

const within = (area: Geometry | { readonly bbox: readonly number[] }) =>
  scene.selected({ kind: "spatial", area, isTurned: false });

describe("CQL2: basic-spatial-functions, and -plus", () => {
  /** The corners of a box, from the south-west round and back. */
  const boxOf = (west: number, south: number, east: number, north: number) =>
    [
      [west, south],
      [east, south],
      [east, north],
      [west, north],
      [west, south],
    ] as const;
  const ring = boxOf(-180, -90, -90, 90);
  const hole = boxOf(-120, -50, -100, -40);
  const square = boxOf(0, 0, 10, 10);

  test("s_intersects", async () => {
    const point = { type: "Point", coordinates: [7.02, 49.92] } as const;
    const south = [
      [-180, -45],
      [0, -45],
    ] as const;
    const north = south.map(([x, y]) => [x + 180, -y] as const);
    const rows: readonly (readonly [{ readonly bbox: readonly number[] } | Geometry, string])[] = [
      [{ bbox: [-180, -90, 180, 90] }, "abcde"],
      [{ bbox: [0, 40, 10, 50] }, "ab"],
      [{ bbox: [150, -90, -150, 90] }, "c"],
      [{ bbox: [0, 0, -20_000, 10, 50, 0] }, "ab"],
      [point, "a"],
      [{ type: "MultiPoint", coordinates: [point.coordinates, [10, 5]] }, "ad"],
      [{ type: "LineString", coordinates: south }, "ce"],
      [{ type: "MultiLineString", coordinates: [south, north] }, "bce"],
      [{ type: "Polygon", coordinates: [ring, hole] }, "c"],
      [{ type: "MultiPolygon", coordinates: [[ring, hole], [square]] }, "cd"],
      [
        {
          type: "GeometryCollection",
          geometries: [point, { type: "Polygon", coordinates: [square] }],
        },
        "ad",
      ],
    ];
    for (const [area, expected] of rows) {
      expect(await within(area), JSON.stringify(area)).toEqual([...expected]);
    }
    for (const literal of ["POINT(90 180)", "MULTIPOINT(7.02 49.92, 90 180)"]) {
      await scene.refused({ filter: `S_INTERSECTS(geometry,${literal})` });
    }
  });
});

describe("CQL2: temporal-functions", () => {
  const YEAR: Temporal = ["2022-01-01T00:00:00Z", "2022-12-31T23:59:59.5Z"];
  const INSTANT = { timestamp: "2022-04-24T07:59:57Z" };
  const told = (relation: string, ...operands: [Temporal, Temporal]) =>
    scene.selected({ kind: "temporal", relation, operands });

  test("of the time of an item, and of intervals of properties, dates and open ends", async () => {
    const rows: readonly (readonly [relation: string, other: Temporal, expected: string])[] = [
      ["t_after", INSTANT, "de"],
      ["t_after", YEAR, "e"],
      ["t_before", INSTANT, "ab"],
      ["t_before", YEAR, "a"],
      ["t_disjoint", INSTANT, "abde"],
      ["t_disjoint", YEAR, "ae"],
      ["t_equals", INSTANT, "c"],
      ["t_equals", YEAR, ""],
      ["t_intersects", INSTANT, "c"],
      ["t_intersects", YEAR, "bcd"],
      ["t_intersects", ["2022-04-16", "2022-12-31"], "bcd"],
      ["t_intersects", ["..", "2022-04-16"], "ab"],
      ["t_during", YEAR, "bc"],
      ["t_during", ["2022-04-24T07:59:57Z", ".."], "de"],
      ["t_finishes", YEAR, "d"],
      ["t_contains", YEAR, ""],
    ];
    for (const [relation, other, expected] of rows) {
      expect(await told(relation, "time", other), `${relation} ${other}`).toEqual([...expected]);
    }
    for (const relation of RELATIONS) {
      const operands = ["time", ".."] as const;
      await scene.inTurn({
        ...{ kind: "temporal", relation },
        operands: [operands, ["2021-01-01", "2021-12-31"]],
      });
      await scene.inTurn({
        ...{ kind: "temporal", relation },
        operands: [["..", ".."], operands.toReversed() as [string, string]],
      });
    }
  });
});

test("CQL2: cql2-text: escapes in a text are what they stand for", async () => {
  expect(await scene.idsFor({ filter: "author = 'it''s \\\\ me'" })).toEqual(["c"]);
  expect(await scene.idsFor({ filter: "author = 'it\\'s \\\\ me'" })).toEqual(["c"]);
});

describe("CQL2: any filter", () => {
  /** Of each attribute every value and null; places on the corners, edges and insides of the trees' squares. */
  const ITEMS: readonly (Item & { readonly source_id: string })[] = Array.from(
    { length: 60 },
    (_, i) => {
      const at = <T>(values: readonly T[], step: number): T | null =>
        [...values, null][(i * step + Math.floor(i / 7)) % (values.length + 1)] ?? null;
      const { magnitude, depth, used_station_count, region, event_type, magnitude_type } = VALUES;
      return {
        source_id: `i${String(i).padStart(2, "0")}`,
        time: TIMES[i % TIMES.length] ?? "",
        longitude: ((i * 7) % 25) * 5 - 60,
        latitude: ((i * 11) % 21) * 5 - 50,
        magnitude: at(magnitude, 1),
        depth: at(depth, 2),
        used_station_count: at(used_station_count, 3),
        region: at(region, 5),
        event_type: at(event_type, 1),
        magnitude_type: at(magnitude_type, 3),
      };
    },
  );

  const whole = filterScene(ITEMS);

  test("the items of a filter are those of which the truth tables say that it is true", async () => {
    const choices = fc.array(fc.boolean(), { minLength: 1, maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(anyTree, choices, async (tree, drawn) => {
        const written = [textOf(tree, tasteOf(drawn)), JSON.stringify(jsonOf(tree))];
        fc.pre(written.every(({ length }) => length < CQL2_LIMITS.characters / 2));
        const expected = ITEMS.filter((item) => truthOf(tree, item) === true);
        expect(await whole.selected(tree, tasteOf(drawn))).toEqual(
          expected.map(({ source_id }) => source_id),
        );
      }),
      { numRuns: runs(1000, 1 / 20) },
    );
  });
});
