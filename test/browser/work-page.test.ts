import type { Page } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";
import { createCatalogue } from "../api/support/catalogue.ts";
import { useReachableService } from "../clients/support/reachable-service.ts";
import type { ApiClient } from "../support/api-client.ts";
import { generateEvents } from "../support/generate-catalogue.ts";
import { violationsOf } from "./support/axe.ts";
import { openBrowser } from "./support/browser.ts";
import { hasChromium } from "./support/chromium.ts";
import { inkOf } from "./support/ink-of.ts";
import { signInAs } from "./support/sign-in.ts";

const service = await useReachableService();
const COUNT = 3_000;

async function shownCount(page: Page): Promise<number> {
  const text = await page.locator(".shown strong").textContent();
  return Number(text?.replaceAll(",", ""));
}

const drawn = (page: Page) => page.locator("[data-drawn]").waitFor();

describe.skipIf(!hasChromium)("the work page of a catalogue", () => {
  let editor: ApiClient;
  let id: string;

  beforeAll(async () => {
    editor = await service.loginAs("editor");
    const events = [...generateEvents(5, COUNT)];
    ({ id } = await createCatalogue(editor, { name: "Taupō", events, is_public: true }));
  });

  test("shows a guest the events on the map and in the table", async () => {
    const { page } = await openBrowser(service.url);
    await page.goto(`/catalogues/${id}`);
    await drawn(page);
    expect(await shownCount(page)).toBe(COUNT);
    expect(await inkOf(page)).toBeGreaterThan(COUNT);
    expect(await page.getByRole("grid").getAttribute("aria-rowcount")).toBe(String(COUNT + 1));
  });

  test("counts what the service counts; its address gives the same view again", async () => {
    const { page } = await openBrowser(service.url);
    await page.goto(`/catalogues/${id}`);
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
    const exported = await editor.get(`/api/catalogues/${id}/export${search}&format=geojson`);
    expect((exported.body as { features: unknown[] }).features.length).toBe(body.count);
    await page.reload();
    await drawn(page);
    expect(await shownCount(page)).toBe(body.count);
    expect(await page.getByLabel("Magnitude from").inputValue()).toBe("2.5");
  });

  test("has its filters again after Back and Forward", async () => {
    const { page } = await openBrowser(service.url);
    await page.goto(`/catalogues/${id}`);
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
    const { page } = await openBrowser(service.url);
    await page.goto(`/catalogues/${id}`);
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
    const { body } = await editor.get<{ count: number }>(
      `/api/catalogues/${id}/events/filtered?startTime=${search.get("startTime")}&endTime=${search.get("endTime")}`,
    );
    expect(await shownCount(page)).toBe(body.count);
    await expect.poll(() => inkOf(page)).toBeLessThan(ink);
    await page.locator(".time-bars").dblclick({ position: { x: 40, y: 20 } });
    await expect.poll(() => shownCount(page)).toBe(COUNT);
  });

  test("rings the event of a chosen row, and scrolls to the row of a clicked disc", async () => {
    const { page } = await openBrowser(service.url);
    await page.goto(`/catalogues/${id}`);
    await drawn(page);
    await page.getByRole("row").nth(3).click();
    await page.locator(".map-ring").waitFor();
    const event = new URL(page.url()).searchParams.get("event");
    const listed = await editor.get<{ events: { id: string }[] }>(
      `/api/catalogues/${id}/events?limit=5&offset=0`,
    );
    expect(event).toBe(listed.body.events[2]?.id);
    const ring = await page.locator(".map-ring").boundingBox();
    if (!ring) throw new Error("no ring");
    await page.locator(".map").press("Escape");
    await page.locator(".map-ring").waitFor({ state: "detached" });
    await page.mouse.click(ring.x + ring.width / 2, ring.y + ring.height / 2);
    await page.locator(".map-ring").waitFor();
    await page.locator('.event-row[aria-selected="true"]').waitFor();
  });

  test("walks through the table by arrow keys, to the last row too, and opens by Enter", async () => {
    const { page } = await openBrowser(service.url);
    await page.goto(`/catalogues/${id}`);
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
    const { page } = await openBrowser(service.url);
    await page.goto(`/catalogues/${id}`);
    const first = () =>
      page.locator(".event-row").first().getByRole("gridcell").nth(1).textContent();
    await page.getByRole("button", { name: "Mag." }).click();
    const { body } = await editor.get<{ max_magnitude: number; min_magnitude: number }>(
      `/api/catalogues/${id}`,
    );
    await expect.poll(first).toBe(body.max_magnitude.toFixed(2));
    await page.getByRole("button", { name: "Mag." }).click();
    await expect.poll(first).toBe(body.min_magnitude.toFixed(2));
  });

  test("shows only what the map shows, when asked to, and follows it", async () => {
    const { page } = await openBrowser(service.url);
    await page.goto(`/catalogues/${id}?inMap=1`);
    await drawn(page);
    await expect.poll(() => shownCount(page)).toBe(COUNT);
    await page.locator(".map").focus();
    await page.keyboard.press("+");
    await page.keyboard.press("+");
    await expect.poll(() => shownCount(page)).toBeLessThan(COUNT);
    const zoomed = await shownCount(page);
    await page.keyboard.press("0");
    await expect.poll(() => shownCount(page)).toBeGreaterThan(zoomed);
  });

  test("puts both sides of the date line together", async () => {
    const events = [179.5, -179.5].map((longitude, i) => ({
      time: `2020-01-0${i + 1}T00:00:00Z`,
      latitude: -20,
      longitude,
      magnitude: 5,
    }));
    const { id: both } = await createCatalogue(editor, { name: "Fiji", events, is_public: true });
    const { page } = await openBrowser(service.url);
    await page.goto(`/catalogues/${both}?inMap=1`);
    await drawn(page);
    await expect.poll(() => shownCount(page)).toBe(2);
    await page.locator(".map").focus();
    await page.keyboard.press("0");
    await expect.poll(() => new URL(page.url()).searchParams.get("inMap")).toBe("1");
    expect(await shownCount(page)).toBe(2);
  });

  test("shows an earlier version under a bar, without anything to edit, and leads back", async () => {
    const created = await createCatalogue(editor, { events: [...generateEvents(6, 10)] });
    await editor.send("PATCH", `/api/catalogues/${created.id}`, { is_public: true });
    await editor.send("POST", `/api/catalogues/${created.id}/events`, {
      events: [...generateEvents(7, 5)].map((event, i) => ({ ...event, source_id: `new ${i}` })),
    });
    const { page } = await openBrowser(service.url);
    await signInAs(page, service, "editor");
    await page.goto(`/catalogues/${created.id}?asOf=1`);
    await page.getByText("Version 1 of 2, ").waitFor();
    expect(await shownCount(page)).toBe(10);
    expect(await page.getByRole("button", { name: "Edit" }).count()).toBe(0);
    await page.getByRole("button", { name: "To the latest" }).click();
    await expect.poll(() => shownCount(page)).toBe(15);
    await page.getByRole("button", { name: "Edit" }).waitFor();
    await page.locator("body").press("[");
    await expect.poll(() => shownCount(page)).toBe(10);
  });

  test("offers a version that comes, and stays where it is until it is asked", async () => {
    const { id: live } = await createCatalogue(editor, {
      events: [...generateEvents(8, 10)],
      is_public: true,
    });
    const { page } = await openBrowser(service.url);
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
  });

  test("has nothing that axe objects to in light and dark", async () => {
    const { page } = await openBrowser(service.url);
    await signInAs(page, service, "editor");
    await page.goto(`/catalogues/${id}?minMagnitude=2`);
    await drawn(page);
    expect(await violationsOf(page)).toEqual([]);
  });

  test("loads no more than 120 KiB of scripts", async () => {
    const { page } = await openBrowser(service.url);
    await page.goto(`/catalogues/${id}`);
    await drawn(page);
    const bytes = await page.evaluate(() =>
      performance
        .getEntriesByType("resource")
        .filter(({ name }) => name.endsWith(".js"))
        .reduce((sum, entry) => sum + (entry as PerformanceResourceTiming).encodedBodySize, 0),
    );
    expect(bytes).toBeGreaterThan(30 * 1_024);
    expect(bytes).toBeLessThan(120 * 1_024);
  });
});
