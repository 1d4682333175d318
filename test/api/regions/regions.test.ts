import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import type { Duplicates } from "#contracts/http/events.ts";
import type { ListedRegion, Region } from "#contracts/http/regions.ts";
import type { SeismicEvent } from "#contracts/seismic-event/seismic-event.ts";
import { createCatalogue, seismicEvent } from "../../support/api/catalogue.ts";
import { expectRefusal } from "../../support/api/refusal.ts";
import {
  newRegion,
  redraw,
  SQUARE,
  saveRegion,
  squareOf,
  wktOf,
} from "../../support/api/regions.ts";
import { askForSchedule } from "../../support/api/schedules.ts";
import type { ApiAnswer } from "../../support/api-client.ts";
import { followEvents } from "../../support/feed-client.ts";
import { sharedService } from "../../support/service.ts";

const service = sharedService();
const editor = service.client("editor");
const viewer = service.client("viewer");

type List = { readonly regions: readonly ListedRegion[]; readonly nextCursor?: string };

const regionOf = async (id: string) =>
  (await viewer.get<{ region: Region }>(`/api/regions/${id}`)).body.region;

test("a region is what was saved, with its box and its vertices", async () => {
  const { status, headers, body } = await saveRegion(editor, {
    name: " Hikurangi margin ",
    note: "offshore",
    geometry: squareOf(178, -41, 182, -38),
  });
  expect(status).toBe(201);
  const { id } = body.region;
  expect(headers.get("location")).toBe(`/api/regions/${id}`);
  expect(body.region).toMatchObject({
    name: "Hikurangi margin",
    note: "offshore",
    geometry: squareOf(178, -41, 182, -38),
    bbox: [178, -41, -178, -38],
    vertices: 4,
  });
  const { created_by, updated_by, created_at, updated_at } = body.region;
  expect([updated_by, updated_at]).toEqual([created_by, created_at]);
  expect(await regionOf(id)).toEqual(body.region);
});

test("a region may be submitted as a Feature, and with heights, which are left out and told", async () => {
  const [ring = []] = squareOf(0, 0, 5, 5).coordinates;
  const high = { type: "Polygon", coordinates: [ring.map(([x, y]) => [x, y, 120])] };
  type Saved = { readonly region: Region; readonly warnings?: readonly object[] };
  const warnings = [{ path: "geometry", message: "has heights, which are left out" }];
  const feature = { type: "Feature", properties: { name: "x" }, geometry: high };
  for (const [geometry, told] of [
    [feature, warnings],
    [high, warnings],
    [{ type: "MultiPolygon", coordinates: [high.coordinates] }, warnings],
    [{ ...feature, geometry: squareOf(0, 0, 5, 5) }, undefined],
  ] as const) {
    const { status, body } = await editor.send<Saved>("POST", "/api/regions", {
      name: "Square",
      geometry,
    });
    expect([status, body.warnings]).toEqual([201, told]);
    const isMany = geometry.type === "MultiPolygon";
    const { coordinates } = squareOf(0, 0, 5, 5);
    expect(body.region.geometry.coordinates).toEqual(isMany ? [coordinates] : coordinates);
    const path = `/api/regions/${body.region.id}`;
    const changed = await editor.send<Saved>("PATCH", path, { geometry });
    expect(changed.body).toMatchObject({ region: { geometry: body.region.geometry } });
    expect(changed.body.warnings).toEqual(told);
  }
  const point = { type: "Feature", geometry: { type: "Point", coordinates: [1, 2] } };
  expectRefusal(await saveRegion(editor, { geometry: point }), "VALIDATION_ERROR");
  const four = { ...high, coordinates: [ring.map(([x, y]) => [x, y, 120, 7])] };
  expectRefusal(await saveRegion(editor, { geometry: four }), "VALIDATION_ERROR");
});

