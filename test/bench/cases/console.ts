import { join } from "node:path";
import type { Page } from "playwright-core";
import type { BenchService, SharedCatalogue } from "../../support/bench-service.ts";
import { hasChromium, launchChromium } from "../../support/chromium.ts";
import { createTemporaryDirectory } from "../../support/temporary-directory.ts";
import { type Result, within } from "../measure.ts";

/** What may be taken, by the catalogue's size. */
export type ConsoleTargets = { readonly events: number; readonly firstPictureMs: number };

const FRAME_MS = 1_000 / 45;
const EDGE_MS = 250;
const FILTER_MS = 150;
const HEAP_MIB = 300;
const LAST_ROW_MS = 250;
const SORT_MS = 400;
/** The page waits for a pause in typing before it filters. */
const PAUSE_MS = 250;

/**
 * The work page of a catalogue in a real browser: from its address to the first picture, frames
 * while the map is dragged, from a filter to its picture, and the heap.
 */
export async function benchConsole(
  { url, token, shared }: BenchService,
  targets: readonly ConsoleTargets[],
  repetitions: number,
): Promise<Result[]> {
  if (!hasChromium) return [];
  const results: Result[] = [];
  for (const { events, firstPictureMs } of targets) {
    const catalogue = await shared.of(events);
    const size = `${events} events`;
    const pictures: number[] = [];
    for (let n = 0; n < repetitions; n++) {
      pictures.push(await inWindow(url, token, (page) => firstPicture(page, catalogue)));
    }
    results.push(within(["console, first picture", size, "ms"], firstPictureMs, pictures));
    const used = await inWindow(url, token, async (page) => {
      await firstPicture(page, catalogue);
      const frames = await dragged(page);
      const filters: number[] = [];
      for (const magnitude of ["2", "3", "2.5", "4", "1"])
        filters.push(await filtered(page, magnitude));
      await lastRow(page, events);
      const rows = [await lastRow(page, events), await lastRow(page, events)];
      const sort = await sorted(page);
      return { frames, filters, rows, sort, heap: await heapMib(page) };
    });
    const longest = Math.max(...used.frames);
    results.push(
      within(["console, frame while dragging", size, "ms"], FRAME_MS, used.frames),
      within(["console, longest frame, edge filled", size, "ms"], EDGE_MS, [longest]),
      within(["console, filter to frame", size, "ms"], FILTER_MS, used.filters),
      within(["console, last row", size, "ms"], LAST_ROW_MS, used.rows),
      within(["console, sort by magnitude", size, "ms"], SORT_MS, [used.sort]),
      within(["console, heap", size, "MiB"], HEAP_MIB, [used.heap]),
    );
  }
  return results;
}

/** A new browser, with nothing kept from before. */
async function inWindow<T>(
  url: string,
  token: string,
  act: (page: Page) => Promise<T>,
): Promise<T> {
  const directory = await createTemporaryDirectory();
  const context = await launchChromium(join(directory.path, "profile"), url);
  try {
    await context.setExtraHTTPHeaders({ authorization: `Bearer ${token}` });
    return await act(context.pages()[0] ?? (await context.newPage()));
  } finally {
    await context.close();
    await directory.remove();
  }
}

/** In a browser that runs, but has nothing of the console in its cache. */
async function firstPicture(page: Page, { id }: SharedCatalogue): Promise<number> {
  await page.goto("/status");
  await page.getByRole("heading").first().waitFor();
  const session = await page.context().newCDPSession(page);
  await session.send("Network.clearBrowserCache");
  await page.goto(`/catalogues/${id}`);
  await page.locator("[data-drawn]").waitFor();
  return page.evaluate<number>("performance.now()");
}

/** Drags the map to and fro and away; the time of each frame, ms. */
async function dragged(page: Page): Promise<readonly number[]> {
  const box = await page.locator(".map").boundingBox();
  if (!box) throw new Error("there is no map");
  const [x, y] = [box.x + box.width / 3, box.y + box.height / 3];
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.evaluate(`
    globalThis.frames = [];
    requestAnimationFrame(function count(at) {
      globalThis.frames.push(at);
      requestAnimationFrame(count);
    });
  `);
  for (let i = 0; i < 150; i++) {
    await page.mouse.move(x + Math.round(200 * Math.sin(i / 12)), y + i);
  }
  const times = await page.evaluate<number[]>("Array.from(globalThis.frames)");
  await page.mouse.up();
  return times.slice(1).map((at, i) => at - (times[i] ?? at));
}

/** From the end of typing to the frame that shows the filtered events, ms. */
async function filtered(page: Page, magnitude: string): Promise<number> {
  const ms = await page.evaluate<number>(`(async () => {
    const input = document.querySelector('input[aria-label="Magnitude from"]');
    const text = () => document.querySelector(".shown strong").textContent;
    const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
    const before = text();
    const began = performance.now();
    input.value = ${JSON.stringify(magnitude)};
    input.dispatchEvent(new Event("input", { bubbles: true }));
    while (text() === before) await frame();
    await frame();
    await frame();
    return performance.now() - began;
  })()`);
  return ms - PAUSE_MS;
}

/** From the first row to the last, by its key, ms; all events are shown. */
async function lastRow(page: Page, events: number): Promise<number> {
  await page
    .getByRole("button", { name: "Clear" })
    .click({ timeout: 1_000 })
    .catch(() => undefined);
  const rowIndex = () =>
    page.locator('.event-row[aria-selected="true"]').getAttribute("aria-rowindex");
  await page.getByRole("grid").focus();
  await page.keyboard.press("Home");
  while ((await rowIndex()) !== "2") await page.waitForTimeout(20);
  const began = performance.now();
  await page.keyboard.press("End");
  while ((await rowIndex()) !== String(events + 1)) await page.waitForTimeout(5);
  return performance.now() - began;
}

/** From the click on a column's name to the frame with the rows in its order, ms. */
function sorted(page: Page): Promise<number> {
  return page.evaluate<number>(`(async () => {
    const button = [...document.querySelectorAll(".event-head button")].find(
      (one) => one.textContent.startsWith("Mag."),
    );
    const head = button.closest("[role=columnheader]");
    const began = performance.now();
    button.click();
    while (head.getAttribute("aria-sort") !== "descending") {
      await new Promise((resolve) => requestAnimationFrame(resolve));
    }
    return performance.now() - began;
  })()`);
}

/** What scripts hold once garbage is collected, their arrays included. */
async function heapMib(page: Page): Promise<number> {
  const session = await page.context().newCDPSession(page);
  await session.send("HeapProfiler.collectGarbage");
  const { usedSize, backingStorageSize } = await session.send("Runtime.getHeapUsage");
  return (usedSize + (backingStorageSize ?? 0)) / 1024 ** 2;
}
