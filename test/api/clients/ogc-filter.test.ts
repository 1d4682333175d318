import { describe, expect, test } from "vitest";
import type { Collection } from "#contracts/http/clients/ogc-features.ts";
import { expectRefusal } from "../support/refusal.ts";
import { ALL, compare, type Features, filterScene } from "./ogc-filter-scene.ts";

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

test("the conformance classes are those that have tests, here, in cql2.test.ts and in ogc-features.test.ts", async () => {
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
