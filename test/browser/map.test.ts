import type { Page } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";
import { createCatalogue } from "../api/support/catalogue.ts";
import type { ApiClient } from "../support/api-client.ts";
import { hasChromium } from "../support/chromium.ts";
import { generateEvents } from "../support/generate-catalogue.ts";
import { useReachableService } from "../support/reachable-service.ts";
import { openBrowser } from "./support/browser.ts";
import { mapViewOf } from "./support/map-view.ts";
import { boxOf, drawn, filteredCount, shownCount } from "./support/shown-events.ts";

const service = await useReachableService();
const COUNT = 2_000;
/** More than are drawn one by one. */
const DENSE = 45_000;

const search = (page: Page) => new URL(page.url()).searchParams;

/** Draws with a tool between two places of the map, as shares of its sides. */
async function draw(
  page: Page,
  tool: string,
  from: readonly [number, number],
  to: readonly [number, number],
): Promise<void> {
  await page.getByRole("button", { name: tool }).click();
  const map = await boxOf(page, ".map");
  const at = ([x, y]: readonly [number, number]) =>
    [map.x + x * map.width, map.y + y * map.height] as const;
  await page.mouse.move(...at(from));
  await page.mouse.down();
  await page.mouse.move(...at(to), { steps: 4 });
  await page.mouse.up();
}

