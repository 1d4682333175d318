import type { Page } from "playwright-core";

/** A line that cannot be read, notes, an event out of place, and one without magnitude. */
export const FILE = `publicid,origintime,breite,longitude,depth,magnitude,eventtype
a1,2021-03-04T13:27:34Z,-37.4793,179.5631,94.2,7.3,earthquake
a2,2021-03-04T17:41:23Z,-29.6231,-177.8812,33.0,,earthquake
a3,"2021-03-04T19:28:31Z
a4,2021-03-05T00:16:02Z,-137.5120,179.4205,21.8,5.1,not locatable
a5,2021-03-05T01:16:02Z,-37.5120,179.4205,21.8,5.1,no such type
`.replace('"', "");

export const fileField = (page: Page) => page.locator('input[type="file"]');

/** Chooses a file of this content on the page of uploads. */
export async function choose(page: Page, content: string | Buffer): Promise<void> {
  const buffer = Buffer.from(content);
  await fileField(page).setInputFiles({ name: "swarm.csv", mimeType: "text/csv", buffer });
}

/** Opens the page of uploads and reads a file there. */
export async function read(page: Page, text: string | Buffer = FILE): Promise<void> {
  await page.goto("/upload");
  await choose(page, text);
}

/** What a file was read as. */
export const report = (page: Page) => page.getByRole("region", { name: "What is in it" });