test("a change keeps what it does not name, and tells who made it; two at once both do; the audit tells of all in words", async () => {
  const id = await newRegion(editor);
  const path = `/api/regions/${id}`;
  const admin = await service.loginAs("admin");
  const before = await regionOf(id);
  await admin.send("PATCH", path, { note: "a square" });
  const after = await regionOf(id);
  expect(after).toEqual({
    ...{ ...before, note: "a square", updated_by: expect.any(String) },
    updated_at: expect.any(String),
  });
  expect(after.updated_by).not.toBe(before.updated_by);
  const geometry = squareOf(1, 1, 2, 2);
  const answers = await Promise.all([
    editor.send("PATCH", path, { name: "Kaikōura" }),
    editor.send("PATCH", path, { geometry }),
  ]);
  expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  expect(await regionOf(id)).toMatchObject({ name: "Kaikōura", geometry, bbox: [1, 1, 2, 2] });
  await editor.send("PATCH", path, { note: "2016" });
  await editor.send("DELETE", path);
  type Audit = { entries: { summary: string }[] };
  const { body } = await admin.get<Audit>(`/api/audit?subject=region-${id}&order=desc`);
  const told = body.entries.map(({ summary }) => summary);
  expect([told.length, told[0], told[1], told[5]]).toEqual([
    6,
    `Region ${id} deleted`,
    'Region changed: "Kaikōura", 4 vertices: 2016',
    'Region created: "Square", 4 vertices',
  ]);
});

test("the list has the newest first, page by page, without geometries where they are not wanted", async () => {
  const made = [await newRegion(editor), await newRegion(editor), await newRegion(editor)];
  const page = (query: string) => viewer.get<List>(`/api/regions?limit=2${query}`);
  const first = (await page("")).body;
  expect(first.regions.map(({ id }) => id)).toEqual([made[2], made[1]]);
  expect(first.regions[0]?.geometry).toEqual(SQUARE);
  const next = (await page(`&geometry=false&cursor=${first.nextCursor}`)).body;
  expect(next.regions[0]).toMatchObject({ id: made[0], vertices: 4 });
  expect(next.regions[0]).not.toHaveProperty("geometry");
  expectRefusal(await page("&cursor=x"), "INVALID_CURSOR");
});

test("an answer with many vertices ends early, and the next one goes on", async () => {
  const large = Array.from({ length: 10_000 }, (_, i) => [i / 1_000, i % 2] as const);
  const geometry = { type: "Polygon", coordinates: [[...large, large[0]]] };
  const made: string[] = [];
  for (let i = 0; i < 7; i += 1) made.push((await saveRegion(editor, { geometry })).body.region.id);
  const first = (await viewer.get<List>("/api/regions")).body;
  expect(first.regions.map(({ id }) => id)).toEqual(made.slice(2).toReversed());
  const next = (await viewer.get<List>(`/api/regions?cursor=${first.nextCursor}`)).body;
  expect(next.regions.slice(0, 2).map(({ id }) => id)).toEqual([made[1], made[0]]);
  expect(next.regions[0]?.geometry).toBeDefined();
  const names = (await viewer.get<List>("/api/regions?geometry=false")).body.regions;
  expect(names.length).toBeGreaterThanOrEqual(7);
});

test("a region that has no name or no area is refused", async () => {
  /** A triangle whose last position is another than its first. */
  const withRing = (last: readonly number[]) => ({
    type: "Polygon",
    coordinates: [[[0, 0], [1, 0], [1, 1], last]],
  });
  for (const [form, code, field] of [
    [{ name: " " }, "MISSING_NAME", undefined],
    [{ note: "\u202e" }, "VALIDATION_ERROR", "note"],
    [{ geometry: { type: "Point", coordinates: [0, 0] } }, "VALIDATION_ERROR", "geometry"],
    [{ geometry: withRing([0, 0, 1, 1]) }, "VALIDATION_ERROR", "geometry"],
    [{ geometry: withRing([1, 1]) }, "VALIDATION_ERROR", "geometry"],
    [{ geometry: { type: "Polygon", coordinates: [] } }, "VALIDATION_ERROR", "geometry"],
  ] as const) {
    expectRefusal(await saveRegion(editor, form), code, field);
  }
});

test("a region that is not there is not found", async () => {
  const path = `/api/regions/${randomUUID()}`;
  expectRefusal(await viewer.get(path), "NOT_FOUND");
  expectRefusal(await editor.send("PATCH", path, { name: "x" }), "NOT_FOUND");
  expectRefusal(await editor.send("DELETE", path), "NOT_FOUND");
  expectRefusal(await viewer.get("/api/regions/none"), "NOT_FOUND");
});

