import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import type { ListedRegion, Region } from "#contracts/http/regions.ts";
import { createCatalogue } from "../../support/api/catalogue.ts";
import { keyed } from "../../support/api/keyed.ts";
import { expectRefusal } from "../../support/api/refusal.ts";
import { newRegion, SQUARE, saveRegion, squareOf } from "../../support/api/regions.ts";
import { askForSchedule } from "../../support/api/schedules.ts";
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

test("two who save at once make two regions, and one who sends again makes one", async () => {
  const both = await Promise.all([newRegion(editor), newRegion(editor)]);
  expect(new Set(both).size).toBe(2);
  const key = keyed();
  const form = { name: "x", geometry: SQUARE };
  const send = () => editor.send<{ region: Region }>("POST", "/api/regions", form, key);
  const first = await send();
  expect((await send()).body).toEqual(first.body);
});
