import type { Page } from "playwright-core";
import type { ApiClient } from "../../support/api-client.ts";

type Box = {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
};

/** Where an element lies in the window, pixels. */
export async function boxOf(page: Page, selector: string): Promise<Box> {
  const box = await page.locator(selector).first().boundingBox();
  if (!box) throw new Error(`${selector} is not there`);
  return box;
}

/** Waits for a picture of the events. */
export const drawn = (page: Page) => page.locator("[data-drawn]").waitFor();

/** How many events the page says that it shows. */
export async function shownCount(page: Page): Promise<number> {
  const text = await page.locator(".shown strong").textContent();
  return Number(text?.replaceAll(",", ""));
}

/** How many events of a catalogue satisfy filters. */
export async function filteredCount(
  client: ApiClient,
  catalogue: string,
  filters: URLSearchParams,
): Promise<number> {
  const { body } = await client.get<{ count: number }>(
    `/api/catalogues/${catalogue}/events/filtered?${filters}`,
  );
  return body.count;
}
