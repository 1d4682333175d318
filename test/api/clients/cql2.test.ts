import { describe, expect, test } from "vitest";
import {
  type Geometry,
  type Literal,
  RELATIONS,
  type Temporal,
  type Tree,
} from "../../support/cql2/tree.ts";
import { ALL, compare, filterScene } from "./ogc-filter-scene.ts";

const scene = filterScene();

/** The abstract tests of OGC 21-065r2, Annex A, in both encodings. */
describe("CQL2: basic-cql2", () => {
  test("/conf/basic-cql2/basic-test: each queryable has a type", () => {
    expect(scene.scalars().length).toBeGreaterThan(0);
    for (const [name, { type, format }] of Object.entries(scene.queryables())) {
      expect([name, type ?? format]).toEqual([name, expect.any(String)]);
    }
  });

  test("/conf/basic-cql2/comparison: opposites have no item in common", async () => {
    for (const { name, literal } of scene.scalars()) {
      for (const [operator, opposite] of [
        ["=", "<>"],
        [">", "<="],
        ["<", ">="],
      ] as const) {
        const some = await scene.selected(compare(name, operator, literal));
        const others = await scene.selected(compare(name, opposite, literal));
        expect([name, operator, some.filter((each) => others.includes(each))]).toEqual([
          name,
          operator,
          [],
        ]);
      }
    }
  });

  test("/conf/basic-cql2/is-null: null and not null part the items", async () => {
    for (const property of Object.keys(scene.queryables())) {
      const none = await scene.selected({ kind: "null", property, isNot: false });
      const known = await scene.selected({ kind: "null", property, isNot: true });
      expect([property, [...none, ...known].toSorted()]).toEqual([property, ALL]);
    }
  });

  test("/conf/basic-cql2/boolean: true is everything, false nothing", async () => {
    expect(await scene.selected({ kind: "constant", is: true })).toEqual(ALL);
    expect(await scene.selected({ kind: "constant", is: false })).toEqual([]);
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

  test("/conf/basic-cql2/logical: null satisfies neither a condition nor its negation", async () => {
    const [p1, p2] = [compare("magnitude", ">", 4), compare("depth", "<", 100)];
    const [p3, p4] = [compare("region", "=", "bern"), compare("depth", ">", 100)];
    const not = (of: Tree): Tree => ({ kind: "not", of });
    const and = (...of: Tree[]): Tree => ({ kind: "and", of });
    const or = (...of: Tree[]): Tree => ({ kind: "or", of });
    expect(await scene.selected(not(p1))).toEqual(["a", "c"]);
    expect(await scene.selected(or(p1, not(p1)))).toEqual(["a", "b", "c", "e"]);
    expect(await scene.selected(not(and(p1, p2)))).toEqual(["a", "c", "d"]);
    expect(await scene.selected(or(and(not(p2), p1), and(p3, p4), not(or(p1, p4))))).toEqual(["a"]);
  });
});

describe("CQL2: advanced-comparison-operators", () => {
  test("/conf/advanced-comparison-operators/like: patterns of every text", async () => {
    const texts = scene.scalars().filter(({ literal }) => typeof literal === "string");
    for (const { name } of texts) {
      const like = (pattern: string) =>
        scene.selected({ kind: "like", property: name, pattern, isNot: false });
      const [any, some, none] = [await like("%"), await like("_%"), await like("")];
      expect([name, some.filter((each) => none.includes(each))]).toEqual([name, []]);
      expect([name, await like("%%")]).toEqual([name, any]);
    }
    const like = (pattern: string, isNot = false) =>
      scene.selected({ kind: "like", property: "region", pattern, isNot });
    expect(await like("\\%\\_")).toEqual(["d"]);
    expect(await like("B_r%")).toEqual(["a", "b"]);
    expect(await like("B_r%", true)).toEqual(["c", "d"]);
  });

  test("/conf/advanced-comparison-operators/between, in: numbers, texts and times", async () => {
    const between = (property: string, low: Literal, high: Literal, isNot = false) =>
      scene.selected({ kind: "between", property, low, high, isNot });
    const oneOf = (property: string, list: Literal[], isNot = false) =>
      scene.selected({ kind: "in", property, list, isNot });
    expect(await between("depth", 0, 100)).toEqual(["a", "b"]);
    expect(await between("depth", 0, 100, true)).toEqual(["d"]);
    expect(await between("depth", 100, 1)).toEqual([]);
    expect(await between("time", { date: "2022-04-16" }, { date: "2022-12-31" })).toEqual([
      "b",
      "c",
      "d",
    ]);
    expect(await oneOf("used_phase_count", [1, 2, 3])).toEqual(["a"]);
    expect(await oneOf("region", ["bern", "Barcelona"])).toEqual(["b", "c"]);
    expect(await oneOf("region", ["bern", "Barcelona"], true)).toEqual(["a", "d"]);
    expect(await oneOf("time", ["2022-04-16T10:13:19Z", "2023-01-01"])).toEqual(["b", "e"]);
    expect(await oneOf("time", [{ date: "2022-12-31" }], true)).toEqual(["a", "b", "c", "e"]);
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
      await told(relation, ["time", ".."], ["2021-01-01", "2021-12-31"]);
      await told(relation, ["..", ".."], ["..", "time"]);
    }
  });
});

test("CQL2: cql2-text: escapes in a text are what they stand for", async () => {
  expect(await scene.idsFor({ filter: "author = 'it''s \\\\ me'" })).toEqual(["c"]);
  expect(await scene.idsFor({ filter: "author = 'it\\'s \\\\ me'" })).toEqual(["c"]);
});
