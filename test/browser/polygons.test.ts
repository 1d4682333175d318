import type { Page } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";
import { createCatalogue } from "../api/support/catalogue.ts";
import type { ApiClient } from "../support/api-client.ts";
import { hasChromium } from "../support/chromium.ts";
import { generateEvents } from "../support/generate-catalogue.ts";
import { useReachableService } from "../support/reachable-service.ts";
import { violationsOf } from "./support/axe.ts";
import { openBrowser } from "./support/browser.ts";
import { boxOf, drawn, filteredCount, shownCount } from "./support/shown-events.ts";
import { signInAs } from "./support/sign-in.ts";

const service = await useReachableService();
const COUNT = 2_000;

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

describe.skipIf(!hasChromium)("a polygon on the map", () => {
  let editor: ApiClient;
  let id: string;

  beforeAll(async () => {
    editor = await service.loginAs("editor");
    const events = [...generateEvents(5, COUNT)];
    ({ id } = await createCatalogue(editor, { name: "Taupō", events, is_public: true }));
  });

  const countOf = (polygon: string) => filteredCount(editor, id, new URLSearchParams({ polygon }));

  test("is clicked vertex by vertex and closed by a double click; it filters, and is taken away", async () => {
    const { page } = await openBrowser(service.url);
    await page.goto(`/catalogues/${id}`);
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
    const { page } = await openBrowser(service.url);
    await page.goto(`/catalogues/${id}`);
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
    const { page } = await openBrowser(service.url);
    await page.goto(`/catalogues/${id}?map=7/-41/174`);
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
    const { page, context } = await openBrowser(service.url, { width: 390, height: 844 });
    await page.goto(`/catalogues/${id}?map=6/-41/174`);
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
    const { page } = await openBrowser(service.url);
    await page.goto(`/catalogues/${own}?map=8/-37/180`);
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
    const { page } = await openBrowser(service.url);
    await signInAs(page, service, "viewer");
    await page.goto(`/catalogues/${id}`);
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