test("a region is deleted unless a schedule imports by it, of whichever catalogue", async () => {
  const region = await newRegion(editor);
  const { id: catalogue } = await createCatalogue(editor, { access: "restricted" });
  const made = await askForSchedule(editor, catalogue, { region });
  expect(made.body.schedule).toMatchObject({ region, polygon: null });
  const admin = await service.loginAs("admin");
  const refused = expectRefusal(await admin.send("DELETE", `/api/regions/${region}`), "CONFLICT");
  expect(JSON.stringify(refused)).not.toContain(catalogue);
  expect(JSON.stringify(await regionOf(region))).not.toContain(catalogue);

  const path = `/api/schedules/${made.body.schedule.id}`;
  await editor.send("PATCH", path, { region: null });
  expect(await admin.send("DELETE", `/api/regions/${region}`)).toMatchObject({
    status: 200,
    body: { success: true },
  });
  expectRefusal(await editor.send("PATCH", path, { region }), "VALIDATION_ERROR", "region");
});

const guest = service.client("guest");
let catalogue: string;
let path: string;
beforeAll(async () => {
  const events = [1, 2, 3, 14].map((longitude, i) =>
    seismicEvent({ longitude, latitude: 5, time: `2020-01-0${i + 1}T00:00:00Z` }),
  );
  ({ id: catalogue } = await createCatalogue(editor, { is_public: true, events }));
  path = `/api/catalogues/${catalogue}`;
});

const LARGER = squareOf(0, 0, 20, 10);

type Page = { readonly events: readonly SeismicEvent[]; readonly nextCursor?: string };
type Diff = { readonly changes: readonly unknown[]; readonly nextCursor: string | null };
type Analysis = { readonly input: { readonly events: number } };

describe("once a region is changed", () => {
  test("an answer of a version has another tag, under which the one before is not found", async () => {
    const region = await newRegion(editor, SQUARE);
    const tags = new Map<string, { readonly tag: string; readonly body: unknown }>();
    const addresses = [
      "/events/filtered?",
      "/export?format=csv&asOf=1&",
      "/analytics/summary?asOf=1&",
      "/analytics/rates.svg?asOf=1&",
      "/events/columns?asOf=1&",
      "/versions/1/diff?",
      "/versions/1/fdsnws/event/1/query?format=text&",
      "/versions/1/fdsnws/event/1/count?",
    ].map((address) => `${path}${address}region=${region}`);
    const expectKnown = async (isKnown: boolean) => {
      for (const at of addresses) {
        const { tag = "", body } = tags.get(at) ?? {};
        const answer = await editor.get(at, { "if-none-match": tag });
        expect([at, answer.status]).toEqual([at, isKnown ? 304 : 200]);
        expect(answer.headers.get("etag") === tag, at).toBe(isKnown);
        if (!isKnown) expect(answer.body).not.toEqual(body);
      }
    };
    for (const at of addresses) {
      const { status, headers, body } = await editor.get(at);
      expect(status, JSON.stringify(body)).toBe(200);
      expect(headers.get("cache-control")).toMatch(/^(?:public|private), no-cache$/);
      tags.set(at, { tag: headers.get("etag") ?? "", body });
    }
    await expectKnown(true);
    await redraw(editor, region, LARGER);
    await expectKnown(false);
    await redraw(editor, region, SQUARE);
    await expectKnown(true);
  });

  test("a cursor by it is none any more", async () => {
    const region = await newRegion(editor, SQUARE);
    const page = (query: string) => guest.get<Page>(`${path}/events/filtered?${query}`);
    const diff = (query: string) => guest.get<Diff>(`${path}/versions/1/diff?${query}`);
    const first = (await page(`region=${region}&limit=1`)).body;
    const changes = (await diff(`region=${region}&limit=1`)).body;
    expect((await page(`cursor=${first.nextCursor}`)).body.events).toHaveLength(1);
    expect((await page(`cursor=${first.nextCursor}&region=${region}`)).status).toBe(200);
    expect((await diff(`cursor=${changes.nextCursor}`)).body.changes).toHaveLength(1);
    const other = await newRegion(editor, SQUARE);
    expectRefusal(await page(`cursor=${first.nextCursor}&region=${other}`), "INVALID_CURSOR");

    await redraw(editor, region, LARGER);
    expectRefusal(await page(`cursor=${first.nextCursor}`), "INVALID_CURSOR");
    expectRefusal(await diff(`cursor=${changes.nextCursor}`), "INVALID_CURSOR");
    await editor.send("DELETE", `/api/regions/${region}`);
    expectRefusal(await page(`cursor=${first.nextCursor}`), "VALIDATION_ERROR", "region");
  });

  test("analyses are made again, and another name makes none", async () => {
    const region = await newRegion(editor, SQUARE);
    const address = `${path}/analytics/summary?region=${region}`;
    const first = await guest.get<Analysis>(address);
    expect(first.body.input.events).toBe(3);
    await editor.send("PATCH", `/api/regions/${region}`, { name: "Renamed" });
    expect((await guest.get(address)).headers.get("etag")).toBe(first.headers.get("etag"));
    await redraw(editor, region, LARGER);
    expect((await guest.get<Analysis>(address)).body.input.events).toBe(4);
  });
});

