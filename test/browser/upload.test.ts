import { readFile } from "node:fs/promises";
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";
import type { Catalogue } from "#contracts/http/catalogue.ts";
import type { UploadResult } from "#contracts/http/upload.ts";
import { createCatalogue } from "../api/support/catalogue.ts";
import { fileForm } from "../api/support/file-form.ts";
import { useReachableService } from "../clients/support/reachable-service.ts";
import type { ApiClient } from "../support/api-client.ts";
import { violationsOf } from "./support/axe.ts";
import { openBrowser } from "./support/browser.ts";
import { hasChromium } from "./support/chromium.ts";
import { signInAs } from "./support/sign-in.ts";

/** A line that cannot be read, notes, an event out of place, and one without magnitude. */
const FILE = `publicid,origintime,breite,longitude,depth,magnitude,eventtype
a1,2021-03-04T13:27:34Z,-37.4793,179.5631,94.2,7.3,earthquake
a2,2021-03-04T17:41:23Z,-29.6231,-177.8812,33.0,,earthquake
a3,"2021-03-04T19:28:31Z
a4,2021-03-05T00:16:02Z,-137.5120,179.4205,21.8,5.1,not locatable
a5,2021-03-05T01:16:02Z,-37.5120,179.4205,21.8,5.1,no such type
`.replace('"', "");

const service = await useReachableService();
let editor: ApiClient;

async function read(page: Page, text = FILE): Promise<void> {
  await page.goto("/upload");
  const buffer = Buffer.from(text);
  await page.getByLabel("File").setInputFiles({ name: "swarm.csv", mimeType: "text/csv", buffer });
  await page.getByRole("button", { name: "Read the file" }).click();
}

const named = async (name: string): Promise<readonly Catalogue[]> => {
  const { body } = await editor.get<{ catalogues: Catalogue[] }>(`/api/catalogues?search=${name}`);
  return body.catalogues;
};

describe.skipIf(!hasChromium)("an upload", () => {
  beforeAll(async () => {
    editor = await service.loginAs("editor");
  });

  test("reports the lines of a file before anything is created", async () => {
    const { page } = await openBrowser(service.url);
    await signInAs(page, service, "editor");
    await read(page);
    const answer = await editor.send<UploadResult>("POST", "/api/upload", fileForm(FILE));
    const { rowCount, errorCount, warningCount, errors, warnings } = answer.body;
    expect(errorCount).toBeGreaterThan(0);
    expect(warningCount).toBeGreaterThan(0);
    await page
      .getByText(`${rowCount} rows of csv, ${errorCount} unreadable, ${warningCount} notes`)
      .waitFor();
    const report = page.getByRole("region", { name: "Lines" });
    for (const { line, message } of [...errors, ...warnings]) {
      const row = report.getByRole("row").filter({ hasText: message });
      expect(await row.getByRole("cell").first().textContent()).toBe(String(line));
      await row.getByText(FILE.split("\n")[line - 1] ?? "").waitFor();
    }
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Download the report" }).click(),
    ]);
    const saved = await readFile(await download.path(), "utf8");
    expect(saved.split("\r\n")).toHaveLength(errorCount + warningCount + 2);
    expect(await named("swarm")).toEqual([]);
  });

  test("makes a catalogue of its columns as chosen, and tells which rows were refused", async () => {
    const { page } = await openBrowser(service.url);
    await signInAs(page, service, "editor");
    await read(page);
    await page.getByText("No column is read as latitude").waitFor();
    await page.getByLabel("breite is read as").selectOption("latitude");
    await page.getByLabel("Name").fill("Partly");
    await page.getByRole("button", { name: /^Create it of/ }).click();
    await page.getByText(/^\d of \d rows are events of the new catalogue$/).waitFor();
    const refused = page.getByRole("region", { name: "Refused rows" }).getByRole("row");
    await expect.poll(() => refused.nth(1).textContent()).toMatch(/latitude/);
    const [catalogue] = await named("Partly");
    const told = page.getByText("rows are events of the new catalogue");
    expect(await told.textContent()).toMatch(RegExp(`^${catalogue?.event_count} of`));
    await page.getByRole("link", { name: "Open the catalogue" }).click();
    await page.getByRole("heading", { name: "Partly" }).waitFor();
  });

  test("makes events of all rows, also of those that are not shown", async () => {
    const rows = Array.from(
      { length: 150 },
      (_, i) => `2021-03-04T13:00:${10 + (i % 50)}.${i}Z,1,2,,x`,
    );
    const { page } = await openBrowser(service.url);
    await signInAs(page, service, "editor");
    await read(page, `time,latitude,longitude,magnitude,breite\n${rows.join("\n")}\n`);
    await page.getByText("100 rows of the first 100 without a magnitude").waitFor();
    await page.getByLabel("Name").fill("Long");
    await page.getByRole("button", { name: "Create it of 150 rows" }).click();
    await page.getByText("150 of 150 rows are events of the new catalogue").waitFor();
  });

  test("adds to a catalogue that is there, without what is there already", async () => {
    const id = (await createCatalogue(editor, { name: "There already", events: [] })).id;
    const { page } = await openBrowser(service.url);
    await signInAs(page, service, "editor");
    const row = "b1,2021-03-04T13:27:34Z,-37.4,179.5,4.2";
    for (const outcome of [
      "1 new, 0 updated, 0 there already",
      "0 new, 0 updated, 1 there already",
    ]) {
      await read(page, `id,time,latitude,longitude,magnitude\n${row}\n`);
      await page.getByLabel("one that is there").check();
      await page.getByLabel("Catalogue", { exact: true }).selectOption(id);
      await page.getByRole("button", { name: "Add 1 row" }).click();
      await page.getByText(`1 of 1 rows are events: ${outcome}`).waitFor();
    }
  });

  test("says line by line why a file cannot be read", async () => {
    const { page, allow } = await openBrowser(service.url);
    allow(/status of (4|5)00/);
    await signInAs(page, service, "editor");
    await read(page, "time,latitude,longitude\nnever\n");
    await page.getByText("The file has no row that can be read").waitFor();
    await expect.poll(() => page.getByRole("cell").first().textContent()).toBe("2");
  });

  test.each(["light", "dark"] as const)("axe objects to nothing when %s", async (theme) => {
    const { page } = await openBrowser(service.url, { theme });
    await signInAs(page, service, "editor");
    await read(page);
    await page.getByRole("heading", { name: "Columns" }).waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await page.getByLabel("breite is read as").selectOption("latitude");
    await page.getByRole("button", { name: /^Create it of/ }).click();
    await page.getByText("rows are events of the new catalogue").waitFor();
    expect(await violationsOf(page)).toEqual([]);
  });
});
