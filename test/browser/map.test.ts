import type { Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { createCatalogue } from "../support/api/catalogue.ts";
import type { ApiClient } from "../support/api-client.ts";
import { generateEvents } from "../support/generate-catalogue.ts";
import { describeConsole, openBrowser, sharedConsole, violationsOf } from "./support/console.ts";
import { boxOf, drawn, filteredCount, mapViewOf, shownCount } from "./support/on-map.ts";

const { service, open } = sharedConsole();
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

let editor: ApiClient;
let id: string;

beforeAll(async () => {
  editor = await service.loginAs("editor");
  const events = [...generateEvents(5, COUNT)];
  ({ id } = await createCatalogue(editor, { name: "Taupō", events, is_public: true }));
});

describeConsole("the map", () => {
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
    const { page } = await open("guest", `/catalogues/${own}?inMap=1`);
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
    const { page } = await open("guest", `/catalogues/${own}?inMap=1`);
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
      const { page } = await open("guest", `/catalogues/${own}?map=7/-38/176`);
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
    const { page } = await open("guest", `/catalogues/${id}`);
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
    const { page } = await open("guest", `/catalogues/${dense}`);
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
    const { page } = await open("guest", `/catalogues/${id}`);
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
    const { page } = await open("guest", `/catalogues/${id}`);
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
    const { page } = await open("guest", `/catalogues/${id}?map=6/0/0`);
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
    const { page } = await open("guest", `/catalogues/${id}`);
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
    const { page } = await open("guest");
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
    const { page } = await open("guest");
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
    const { page } = await open("guest", `/catalogues?search=${encodeURIComponent(name)}`);
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

/** Shares of the map's sides. */
type At = readonly [number, number];
const CORNERS: readonly At[] = [
  [0.3, 0.3],
  [0.7, 0.35],
  [0.6, 0.7],
  [0.35, 0.6],
];

const polygonOf = (page: Page) => new URL(page.url()).searchParams.get("polygon");
const tool = (page: Page) => page.getByRole("button", { name: "Filter by a polygon" });

/** The vertices of a polygon's one ring, without that which closes it. */
function verticesOf(wkt: string | null): readonly (readonly number[])[] {
  const [, ring = ""] = /^POLYGON ?\(\(([^()]*)\)\)$/.exec(wkt ?? "") ?? [];
  return ring
    .split(",")
    .slice(0, -1)
    .map((place) => place.trim().split(" ").map(Number));
}

async function pointsOf(page: Page, shares: readonly At[]): Promise<readonly At[]> {
  const map = await boxOf(page, ".map");
  return shares.map(([x, y]) => [map.x + x * map.width, map.y + y * map.height] as const);
}

async function click(page: Page, shares: readonly At[]): Promise<void> {
  for (const [x, y] of await pointsOf(page, shares)) await page.mouse.click(x, y);
}

describeConsole("a polygon on the map", () => {
  const countOf = (polygon: string) => filteredCount(editor, id, new URLSearchParams({ polygon }));

  test("is clicked vertex by vertex and closed by a double click; it filters, and is taken away", async () => {
    const { page } = await open("guest", `/catalogues/${id}`);
    await drawn(page);
    const [, , , last] = await pointsOf(page, CORNERS);
    await tool(page).click();
    await click(page, CORNERS.slice(0, 3));
    await page.getByText("3 vertices").waitFor();
    if (last) await page.mouse.dblclick(...last);
    await expect.poll(() => verticesOf(polygonOf(page)).length).toBe(4);
    const count = await countOf(polygonOf(page) ?? "");
    expect(count).toBeGreaterThan(0);
    expect(count).toBeLessThan(COUNT);
    await expect.poll(() => shownCount(page)).toBe(count);
    expect(new URL(page.url()).searchParams.has("map")).toBe(false);
    await page.getByText("Polygon of 4 vertices").waitFor();
    await page.reload();
    await drawn(page);
    await expect.poll(() => shownCount(page)).toBe(count);
    await page.getByRole("button", { name: "Remove the polygon" }).click();
    await expect.poll(() => shownCount(page)).toBe(COUNT);
    expect(polygonOf(page)).toBeNull();
  });

  test("is closed by Enter or its first vertex; Backspace takes a vertex back, Escape all", async () => {
    const { page } = await open("guest", `/catalogues/${id}`);
    await drawn(page);
    await page.locator("body").press("p");
    await click(page, CORNERS);
    await page.keyboard.press("Backspace");
    await page.getByText("3 vertices").waitFor();
    await page.keyboard.press("Enter");
    await expect.poll(() => verticesOf(polygonOf(page)).length).toBe(3);
    await tool(page).click();
    await click(page, CORNERS.slice(1));
    await page.keyboard.press("Escape");
    await expect.poll(() => tool(page).getAttribute("aria-pressed")).toBe("false");
    expect(await page.getByText("Stop drawing").count()).toBe(0);
    expect(verticesOf(polygonOf(page)).length).toBe(3);
    await tool(page).click();
    await click(page, [...CORNERS, ...CORNERS.slice(0, 1)]);
    await expect.poll(() => verticesOf(polygonOf(page)).length).toBe(4);
  });

  test("is drawn by keys alone, at the middle of the map that the arrows move", async () => {
    const { page } = await open("guest", `/catalogues/${id}?map=7/-41/174`);
    await drawn(page);
    await page.locator("body").press("p");
    const before = await shownCount(page);
    for (const keys of [[], ["ArrowRight"], ["ArrowDown"], ["ArrowLeft"]]) {
      for (const key of keys) {
        const view = page.url();
        await page.keyboard.press(key);
        await expect.poll(() => page.url()).not.toBe(view);
      }
      await page.keyboard.press("Space");
    }
    expect(await page.locator(".map.aiming").count()).toBe(1);
    expect(await violationsOf(page)).toEqual([]);
    await page.keyboard.press("Enter");
    await expect.poll(() => verticesOf(polygonOf(page)).length).toBe(4);
    const [[west = 0] = [], [east = 0] = []] = verticesOf(polygonOf(page));
    expect(west).toBeCloseTo(174, 1);
    expect(east).toBeGreaterThan(west);
    await expect.poll(() => shownCount(page)).toBeLessThan(before);
  });

  test("is drawn by a finger, with buttons in place of keys, and the map is dragged meanwhile", async () => {
    const { page, context } = await open("guest", `/catalogues/${id}?map=6/-41/174`, {
      width: 390,
      height: 844,
    });
    await drawn(page);
    await tool(page).click();
    const session = await context.newCDPSession(page);
    const touch = async (type: string, at: At | null) => {
      const touchPoints = at ? [{ x: at[0], y: at[1] }] : [];
      await session.send("Input.dispatchTouchEvent", { type: type as "touchStart", touchPoints });
    };
    const tap = async (at: At) => {
      await touch("touchStart", at);
      await touch("touchEnd", null);
    };
    const [a, b, c, d] = await pointsOf(page, CORNERS);
    if (!a || !b || !c || !d) throw new Error("no places");
    await tap(a);
    await page.getByText("1 vertex").waitFor();
    const view = page.url();
    await touch("touchStart", d);
    await touch("touchMove", c);
    await touch("touchEnd", null);
    await expect.poll(() => page.url()).not.toBe(view);
    for (const at of [b, c, d]) await tap(at);
    await page.getByText("4 vertices").waitFor();
    await page.getByRole("button", { name: "Take back" }).click();
    await page.getByText("3 vertices").waitFor();
    await page.getByRole("button", { name: "Close", exact: true }).click();
    await expect.poll(() => verticesOf(polygonOf(page)).length).toBe(3);
  });

  test("goes on across the antimeridian", async () => {
    const events = [179.5, -179.5, 178.2].map((longitude, i) => ({
      time: `2020-01-0${i + 1}T00:00:00Z`,
      latitude: -37,
      longitude,
      magnitude: 5,
    }));
    const { id: own } = await createCatalogue(editor, { events, is_public: true });
    const { page } = await open("guest", `/catalogues/${own}?map=8/-37/180`);
    await drawn(page);
    await tool(page).click();
    await click(page, [
      [0.2, 0.2],
      [0.8, 0.2],
      [0.8, 0.8],
      [0.2, 0.8],
      [0.2, 0.2],
    ]);
    await expect.poll(() => verticesOf(polygonOf(page)).length).toBe(4);
    const longitudes = verticesOf(polygonOf(page)).map(([longitude = 0]) => longitude);
    expect(Math.max(...longitudes) - Math.min(...longitudes)).toBeLessThan(10);
    await expect.poll(() => shownCount(page)).toBe(2);
  });

  test("is typed as WKT, with what is wrong with it at its field, and holds on the page of analyses", async () => {
    const { page } = await open("viewer", `/catalogues/${id}`);
    await drawn(page);
    await page.getByRole("button", { name: "More…" }).click();
    const field = page.getByLabel("Polygon WKT");
    await field.fill("POLYGON ((172 -42, 176 -42, 176 -38");
    await page.locator("[aria-invalid=true]").waitFor();
    await page.getByText(/at character \d+/).waitFor();
    expect(polygonOf(page)).toBeNull();
    const wkt = "POLYGON ((172 -42, 176 -42, 176 -38, 172 -42))";
    await field.fill(wkt);
    await expect.poll(() => polygonOf(page)).toBe(wkt);
    await page.getByRole("link", { name: "Analytics", exact: true }).click();
    await page.getByRole("heading", { name: /^Analytics of/ }).waitFor();
    expect(polygonOf(page)).toBe(wkt);
    await page
      .getByText(/polygon/i)
      .first()
      .waitFor();
  });
});

const at = (latitude: number, longitude: number, day: number) => ({
  time: `2024-05-0${day}T08:24:10Z`,
  latitude,
  longitude,
  depth: 5,
  magnitude: 2.6,
});

describeConsole("where an event is", () => {
  let id: string;

  beforeAll(async () => {
    ({ id } = await createCatalogue(editor, {
      events: [
        { ...at(-38.76, 176.18, 4), region: "Taupō fault belt" },
        at(-38.76, 176.18, 3),
        at(-38.68, 178.9, 2),
        at(-45, -130, 1),
      ],
      is_public: true,
    }));
  });

  test("is told in words: its own region, the nearest place, or the ocean", async () => {
    const { page } = await open("guest");
    let files = 0;
    page.on("request", (request) => {
      if (request.url().includes("/assets/places-near")) files += 1;
    });
    await page.goto(`/catalogues/${id}`);
    const rows = page.locator(".event-where");
    await expect
      .poll(() => rows.allInnerTexts())
      .toEqual([
        "Taupō fault belt",
        "12 km SE of Taupo",
        "78 km E of Gisborne",
        "South Pacific Ocean",
      ]);
    // A few kilobytes each, of some 64.
    expect(files).toBeLessThan(12);
    await page.locator(".event-row").nth(1).click();
    await page.getByRole("status").getByText("M 2.6 · 12 km SE of Taupo · 5 km deep").waitFor();
  });

  test("stands in the differences of versions", async () => {
    const { page } = await open("guest", `/catalogues/${id}/versions?from=0&to=1`);
    await page.getByRole("cell", { name: "12 km SE of Taupo" }).waitFor();
    await page.getByRole("cell", { name: "South Pacific Ocean" }).waitFor();
  });
});