test("a version that is cited by a region is not kept either", async () => {
  const region = await newRegion(editor, SQUARE);
  const citation = `${path}/versions/1/citation`;
  const usual = await guest.get(citation);
  expect(usual.headers.get("cache-control")).toBe("public, max-age=3600");
  const { headers } = await guest.get(`${citation}?region=${region}`);
  expect(headers.get("cache-control")).toBe("public, no-cache");
});

test("a tag of an answer by a region guards writes, as any tag of the version does", async () => {
  const { id } = await createCatalogue(editor);
  const region = await newRegion(editor, SQUARE);
  const list = await editor.get(`/api/catalogues/${id}/events/filtered?region=${region}`);
  const tag = list.headers.get("etag") ?? "";
  const events = `/api/catalogues/${id}/events`;
  const add = () => editor.send("POST", events, { events: [seismicEvent()] }, { "if-match": tag });
  expect((await add()).status).toBe(200);
  expect((await add()).status).toBe(412);
});

describe("filters by regions", () => {
  /** A public catalogue, and a region that has three of its five events. */
  let catalogue: string;
  let region: string;
  let path: string;
  beforeAll(async () => {
    ({ id: catalogue } = await createCatalogue(editor, { is_public: true, events: EVENTS }));
    path = `/api/catalogues/${catalogue}`;
    region = await newRegion(editor, SQUARE);
  });

  const EVENTS = [
    eventAt("inside", 5, 5),
    eventAt("on an edge", 10, 5),
    eventAt("at a corner", 0, 0),
    eventAt("outside", 10.000000001, 5),
    eventAt("far away", -170, -60),
  ];
  const THERE = ["at a corner", "inside", "on an edge"];

  function eventAt(id: string, longitude: number, latitude: number) {
    return seismicEvent({ source_id: id, longitude, latitude });
  }

  /** The same place as a saved region, and as a polygon. */
  const asked = (): readonly string[] => [
    `region=${region}`,
    `polygon=${encodeURIComponent(wktOf(SQUARE))}`,
  ];

  type Events = { readonly events: readonly SeismicEvent[] };
  const idsOf = ({ body }: ApiAnswer<Events>) => body.events.map((one) => one.source_id).sort();

  describe("of the events in a region or a polygon, edges too, there are", () => {
    test("lists, exports, columns, analyses and plots, which tell by what, and differences of versions", async () => {
      const { id } = await createCatalogue(editor, { events: EVENTS.slice(4) });
      await editor.send("POST", `/api/catalogues/${id}/events`, { events: EVENTS.slice(0, 4) });
      for (const query of asked()) {
        expect(idsOf(await guest.get(`${path}/events/filtered?${query}`))).toEqual(THERE);
        const exported = await editor.get<Events>(`${path}/export?format=json&${query}`);
        expect(idsOf(exported)).toEqual(THERE);
        expect(exported.headers.get("x-export-event-count")).toBe("3");
        const json = { accept: "application/json" };
        const columns = await guest.get<object>(`${path}/events/columns?${query}`, json);
        expect(columns.body).toMatchObject({ count: 3 });
        const summary = `${path}/analytics/summary?${query}`;
        const { body } = await guest.get<{ input: object; filters: object }>(summary);
        expect(body.input).toMatchObject({ events: 3 });
        expect(Object.keys(body.filters)).toEqual([query.replace(/=.*/, "")]);
        expect((await guest.get(`${path}/analytics/rates.svg?${query}`)).status).toBe(200);
        const diff = `/api/catalogues/${id}/versions/2/diff?from=1&${query}`;
        expect((await editor.get(diff)).body).toMatchObject({ added: 3, updated: 0, removed: 0 });
      }
    });

    test("answers of the event service, at every address", async () => {
      const { body } = await editor.send<{ share: { url: string } }>("POST", `${path}/shares`, {});
      const shared = new URL(body.share.url);
      const bases = [path, `${path}/versions/1`, shared.pathname];
      for (const query of asked()) {
        for (const base of bases) {
          const service = `${base}/fdsnws/event/1`;
          expect((await guest.get(`${service}/count?${query}`)).body).toBe("3");
          const text = await guest.get<string>(`${service}/query?format=text&${query}`);
          expect(text.body.trim().split("\n")).toHaveLength(4);
        }
        const root = `/fdsnws/event/1/count?catalog=${catalogue}&${query}`;
        expect((await guest.get(root)).body).toBe("3");
        const list = `${shared.pathname}/events/filtered?${query}`;
        expect(idsOf(await guest.get(list))).toEqual(THERE);
      }
    });

    test("messages of the feed", async () => {
      for (const query of asked()) {
        const { id } = await createCatalogue(editor, { is_public: true, events: [] });
        const feed = await followEvents(`${service.url}/api/catalogues/${id}/feed?${query}`);
        onTestFinished(feed.close);
        await editor.send("POST", `/api/catalogues/${id}/events`, { events: EVENTS });
        const messages = await feed.take(3);
        const places = messages.map(({ data }) => data?.geometry?.coordinates.slice(0, 2));
        expect(places.sort()).toEqual([
          [0, 0],
          [10, 5],
          [5, 5],
        ]);
      }
    });

    test("results of declustering and duplicates, by bodies", async () => {
      const body = { method: "gardner-knopoff", region };
      const labelled = await editor.send("POST", `${path}/analytics/decluster`, body);
      expect(labelled.body).toMatchObject({ input: { events: 3 }, filters: { region } });
      const thresholds = { timeThreshold: 1, distanceThreshold: 999 };
      const groupsOf = async (filters: object) => {
        const form = { ...thresholds, filters };
        const answer = await editor.send<Duplicates>("POST", `${path}/duplicates`, form);
        return answer.body.groups.map(({ members }) => members.map((one) => one.source_id).sort());
      };
      expect(await groupsOf({ region })).toEqual([["inside", "on an edge"]]);
      expect(await groupsOf({})).toEqual([["inside", "on an edge", "outside"]]);
    });
  });

  test("both a region and a polygon hold where both are given, and so do the other filters", async () => {
    const west = encodeURIComponent(wktOf(squareOf(-1, -1, 6, 6)));
    const query = `region=${region}&polygon=${west}`;
    expect(idsOf(await guest.get(`${path}/events/filtered?${query}`))).toEqual([
      "at a corner",
      "inside",
    ]);
    expect(idsOf(await guest.get(`${path}/events/filtered?${query}&minLatitude=1`))).toEqual([
      "inside",
    ]);
  });

  test("what names no region, or is no polygon, is refused with what is wrong", async () => {
    const unknown = randomUUID();
    for (const below of [
      ...["/events/filtered", "/export", "/events/columns", "/analytics/summary"],
      ...["/analytics/rates.svg", "/feed", "/versions/1/diff", "/versions/1/citation"],
    ]) {
      const refused = await editor.get(`${path}${below}?region=${unknown}`);
      const { details } = expectRefusal(refused, "VALIDATION_ERROR", "region");
      expect(details?.map(({ field }) => field)).toEqual(["region"]);
      expectRefusal(await editor.get(`${path}${below}?region=here`), "VALIDATION_ERROR", "region");
    }
    const body = { method: "gardner-knopoff", region: unknown };
    const decluster = await editor.send("POST", `${path}/analytics/decluster`, body);
    expectRefusal(decluster, "VALIDATION_ERROR", "region");
    const wrong = encodeURIComponent("POLYGON ((0 0, 1 0, 1 x, 0 0))");
    const list = await guest.get(`${path}/events/filtered?polygon=${wrong}`);
    expectRefusal(list, "VALIDATION_ERROR", "23");
    for (const [query, words] of [
      [`region=${unknown}`, "region"],
      ["region=here", "region"],
      [`polygon=${wrong}`, "polygon: a number expected"],
    ] as const) {
      const answer = await guest.get<string>(`${path}/fdsnws/event/1/query?${query}`);
      expect([answer.status, answer.body]).toEqual([400, expect.stringContaining(words)]);
    }
    const { body: wadl } = await guest.get<string>(`${path}/fdsnws/event/1/application.wadl`);
    for (const name of ["polygon", "region"]) expect(wadl).toContain(`name="${name}"`);
  });
});
