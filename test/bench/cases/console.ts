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

/**
 * The work page of a catalogue in a real browser: from its address to the first picture, and frames
 * while the map is dragged.
 */
export async function benchConsole(
  bench: BenchService,
  targets: readonly ConsoleTargets[],
  repetitions: number,
): Promise<Result[]> {
  if (!hasChromium) return [];
  const { url, token, shared } = bench;
  const results: Result[] = [];
  for (const { events, firstPictureMs } of targets) {
    const catalogue = await shared.of(events);
    const size = `${events} events`;
    const pictures = await firstPictures(bench, catalogue, repetitions);
    results.push(within(["console, first picture", size, "ms"], firstPictureMs, pictures));
    const frames = await inWindow(url, token, async (page) => {
      await firstPicture(page, catalogue);
      return dragged(page);
    });
    results.push(
      within(["console, frame while dragging", size, "ms"], FRAME_MS, frames),
      within(["console, longest frame, edge filled", size, "ms"], EDGE_MS, [Math.max(...frames)]),
    );
  }
  return results;
}

/** From the address to the first picture, ms, each in a browser of its own. */
export async function firstPictures(
  { url, token }: BenchService,
  catalogue: Pick<SharedCatalogue, "id">,
  repetitions: number,
): Promise<readonly number[]> {
  const pictures: number[] = [];
  for (let n = 0; n < repetitions; n++) {
    pictures.push(await inWindow(url, token, (page) => firstPicture(page, catalogue)));
  }
  return pictures;
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
async function firstPicture(page: Page, { id }: Pick<SharedCatalogue, "id">): Promise<number> {
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
