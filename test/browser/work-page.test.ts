import type { Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { createCatalogue } from "../support/api/catalogue.ts";
import type { ApiClient } from "../support/api-client.ts";
import { generateEvents } from "../support/generate-catalogue.ts";
import { describeConsole, sharedConsole, violationsOf } from "./support/console.ts";
import { drawn, EDGES, inkOf, mapViewOf, shownCount } from "./support/on-map.ts";

const { service, open } = sharedConsole();
const COUNT = 3_000;

/** Where the menu's own link leads to. */
async function exportAddress(page: Page): Promise<string> {
  const link = page.getByRole("link", { name: "GeoJSON", includeHidden: true });
  return (await link.getAttribute("href")) ?? "";
}

/** How far the ring is from a place of the map, pixels. */
async function ringOffset(
  page: Page,
  place: { readonly latitude: number; readonly longitude: number },
): Promise<number> {
  const { x, y } = (await mapViewOf(page)).pointOf(place);
  const ring = await page.locator(".map-ring").boundingBox();
  return ring === null
    ? Number.POSITIVE_INFINITY
    : Math.hypot(ring.x + ring.width / 2 - x, ring.y + ring.height / 2 - y);
}

describeConsole("the work page of a catalogue", () => {
  let editor: ApiClient;
  let id: string;

  beforeAll(async () => {
    editor = await service.loginAs("editor");
    const events = [...generateEvents(5, COUNT)];
    ({ id } = await createCatalogue(editor, { name: "Taupō", events, is_public: true }));
  });

  test("shows a guest the events on the map and in the table", async () => {
    const { page } = await open("guest", `/catalogues/${id}`);
    await drawn(page);
    expect(await shownCount(page)).toBe(COUNT);
    expect(await inkOf(page)).toBeGreaterThan(COUNT);
    expect(await page.getByRole("grid").getAttribute("aria-rowcount")).toBe(String(COUNT + 1));
  });

  test("counts what the service counts and exports; its address gives the same view again", async () => {
    const { page } = await open("viewer", `/catalogues/${id}`);
    await page.getByLabel("Magnitude from").fill("2.5");
    await page.getByLabel("Depth to, km").fill("30");
    await page.getByRole("button", { name: "More" }).click();
    await page.getByLabel("Azimuthal gap up to").fill("200");
    await expect.poll(() => page.url()).toContain("maxAzimuthalGap=200");
    const { search } = new URL(page.url());
    await expect.poll(() => shownCount(page)).toBeLessThan(COUNT);
    const { body } = await editor.get<{ count: number }>(
      `/api/catalogues/${id}/events/filtered${search}`,
    );
    await expect.poll(() => shownCount(page)).toBe(body.count);
    const exported = await page.request.get(await exportAddress(page));
    expect((await exported.json()).features.length).toBe(body.count);
    await page.reload();
    await drawn(page);
    expect(await shownCount(page)).toBe(body.count);
    expect(await page.getByLabel("Magnitude from").inputValue()).toBe("2.5");
    expect(await violationsOf(page)).toEqual([]);
  });

  test("has its filters again after Back and Forward", async () => {
    const { page } = await open("guest", `/catalogues/${id}`);
    await page.getByLabel("Magnitude from").fill("3");
    await expect.poll(() => page.url()).toContain("minMagnitude=3");
    await page.getByRole("button", { name: "Clear" }).click();
    await expect.poll(() => shownCount(page)).toBe(COUNT);
    await page.goBack();
    await expect.poll(() => shownCount(page)).toBeLessThan(COUNT);
    await expect.poll(() => page.getByLabel("Magnitude from").inputValue()).toBe("3");
    await page.goForward();
    await expect.poll(() => shownCount(page)).toBe(COUNT);
    await expect.poll(() => page.getByLabel("Magnitude from").inputValue()).toBe("");
  });

  test("chooses a range of time by a drag, for map, table and count; a double click takes it away", async () => {
    const { page } = await open("guest", `/catalogues/${id}`);
    await drawn(page);
    const ink = await inkOf(page);
    const bars = await page.locator(".time-bars").boundingBox();
    if (!bars) throw new Error("no time line");
    await page.mouse.move(bars.x + bars.width * 0.25, bars.y + 20);
    await page.mouse.down();
    await page.mouse.move(bars.x + bars.width * 0.5, bars.y + 20, { steps: 5 });
    await page.mouse.up();
    await expect.poll(() => shownCount(page)).toBeLessThan(COUNT);
    const search = new URL(page.url()).searchParams;
    const { body } = await editor.get<{ count: number; events: { id: string }[] }>(
      `/api/catalogues/${id}/events/filtered?startTime=${search.get("startTime")}&endTime=${search.get("endTime")}`,
    );
    expect(await shownCount(page)).toBe(body.count);
    await expect.poll(() => inkOf(page)).toBeLessThan(ink);
    // Between its first and its last event the table has as many as there are.
    const table = page.getByRole("grid");
    await expect.poll(() => table.getAttribute("aria-rowcount")).toBe(String(body.count + 1));
    const chosen = () => new URL(page.url()).searchParams.get("event");
    await table.press("End");
    await expect.poll(chosen).toBe(body.events.at(-1)?.id);
    await table.press("Home");
    await expect.poll(chosen).toBe(body.events[0]?.id);
    await page.locator(".time-bars").dblclick({ position: { x: 40, y: 20 } });
    await expect.poll(() => shownCount(page)).toBe(COUNT);
    expect(await table.getAttribute("aria-rowcount")).toBe(String(COUNT + 1));
  });

  test("rings the event of a chosen row on its place; a clicked disc has its own row scrolled to", async () => {
    const eventAt = (i: number) => ({
      time: `2020-01-02T00:00:${String(i).padStart(2, "0")}Z`,
      latitude: -38 - 0.5 * Math.floor(i / 10),
      longitude: 172 + 0.5 * (i % 10),
      magnitude: 4,
    });
    // In the middle of the map, and far below the rows that are in view at first.
    const oldest = { ...eventAt(24), time: "2020-01-01T00:00:00Z" };
    const events = Array.from({ length: 60 }, (_, i) => (i === 24 ? oldest : eventAt(i)));
    const { id: own } = await createCatalogue(editor, { events, is_public: true });
    const listed = await editor.get<{ events: { id: string }[] }>(
      `/api/catalogues/${own}/events?limit=60`,
    );
    const { page } = await open("guest");
    const chosen = () => new URL(page.url()).searchParams.get("event");
    await page.goto(`/catalogues/${own}?map=7/-39.25/174.25`);
    await drawn(page);
    await page.getByRole("row").nth(3).click();
    await expect.poll(chosen).toBe(listed.body.events[2]?.id);
    await expect.poll(() => ringOffset(page, eventAt(57))).toBeLessThan(3);
    await page.locator(".map").press("Escape");
    await page.locator(".map-ring").waitFor({ state: "detached" });

    const row = page.locator(".event-row", { hasText: "2020-01-01 00:00:00" });
    expect(await row.count()).toBe(0);
    const { x, y } = (await mapViewOf(page)).pointOf(oldest);
    expect(await inkOf(page, { x, y })).toBeGreaterThan(0);
    await page.mouse.click(x, y);
    await expect.poll(chosen).toBe(listed.body.events.at(-1)?.id);
    await expect.poll(() => ringOffset(page, oldest)).toBeLessThan(3);
    await row.and(page.locator('[aria-selected="true"]')).waitFor();
    expect(await row.getAttribute("aria-rowindex")).toBe("61");
    const [inRow, inTable] = [
      await row.boundingBox(),
      await page.locator(".event-rows").boundingBox(),
    ];
    if (!inRow || !inTable) throw new Error("no row");
    expect(inRow.y).toBeGreaterThan(inTable.y);
    expect(inRow.y + inRow.height).toBeLessThan(inTable.y + inTable.height + 1);
  });

  test("walks through the table by arrow keys, to the last row too, and opens by Enter", async () => {
    const { page } = await open("guest", `/catalogues/${id}`);
    await drawn(page);
    await page.getByRole("grid").focus();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("End");
    const last = page.locator('.event-row[aria-selected="true"]');
    await expect.poll(() => last.getAttribute("aria-rowindex")).toBe(String(COUNT + 1));
    const chosen = new URL(page.url()).searchParams.get("event");
    await page.keyboard.press("Enter");
    await expect
      .poll(() => new URL(page.url()).pathname)
      .toBe(`/catalogues/${id}/events/${chosen}`);
  });

  test("sorts by magnitude both ways", async () => {
    const { page } = await open("guest", `/catalogues/${id}`);
    const first = () =>
      page.locator(".event-row").first().getByRole("gridcell").nth(1).textContent();
    await page.getByRole("button", { name: "Mag." }).click();
    const { body } = await editor.get<{ max_magnitude: number; min_magnitude: number }>(
      `/api/catalogues/${id}`,
    );
    await expect.poll(first).toBe(String(body.max_magnitude));
    await page.getByRole("button", { name: "Mag." }).click();
    await expect.poll(first).toBe(String(body.min_magnitude));
  });

  test("shows only what the map shows, when asked to, and follows it", async () => {
    const { page } = await open("viewer", `/catalogues/${id}?map=7/-41/174`);
    await drawn(page);
    expect(await shownCount(page)).toBe(COUNT);
    await page.getByLabel("Only what the map shows").check();
    const exported = async () => new URL(await exportAddress(page), service.url).searchParams;
    /** How far the box that is counted and exported is from the one of the map, degrees. */
    const offset = async () => {
      const [{ box }, query] = [await mapViewOf(page), await exported()];
      return Math.max(...EDGES.map((edge) => Math.abs(Number(query.get(edge)) - box[edge])));
    };
    const expectServiceCount = async () => {
      await expect.poll(offset).toBeLessThan(0.05);
      const query = await exported();
      const box = new URLSearchParams(EDGES.map((edge) => [edge, query.get(edge) ?? ""]));
      const { body } = await editor.get<{ count: number }>(
        `/api/catalogues/${id}/events/filtered?${box}`,
      );
      expect(body.count).toBeGreaterThan(0);
      expect(body.count).toBeLessThan(COUNT);
      expect(await shownCount(page)).toBe(body.count);
      return body.count;
    };
    const before = await expectServiceCount();
    const { pathname, search } = new URL(page.url());
    const map = await page.locator(".map").boundingBox();
    if (!map) throw new Error("no map");
    await page.mouse.move(map.x + 150, map.y + 150);
    await page.mouse.down();
    // In one step, after which the map does not glide on.
    await page.mouse.move(map.x + 300, map.y + 100);
    await page.mouse.up();
    await page.waitForURL((now) => now.pathname === pathname && now.search !== search);
    expect(new URL(page.url()).searchParams.get("inMap")).toBe("1");
    expect(await expectServiceCount()).not.toBe(before);
    await page.locator(".map").press("0");
    await expect.poll(() => shownCount(page)).toBe(COUNT);
  });

  test("puts both sides of the date line together, also within a box across it", async () => {
    const events = [179.5, -179.5].map((longitude, i) => ({
      time: `2020-01-0${i + 1}T00:00:00Z`,
      latitude: -20,
      longitude,
      magnitude: 5,
    }));
    const { id: both } = await createCatalogue(editor, { name: "Fiji", events, is_public: true });
    const { page } = await open("guest", `/catalogues/${both}?inMap=1`);
    await drawn(page);
    await expect.poll(() => shownCount(page)).toBe(2);
    await page.locator(".map").press("0");
    await expect.poll(() => new URL(page.url()).searchParams.has("map")).toBe(true);
    const map = await mapViewOf(page);
    expect(map.zoom).toBeGreaterThan(6);
    expect(Math.abs(map.longitude)).toBeGreaterThan(179.9);
    for (const event of events) {
      const point = map.pointOf(event);
      expect(map.has(point)).toBe(true);
      expect(await inkOf(page, point)).toBeGreaterThan(0);
    }
    expect(await shownCount(page)).toBe(2);

    await page.goto(`/catalogues/${both}?minLongitude=179&maxLongitude=-179`);
    await drawn(page);
    expect(await shownCount(page)).toBe(2);
    expect(await page.getByRole("grid").getAttribute("aria-rowcount")).toBe("3");
    await page.getByLabel("Longitude from").fill("179.6");
    await expect.poll(() => shownCount(page)).toBe(1);
  });

  test("shows an earlier version under a bar, without anything to edit, and leads back", async () => {
    const created = await createCatalogue(editor, { events: [...generateEvents(6, 10)] });
    await editor.send("PATCH", `/api/catalogues/${created.id}`, { is_public: true });
    await editor.send("POST", `/api/catalogues/${created.id}/events`, {
      events: [...generateEvents(7, 5)].map((event, i) => ({ ...event, source_id: `new ${i}` })),
    });
    const { page } = await open("editor", `/catalogues/${created.id}?asOf=1`);
    await page.getByText("Version 1 of 2, ").waitFor();
    expect(await shownCount(page)).toBe(10);
    expect(await page.getByRole("button", { name: "Edit", exact: true }).count()).toBe(0);
    await page.getByRole("button", { name: "To the latest" }).click();
    await expect.poll(() => shownCount(page)).toBe(15);
    await page.getByRole("button", { name: "Edit", exact: true }).waitFor();
    await page.locator("body").press("[");
    await expect.poll(() => shownCount(page)).toBe(10);
  });

  test("asks for the settings once for all that need them, and again after a failure", async () => {
    let asked = 0;
    const { page, allow } = await open("guest");
    const held = Promise.withResolvers<void>();
    await page.route("**/api/settings", async (route) => {
      asked += 1;
      await held.promise;
      await route.continue();
    });
    await page.goto(`/catalogues/${id}`);
    await drawn(page);
    held.resolve();
    await page.waitForLoadState("networkidle");
    expect(asked).toBe(1);
    allow(/ERR_FAILED/);
    await page.route("**/api/settings", (route) => route.abort(), { times: 1 });
    await page.goto("/login", { waitUntil: "networkidle" });
    expect(asked).toBe(1);
    await page.getByRole("link", { name: "Register" }).first().click();
    await expect.poll(() => asked).toBe(2);
  });

  test("offers a version that comes, and stays where it is until it is asked", async () => {
    const { id: live } = await createCatalogue(editor, {
      events: [...generateEvents(8, 10)],
      is_public: true,
    });
    const { page } = await open("guest");
    const feed = page.waitForResponse((response) => response.url().includes("/feed?"));
    await page.goto(`/catalogues/${live}`);
    await drawn(page);
    await feed;
    await editor.send("POST", `/api/catalogues/${live}/events`, {
      events: [{ time: "2024-01-01T00:00:00Z", latitude: 1, longitude: 1, magnitude: 4 }],
    });
    await page.getByText("Version 2 has arrived.").waitFor();
    expect(await shownCount(page)).toBe(10);
    await page.getByRole("button", { name: "Show it" }).click();
    await expect.poll(() => shownCount(page)).toBe(11);
    await page.getByText("has arrived").waitFor({ state: "detached" });
  });

  test("holds no stream while its tab is hidden, and offers then what has come meanwhile", async () => {
    const { id: live } = await createCatalogue(editor, {
      events: [...generateEvents(9, 10)],
      is_public: true,
    });
    const { page } = await open("guest");
    const see = (isSeen: boolean) =>
      page.evaluate((hidden) => {
        Object.defineProperty(document, "hidden", { configurable: true, get: () => hidden });
        document.dispatchEvent(new Event("visibilitychange"));
      }, !isSeen);
    const feed = page.waitForRequest((request) => request.url().includes("/feed?"));
    await page.goto(`/catalogues/${live}`);
    await drawn(page);
    const closed = page.waitForEvent("requestfailed", {
      predicate: (request) => request.url().includes("/feed?"),
    });
    await feed;
    await see(false);
    await closed;
    await editor.send("POST", `/api/catalogues/${live}/events`, {
      events: [{ time: "2024-01-01T00:00:00Z", latitude: 1, longitude: 1, magnitude: 4 }],
    });
    await see(true);
    await page.getByText("Version 2 has arrived.").waitFor();
  });

  test("loads no more than 128 KiB of scripts", async () => {
    const { page } = await open("guest", `/catalogues/${id}`);
    await drawn(page);
    const bytes = await page.evaluate(() =>
      performance
        .getEntriesByType("resource")
        .filter(({ name }) => name.endsWith(".js"))
        .reduce((sum, entry) => sum + (entry as PerformanceResourceTiming).encodedBodySize, 0),
    );
    expect(bytes).toBeGreaterThan(30 * 1_024);
    expect(bytes).toBeLessThan(128 * 1_024);
  });
});
