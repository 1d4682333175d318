import type { Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { createCatalogue } from "../support/api/catalogue.ts";
import { newSchedule } from "../support/api/schedules.ts";
import type { ApiClient } from "../support/api-client.ts";
import { generateEvents } from "../support/generate-catalogue.ts";
import { describeConsole, sharedConsole, violationsOf } from "./support/console.ts";

const { service, open } = sharedConsole();
const COUNT = 2_000;
const RING = [
  [172, -42],
  [176, -42],
  [176, -38],
  [172, -42],
];
const GEOMETRY = { type: "Polygon", coordinates: [RING] };

type Role = "viewer" | "editor";
let editor: ApiClient;

async function openAs(role: Role, address: string): Promise<Page> {
  const { page } = await open(role, address, { allow: /status of (?:400|404|409)/ });
  return page;
}

async function saved(name: string, geometry: object = GEOMETRY): Promise<string> {
  const body = { name, geometry, note: "For tests" };
  const answer = await editor.send<{ region: { id: string } }>("POST", "/api/regions", body);
  expect(answer.status).toBe(201);
  return answer.body.region.id;
}

const regionsOf = async () =>
  (await editor.get<{ regions: { id: string; name: string; vertices: number }[] }>("/api/regions"))
    .body.regions;

describeConsole("the pages of regions", () => {
  beforeAll(async () => {
    editor = await service.loginAs("editor");
  });

  test("say of a file that is gone that it cannot be read", async () => {
    const page = await openAs("editor", "/status");
    await page.addInitScript(() => {
      Blob.prototype.text = () => Promise.reject(new DOMException("gone", "NotReadableError"));
    });
    await page.goto("/regions/new");
    const file = { name: "area.json", mimeType: "application/json", buffer: Buffer.from("{}") };
    await page.locator('input[type="file"]').setInputFiles(file);
    await page.getByText("The file cannot be read any more.").waitFor();
  });

  test("are reached by the header and by Ctrl K, and show viewers a region without any write", async () => {
    const id = await saved("Cook Strait");
    const page = await openAs("viewer", "/status");
    await page.getByRole("link", { name: "Regions", exact: true }).click();
    const row = page.getByRole("row").filter({ hasText: "Cook Strait" });
    await row.getByText("For tests").waitFor();
    await row.getByText("42.00° S to 38.00° S, 172.00° E to 176.00° E").waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await row.getByRole("link", { name: "Cook Strait" }).click();
    await page.getByRole("heading", { name: "Cook Strait" }).waitFor();
    await page.getByText("3 vertices").waitFor();
    expect(await violationsOf(page)).toEqual([]);
    const writes = page.getByRole("main").getByText(/^(?:Change|Delete|New region)/);
    expect(await writes.count()).toBe(0);
    await page.goto(`/regions/${id}/change`);
    await page.getByRole("heading", { name: "Not for your role" }).waitFor();
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox", { name: "Page, catalogue or action" }).fill("regions");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Regions", exact: true }).waitFor();
  });

  test("save what is drawn, and a further polygon as a further part", async () => {
    const page = await openAs("editor", "/regions/new");
    await page.getByLabel("Name").fill("Drawn");
    const map = await page.locator(".map").boundingBox();
    if (!map) throw new Error("there is no map");
    const click = async (x: number, y: number) =>
      await page.mouse.click(map.x + x * map.width, map.y + y * map.height);
    for (const at of [0.3, 0.6]) {
      await page.getByRole("button", { name: /^Draw/ }).click();
      await page.locator(".map.drawing").waitFor();
      await click(at, 0.3);
      await click(at + 0.2, 0.3);
      await click(at + 0.1, 0.6);
      await page.keyboard.press("Enter");
    }
    await page.getByText("6 vertices in 2 parts.").waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await page.getByRole("button", { name: "Save the region" }).click();
    await page.getByRole("heading", { name: "Drawn" }).waitFor();
    expect(await regionsOf()).toContainEqual(
      expect.objectContaining({ name: "Drawn", vertices: 6 }),
    );
  });

  test("read a file, say what is wrong with one, and take a text that is pasted", async () => {
    const page = await openAs("editor", "/regions/new");
    const choose = async (text: string) =>
      await page.locator('input[type="file"]').setInputFiles({
        name: "area.geojson",
        mimeType: "application/geo+json",
        buffer: Buffer.from(text),
      });
    await choose(JSON.stringify({ type: "Point", coordinates: [1, 2] }));
    await page.getByText("It is a Point, and a region is a Polygon or a MultiPolygon.").waitFor();
    expect(await page.getByRole("button", { name: "Save the region" }).isDisabled()).toBe(true);
    const feature = { type: "Feature", properties: { name: "From a file" }, geometry: GEOMETRY };
    await choose(JSON.stringify({ type: "FeatureCollection", features: [feature] }));
    await page.getByText("3 vertices.").waitFor();
    expect(await page.getByLabel("Name").inputValue()).toBe("From a file");
    await page.getByText("Paste GeoJSON or WKT").click();
    await page
      .getByLabel("Text of the area")
      .fill("POLYGON ((172 -42, 176 -42, 176 -38, 172 -38, 172 -42))");
    await page.getByRole("button", { name: "Take it" }).click();
    await page.getByText("4 vertices.").waitFor();
    await page.getByRole("button", { name: "Save the region" }).click();
    await page.getByRole("heading", { name: "From a file" }).waitFor();
  });

  test("tell what the service refuses of a geometry, and keep what was typed", async () => {
    const page = await openAs("editor", "/regions/new");
    await page.getByLabel("Name").fill("Too far");
    await page.getByText("Paste GeoJSON or WKT").click();
    const far = {
      type: "Polygon",
      coordinates: [
        [
          [0, 0],
          [999, 0],
          [999, 10],
          [0, 0],
        ],
      ],
    };
    await page.getByLabel("Text of the area").fill(JSON.stringify(far));
    await page.getByRole("button", { name: "Take it" }).click();
    await page.getByRole("button", { name: "Save the region" }).click();
    await page.locator(".problem[role=status]").waitFor();
    expect(await page.getByLabel("Name").inputValue()).toBe("Too far");
  });

  test("change a region's name, and delete it", async () => {
    const id = await saved("Wrong name");
    const page = await openAs("editor", `/regions/${id}`);
    await page.getByRole("link", { name: "Change…" }).click();
    await page.getByLabel("Name").fill("Right name");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByRole("heading", { name: "Right name" }).waitFor();
    await page.getByRole("button", { name: "Delete…" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete it" }).click();
    await page.getByText("The region Right name is deleted.").waitFor();
    expect((await regionsOf()).map((region) => region.id)).not.toContain(id);
    await page.goto(`/regions/${id}`);
    await page.getByRole("heading", { name: "There is no such region" }).waitFor();
  });

  test("say why a region stays that a schedule imports by, and the schedule names it", async () => {
    const region = await saved("Kept");
    const { id } = await createCatalogue(editor);
    await newSchedule(editor, id, { region });
    const page = await openAs("editor", `/regions/${region}`);
    await page.getByRole("button", { name: "Delete…" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete it" }).click();
    await page
      .getByRole("dialog")
      .getByRole("alert")
      .getByText(/schedule/)
      .waitFor();
    await page.goto(`/catalogues/${id}/schedules`);
    await page.getByText(/in the region Kept/).waitFor();
    await page.getByRole("link", { name: /^Change…/ }).click();
    const choice = page.getByLabel("Saved region");
    await expect.poll(() => choice.inputValue()).toBe(region);
    await choice.selectOption("none");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByText("all magnitudes, depths and places").waitFor();
  });

  test("are led to from a polygon that filters", async () => {
    const events = [...generateEvents(5, COUNT)];
    const { id } = await createCatalogue(editor, { events, is_public: true });
    const wkt = "POLYGON ((172 -42, 176 -42, 176 -38, 172 -42))";
    const page = await openAs(
      "editor",
      `/catalogues/${id}?${new URLSearchParams({ polygon: wkt })}`,
    );
    await page.getByRole("link", { name: "Save as region…" }).click();
    await page.getByText("3 vertices.").waitFor();
    await page.getByLabel("Name").fill("From the map");
    await page.getByRole("button", { name: "Save the region" }).click();
    await page.getByRole("heading", { name: "From the map" }).waitFor();
  });

  test("give filters: one is chosen by name, drawn on the map, and filters as its polygon does", async () => {
    const events = [...generateEvents(5, COUNT)];
    const { id } = await createCatalogue(editor, { events, is_public: true });
    const region = await saved("Chosen");
    const { body } = await editor.get<{ count: number }>(
      `/api/catalogues/${id}/events/filtered?region=${region}`,
    );
    const page = await openAs("viewer", `/catalogues/${id}`);
    const shown = async () =>
      Number((await page.locator(".shown strong").textContent())?.replaceAll(",", ""));
    await page.getByRole("button", { name: "More…" }).click();
    await page.getByLabel("Saved region").selectOption("Chosen");
    await expect.poll(shown).toBe(body.count);
    expect(body.count).toBeLessThan(COUNT);
    expect(new URL(page.url()).searchParams.get("region")).toBe(region);
    await page.getByText("Region Chosen").waitFor();
    expect(await page.locator(".map-area").getAttribute("d")).toMatch(/L/);
    expect(await violationsOf(page)).toEqual([]);
    await page.getByRole("button", { name: "Remove the region" }).click();
    await expect.poll(shown).toBe(COUNT);
  });

  test("are for accounts, but a guest's address may filter by one", async () => {
    const events = [...generateEvents(5, COUNT)];
    const { id } = await createCatalogue(editor, { events, is_public: true });
    const region = await saved("For guests");
    const { page } = await open("guest", `/catalogues/${id}?region=${region}`);
    await page.locator("[data-drawn]").waitFor();
    expect(await page.locator(".shown strong").textContent()).not.toBe("2,000");
    expect(await page.getByLabel("Saved region").inputValue()).toBe(region);
  });
});