describe.skipIf(!hasChromium)("the map", () => {
  let editor: ApiClient;
  let id: string;

  beforeAll(async () => {
    editor = await service.loginAs("editor");
    const events = [...generateEvents(5, COUNT)];
    ({ id } = await createCatalogue(editor, { name: "Taupō", events, is_public: true }));
  });

  const countOf = (filters: URLSearchParams) => filteredCount(editor, id, filters);

  test("is filled by its events from side to side or from top to bottom", async () => {
    const corners = [
      [-41.3, 172.1],
      [-40.7, 173.4],
    ] as const;
    const events = corners.map(([latitude, longitude], i) => ({
      time: `2020-01-0${i + 1}T00:00:00Z`,
      latitude,
      longitude,
      magnitude: 5,
    }));
    const { id: own } = await createCatalogue(editor, { events, is_public: true });
    const { page } = await openBrowser(service.url);
    await page.goto(`/catalogues/${own}?inMap=1`);
    await drawn(page);
    // Whoever presses 0 has chosen the view, which is then in the address.
    await page.locator(".map").press("+");
    await expect.poll(() => search(page).has("map")).toBe(true);
    await page.locator(".map").press("0");
    const seen = async () => {
      const view = await mapViewOf(page);
      return events.map(view.pointOf).filter(view.has);
    };
    await expect.poll(async () => (await seen()).length).toBe(2);
    const [a, b] = await seen();
    if (!a || !b) throw new Error("no places");
    const map = await boxOf(page, ".map");
    const across = Math.abs(a.x - b.x) / map.width;
    const up = Math.abs(a.y - b.y) / map.height;
    expect(Math.max(across, up)).toBeGreaterThan(0.8);
  });

  test("shows almost all events at first, says how many lie outside, and shows them when asked", async () => {
    const near = Array.from({ length: 400 }, (_, i) => ({
      time: new Date(Date.UTC(2020, 0, 1, 0, i)).toISOString(),
      latitude: -38 + (i % 20) / 40,
      longitude: 176 + (i % 23) / 40,
      magnitude: 2,
    }));
    const far = { time: "2019-01-01T00:00:00Z", latitude: 51, longitude: 10, magnitude: 3 };
    const { id: own } = await createCatalogue(editor, { events: [...near, far], is_public: true });
    const { page } = await openBrowser(service.url);
    await page.goto(`/catalogues/${own}?inMap=1`);
    await drawn(page);
    await page.getByText("1 event outside the map").waitFor();
    await expect.poll(() => shownCount(page)).toBe(400);
    await page.getByRole("button", { name: "Show all", exact: true }).last().click();
    await expect.poll(() => shownCount(page)).toBe(401);
    expect(await page.getByText("outside the map").count()).toBe(0);
  });

  test("has the strongest event picked at its middle and those upon it at theirs, a density too", async () => {
    const at = (n: number) => ({
      time: new Date(Date.UTC(2020, 0, 1, 0, n)).toISOString(),
      latitude: -38 + 0.03 * (Math.floor(n / 7) - 3),
      longitude: 176 + 0.03 * ((n % 7) - 3),
    });
    // As an earthquake among its aftershocks: these lie all over its disc.
    const events = Array.from({ length: 49 }, (_, n) => ({
      ...at(n),
      magnitude: n === 24 ? 6.1 : 1.2,
    }));
    const far = { latitude: -38.6, longitude: 175 };
    const others = Array.from({ length: DENSE }, (_, n) => ({
      ...at(n % 49),
      ...far,
      magnitude: 1,
    }));
    for (const all of [events, [...events, ...others]]) {
      const { id: own } = await createCatalogue(editor, { events: all, is_public: true });
      const { page } = await openBrowser(service.url);
      await page.goto(`/catalogues/${own}?map=7/-38/176`);
      await drawn(page);
      const { pointOf } = await mapViewOf(page);
      const pointAt = async (n: number) => {
        const { x, y } = pointOf(at(n));
        await page.mouse.move(x, y);
      };
      await pointAt(24);
      await page.locator(".map-tip").getByText("M 6.1").waitFor();
      if (all !== events) continue;
      await pointAt(22);
      await page.locator(".map-tip").getByText("M 1.2").waitFor();
      const { x, y } = pointOf(at(24));
      await page.mouse.click(x, y);
      await page.locator('.event-row[aria-selected="true"]').getByText("6.1").waitFor();
    }
  });

  test("has its legend below, which hides nothing of it and can be folded", async () => {
    const { page } = await openBrowser(service.url);
    await page.goto(`/catalogues/${id}`);
    await drawn(page);
    const [map, legend] = [await boxOf(page, ".map"), await boxOf(page, ".map-legend")];
    expect(legend.y).toBeGreaterThanOrEqual(map.y + map.height - 1);
    await page.locator(".map-ramp").getByText("unknown").waitFor();
    await page.getByRole("button", { name: /^Legend/ }).click();
    expect(await page.locator(".map-ramp").count()).toBe(0);
    const narrow = await openBrowser(service.url, { width: 390 });
    await narrow.page.goto(`/catalogues/${id}`);
    await drawn(narrow.page);
    expect(await narrow.page.locator(".map-ramp").count()).toBe(0);
  });

  test("tells the density and the discs upon it in one legend", async () => {
    const { id: dense } = await createCatalogue(editor, {
      events: [...generateEvents(11, DENSE)],
      is_public: true,
    });
    const { page } = await openBrowser(service.url);
    await page.goto(`/catalogues/${dense}`);
    await page.locator('[data-drawn="density"]').waitFor();
    const legend = page.locator(".map-legend");
    await legend.getByText("Events in a square").waitFor();
    await legend.getByText("Magnitude, the 100 largest").waitFor();
    expect(await legend.locator(".map-ramp").count()).toBe(2);
    await page.goto(`/catalogues/${dense}?map=9/-41/174`);
    await page.locator('[data-drawn="discs"]').waitFor();
    expect(await legend.locator(".map-ramp").count()).toBe(1);
  });

  test("makes a filter of a box that is drawn, and takes it away again", async () => {
    const { page } = await openBrowser(service.url);
    await page.goto(`/catalogues/${id}`);
    await drawn(page);
    await draw(page, "Filter by a box", [0.4, 0.3], [0.7, 0.7]);
    await expect.poll(() => search(page).has("minLatitude")).toBe(true);
    const names = ["minLatitude", "maxLatitude", "minLongitude", "maxLongitude"];
    const filters = new URLSearchParams(names.map((name) => [name, search(page).get(name) ?? ""]));
    const count = await countOf(filters);
    expect(count).toBeGreaterThan(0);
    expect(count).toBeLessThan(COUNT);
    await expect.poll(() => shownCount(page)).toBe(count);
    await page.reload();
    await drawn(page);
    expect(await shownCount(page)).toBe(count);
    await page.getByRole("button", { name: "Remove the box" }).click();
    await expect.poll(() => shownCount(page)).toBe(COUNT);
    expect(search(page).has("minLatitude")).toBe(false);
  });

  test("makes a filter of a circle that is drawn by its key, and leaves the tool by it", async () => {
    const { page } = await openBrowser(service.url);
    await page.goto(`/catalogues/${id}`);
    await drawn(page);
    const tool = page.getByRole("button", { name: "Filter by a circle" });
    await page.locator("body").press("o");
    await expect.poll(() => tool.getAttribute("aria-pressed")).toBe("true");
    await page.locator("body").press("o");
    await expect.poll(() => tool.getAttribute("aria-pressed")).toBe("false");
    await draw(page, "Filter by a circle", [0.5, 0.5], [0.62, 0.5]);
    await expect.poll(() => search(page).has("maxRadiusKm")).toBe(true);
    const names = ["latitude", "longitude", "maxRadiusKm"];
    const filters = new URLSearchParams(names.map((name) => [name, search(page).get(name) ?? ""]));
    await expect.poll(() => shownCount(page)).toBe(await countOf(filters));
    expect(await tool.getAttribute("aria-pressed")).toBe("false");
  });

  test("measures a distance without choosing anything", async () => {
    const { page } = await openBrowser(service.url);
    await page.goto(`/catalogues/${id}?map=6/0/0`);
    await drawn(page);
    await draw(page, "Measure a distance", [0.3, 0.5], [0.8, 0.5]);
    const map = await boxOf(page, ".map");
    const km = (0.5 * map.width * 40_030) / (256 * 2 ** 6);
    const told = async () => {
      const text = await page.locator(".map-chip").textContent();
      const [, length = ""] = /^([\d,]+) km, azimuth 90\.0°, back 270\.0°/.exec(text ?? "") ?? [];
      return Math.abs(Number(length.replace(",", "")) / km - 1);
    };
    await expect.poll(told).toBeLessThan(0.02);
    await page.getByRole("button", { name: "Remove the ruler" }).click();
    expect(await page.locator(".map-chip").count()).toBe(0);
    expect([...search(page).keys()]).toEqual(["map"]);
  });

  test("shows the depths along a line that is drawn, at an address that shows them again", async () => {
    const { page } = await openBrowser(service.url);
    await page.goto(`/catalogues/${id}`);
    await drawn(page);
    await draw(page, "Draw a depth section", [0.3, 0.3], [0.7, 0.7]);
    await expect.poll(() => search(page).get("tab")).toBe("section");
    expect(search(page).get("along")).toBe("profile");
    const onLine = page.getByLabel("Along the line", { exact: true });
    await expect.poll(() => onLine.isChecked()).toBe(true);
    await page.reload();
    await expect.poll(() => onLine.isChecked()).toBe(true);
    await page.getByRole("button", { name: "Remove the section" }).click();
    await expect.poll(() => search(page).has("along")).toBe(false);
    await expect
      .poll(() => page.getByLabel("Along longitude", { exact: true }).isChecked())
      .toBe(true);
  });

  test("stays where the filters look when nothing passes them, and offers to loosen them", async () => {
    const { page } = await openBrowser(service.url);
    const box = "minLatitude=-39&maxLatitude=-38&minLongitude=175&maxLongitude=176";
    await page.goto(`/catalogues/${id}?minMagnitude=9.5&${box}`);
    await page.getByRole("heading", { name: "No event passes the filters" }).waitFor();
    const outline = await boxOf(page, ".map-area");
    const map = await boxOf(page, ".map");
    expect(Math.max(outline.width / map.width, outline.height / map.height)).toBeGreaterThan(0.7);
    await page.getByRole("button", { name: "Without M ≥ 9.5" }).click();
    await expect.poll(() => shownCount(page)).toBe(await countOf(new URLSearchParams(box)));
    expect(search(page).has("minMagnitude")).toBe(false);
  });

  test("opens an event that is clicked twice, or by Enter once it is chosen", async () => {
    const events = [{ time: "2020-01-01T00:00:00Z", latitude: -40, longitude: 175, magnitude: 6 }];
    const { id: own } = await createCatalogue(editor, { events, is_public: true });
    const { page } = await openBrowser(service.url);
    const address = `/catalogues/${own}?map=7/-40/175`;
    const opened = () => new URL(page.url()).pathname.startsWith(`/catalogues/${own}/events/`);
    await page.goto(address);
    await drawn(page);
    const { x, y, width, height } = await boxOf(page, ".map");
    await page.mouse.dblclick(x + width / 2, y + height / 2);
    await expect.poll(opened).toBe(true);
    await page.goto(address);
    await drawn(page);
    await page.mouse.click(x + width / 2, y + height / 2);
    await expect.poll(() => search(page).has("event")).toBe(true);
    await page.locator(".map").press("Enter");
    await expect.poll(opened).toBe(true);
  });

  test("of the list has the box of events on both sides of the date line once, where they are", async () => {
    const name = "Across the date line";
    const events = [170, -160].map((longitude, i) => ({
      time: `2020-01-0${i + 1}T00:00:00Z`,
      latitude: -20 + 10 * i,
      longitude,
      magnitude: 5,
    }));
    await createCatalogue(editor, { name, events, is_public: true });
    const { page } = await openBrowser(service.url);
    await page.goto(`/catalogues?search=${encodeURIComponent(name)}`);
    const box = page.locator(".map-box");
    await box.waitFor();
    expect(await box.count()).toBe(1);
    const [outline, map] = [await boxOf(page, ".map-box"), await boxOf(page, ".catalogues-map")];
    expect(outline.width / outline.height).toBeGreaterThan(2);
    expect(outline.width / outline.height).toBeLessThan(3.5);
    expect(outline.x).toBeGreaterThan(map.x);
    expect(outline.x + outline.width).toBeLessThan(map.x + map.width);
  });
});
