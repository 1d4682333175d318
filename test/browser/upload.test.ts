import { readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import type { Locator, Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import type { Catalogue } from "#contracts/http/catalogues.ts";
import type { UploadResult } from "#contracts/http/uploads.ts";
import type { SeismicEvent } from "#contracts/seismic-event/seismic-event.ts";
import { count } from "#services/console/ui/text/format.ts";
import { createCatalogue } from "../support/api/catalogue.ts";
import { fileForm } from "../support/api/file-form.ts";
import type { ApiClient } from "../support/api-client.ts";
import { hasRealData, REAL_DATA_DIR } from "../support/real-data.ts";
import { describeConsole, ownConsole, type TestBrowser, violationsOf } from "./support/console.ts";
import { inkOf } from "./support/on-map.ts";

/** A line that cannot be read, notes, an event out of place, and one without magnitude. */
const FILE = `publicid,origintime,breite,longitude,depth,magnitude,eventtype
a1,2021-03-04T13:27:34Z,-37.4793,179.5631,94.2,7.3,earthquake
a2,2021-03-04T17:41:23Z,-29.6231,-177.8812,33.0,,earthquake
a3,"2021-03-04T19:28:31Z
a4,2021-03-05T00:16:02Z,-137.5120,179.4205,21.8,5.1,not locatable
a5,2021-03-05T01:16:02Z,-37.5120,179.4205,21.8,5.1,no such type
`.replace('"', "");

const fileField = (page: Page) => page.locator('input[type="file"]');

/** Chooses a file of this content on the page of uploads. */
async function choose(page: Page, content: string | Buffer): Promise<void> {
  const buffer = Buffer.from(content);
  await fileField(page).setInputFiles({ name: "swarm.csv", mimeType: "text/csv", buffer });
}

/** Opens the page of uploads and reads a file there. */
async function read(page: Page, text: string | Buffer = FILE): Promise<void> {
  await page.goto("/upload");
  await choose(page, text);
}

/** What a file was read as. */
const report = (page: Page) => page.getByRole("region", { name: "What is in it" });

/** A bulletin of one agency. */
const ISF = new URL("../fixtures/formats/isf/first.isf", import.meta.url);

const MAX_MIB = 8;
const { service, open } = await ownConsole({ MAX_UPLOAD_MB: String(MAX_MIB) });
let editor: ApiClient;

/** The browser sends no faster than this from now on. */
async function throttle({ context, page }: TestBrowser, bytesPerSecond: number): Promise<void> {
  const session = await context.newCDPSession(page);
  await session.send("Network.enable");
  await session.send("Network.emulateNetworkConditions", {
    offline: false,
    latency: 0,
    downloadThroughput: -1,
    uploadThroughput: bytesPerSecond,
  });
}

const named = async (name: string): Promise<readonly Catalogue[]> => {
  const { body } = await editor.get<{ catalogues: Catalogue[] }>(`/api/catalogues?search=${name}`);
  return body.catalogues;
};

describeConsole("an upload", () => {
  beforeAll(async () => {
    editor = await service.loginAs("editor");
  });

  test("reports the lines of a file before anything is created", async () => {
    const { page } = await open("editor");
    await read(page);
    const answer = await editor.send<UploadResult>("POST", "/api/upload", fileForm(FILE));
    const { rowCount, errorCount, warningCount, errors, warnings } = answer.body;
    expect(errorCount).toBeGreaterThan(0);
    expect(warningCount).toBeGreaterThan(0);
    await page
      .getByText(`${rowCount} rows of CSV, ${errorCount} unreadable, ${warningCount} notes`)
      .waitFor();
    for (const { line, message } of [...errors, ...warnings]) {
      const group = report(page).locator("details").filter({ hasText: message });
      const row = group.getByRole("row").filter({ hasText: FILE.split("\n")[line - 1] ?? "" });
      expect(await row.getByRole("cell").first().textContent()).toBe(String(line));
    }
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Download the report" }).click(),
    ]);
    const saved = await readFile(await download.path(), "utf8");
    expect(saved.split("\r\n")).toHaveLength(errorCount + warningCount + 2);
    expect(await named("swarm")).toEqual([]);
  });

  test("tells of bulletins how many of each kind of elements were read, kept and dropped", async () => {
    const file = await readFile(ISF);
    const form = fileForm(new Uint8Array(file));
    const { elements } = (await editor.send<UploadResult>("POST", "/api/upload", form)).body;
    const { page } = await open("editor");
    await read(page, file);
    await page.getByText(/rows? of ISF/).waitFor();
    const rows = page.getByRole("region", { name: "Elements of bulletins" }).getByRole("row");
    const { read: all, kept, dropped } = elements?.["arrival"] ?? { read: 0, kept: 0, dropped: 0 };
    expect(all).toBeGreaterThan(0);
    expect(await rows.allInnerTexts()).toContainEqual(
      expect.stringMatching(new RegExp(`^Arrivals\\s+${all}\\s+${kept}\\s+${dropped}$`)),
    );
    expect(await violationsOf(page)).toEqual([]);
  });

  test("says line by line why a file cannot be read", async () => {
    const { page } = await open("editor", null, { allow: /status of (4|5)00/ });
    await read(page, "time,latitude,longitude\nnever\n");
    await page.getByText("The file has no row that can be read").waitFor();
    await expect.poll(() => page.getByRole("cell").first().textContent()).toBe("2");
  });

  test("is not sent where it is larger than the service takes", async () => {
    const { page } = await open("editor", "/upload");
    const sent: string[] = [];
    page.on("request", (request) => sent.push(`${request.method()} ${request.url()}`));
    await choose(page, Buffer.alloc(MAX_MIB * 1024 * 1024 + 1, "a"));
    await page.getByText(`The largest that can be uploaded has ${MAX_MIB} MiB.`).waitFor();
    expect(await fileField(page).getAttribute("aria-invalid")).toBe("true");
    expect(sent.filter((one) => one.startsWith("POST"))).toEqual([]);
  });

  test("tells how much of it has been sent, and can be cancelled meanwhile", async () => {
    const browser = await open("editor", "/upload");
    const { page } = browser;
    await throttle(browser, 500_000);
    await choose(page, `${FILE}${"# nothing\n".repeat(500_000)}`);
    const sent = () => page.getByRole("progressbar", { name: "Sent" }).getAttribute("value");
    await expect.poll(async () => Number(await sent())).toBeGreaterThan(0);
    const before = Number(await sent());
    await expect.poll(async () => Number(await sent())).toBeGreaterThan(before);
    await page.getByText(/^Sending: .* of 4\.8 MiB$/).waitFor();
    // Leaving by a link is asked about.
    page.once("dialog", (dialog) => void dialog.dismiss());
    await page.getByRole("link", { name: "Status" }).click();
    expect(new URL(page.url()).pathname).toBe("/upload");
    await page.getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("button", { name: "Cancel" }).waitFor({ state: "detached" });
    expect(await report(page).count()).toBe(0);
  });

  test("is read anew for another delimiter: what was read before is void", async () => {
    const { page } = await open("editor");
    await read(page);
    await report(page).getByText("rows of CSV").waitFor();
    await page.getByText("How it is read").click();
    await page.getByLabel("Columns are separated by").selectOption("semicolon");
    await page.getByText("No column is read as time").waitFor();
    await page.getByLabel("Columns are separated by").selectOption("comma");
    await report(page).getByText("4 rows of CSV").waitFor();
  });

  test("reads a file that is dropped on any page, and says alike things once with their number", async () => {
    const { page } = await open("editor", "/status");
    await page.getByRole("heading", { name: "Status" }).waitFor();
    const rows = Array.from(
      { length: 30 },
      (_, i) => `2021-03-04T13:00:${10 + i}Z,1,2,3,not locatable`,
    );
    await drop(page, `time,latitude,longitude,magnitude,eventtype\n${rows.join("\n")}\n`);
    await expect.poll(() => new URL(page.url()).pathname).toBe("/upload");
    await report(page).getByText("30 rows of CSV").waitFor();
    await page.getByText("dropped.csv").waitFor();
    const groups = report(page).locator("summary");
    expect(await groups.count()).toBe(1);
    expect(await groups.textContent()).toMatch(/^30 notes .*not locatable/);
    expect(await report(page).getByRole("row").count()).toBe(0);
    await groups.click();
    expect(await report(page).getByRole("row").count()).toBe(31);
  });

  test("is found again after a reload and after signing in again, until it is done", async () => {
    const { page, context } = await open("editor");
    await read(page);
    await page.getByLabel("breite is read as").selectOption("latitude");
    await page.getByLabel("Name").fill("Found again");
    await page.reload();
    expect(await page.getByLabel("Name").inputValue()).toBe("Found again");
    await context.clearCookies();
    await page.goto("/login?next=/upload");
    const { email, password } = service.signInOf("editor");
    await page.getByLabel("Email").fill(email);
    await page.getByLabel("Password").fill(password);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("button", { name: "Create it from 4 rows" }).click();
    await page.getByText("3 of 4 rows became events of the new catalogue").waitFor();
    expect(await named("Found again")).toHaveLength(1);
    await page.reload();
    await page.getByText("Drop a file anywhere on the page").waitFor();
  });

  test("says at the column what the service refuses of it", async () => {
    const { page } = await open("editor", null, { allow: /status of 400/ });
    await read(page);
    for (const column of ["breite", "depth"]) {
      await page.getByLabel(`${column} is read as`).selectOption("latitude");
    }
    await page.getByRole("button", { name: /^Create it from/ }).click();
    const column = page.getByLabel("depth is read as");
    await expect.poll(() => column.getAttribute("aria-invalid")).toBe("true");
    expect(await violationsOf(page)).toEqual([]);
    await column.selectOption("left out");
    await page.getByLabel("Name").fill(" ");
    await page.getByRole("button", { name: /^Create it from/ }).click();
    await expect.poll(() => page.getByLabel("Name").getAttribute("aria-invalid")).toBe("true");
  });

  test("axe objects to no step in light and dark", async () => {
    const { page } = await open("editor", null, { width: 390 });
    const expectGood = async () => {
      expect(await violationsOf(page)).toEqual([]);
      const { scrollWidth, clientWidth } = await page.evaluate(
        () => document.scrollingElement ?? { scrollWidth: 1, clientWidth: 0 },
      );
      expect(scrollWidth).toBe(clientWidth);
    };
    await page.goto("/upload");
    await page.getByText("Drop a file anywhere on the page").waitFor();
    await expectGood();
    await read(page);
    await report(page).waitFor();
    await expectGood();
    await page.getByLabel("breite is read as").selectOption("latitude");
    await expectGood();
    await page.getByRole("button", { name: /^Create it from/ }).click();
    await page.getByText("rows became events of the new catalogue").waitFor();
    await expectGood();
  });

  test("needs no mouse", async () => {
    const { page } = await open("editor", "/upload");
    // The window of the operating system is not the page's.
    await choose(page, "time,latitude,longitude,magnitude\n2021-03-04T13:27:34Z,1,2,3\n");
    await report(page).waitFor();
    await expect.poll(() => tabTo(page, page.getByLabel("Name"))).toBe(true);
    await page.keyboard.press("Enter");
    await page.getByText("1 of 1 rows became events of the new catalogue").waitFor();
  });

  test.skipIf(!hasRealData)(
    "of New Zealand's 18,650 earthquakes becomes a catalogue with a map (skipped where ../shared/data and REAL_DATA_DIR are absent)",
    async () => {
      const path = join(REAL_DATA_DIR, "csv/geonet_quakesearch_1980-2022.csv");
      const form = fileForm(await readFile(path, "utf8"), { fileName: basename(path) });
      const { body } = await editor.send<UploadResult>("POST", "/api/upload?keep=true", form);
      expect(body).toMatchObject({ rowCount: 18_650, errorCount: 0 });
      const { page } = await open("editor", "/upload");
      await fileField(page).setInputFiles(path);
      const notes = body.warningCount === 1 ? "1 note" : `${count(body.warningCount)} notes`;
      await page.getByText(`18,650 rows of CSV, 0 unreadable, ${notes}`).waitFor();
      const unknown = body.emptyCounts["magnitude"] ?? 0;
      await page.getByText(`${count(unknown)} rows have no magnitude`).waitFor();
      await page.getByLabel("Name").fill("Real");
      await page.getByRole("button", { name: "Create it from 18,650 rows" }).click();
      await page.getByText(/of 18,650 rows became events of the new catalogue/).waitFor();
      const [catalogue] = await named("Real");
      const events = count(catalogue?.event_count ?? 0);
      await page.getByText(`${events} of 18,650 rows became`).waitFor();
      await page.getByRole("link", { name: "Open the catalogue" }).click();
      await expect.poll(() => inkOf(page), { timeout: 3_000 }).toBeGreaterThan(0);
      await expect.poll(() => page.locator(".shown strong").textContent()).toBe(events);
    },
  );
});

/** Drops a file as the operating system does. */
async function drop(page: Page, text: string): Promise<void> {
  const transfer = await page.evaluateHandle((content) => {
    const data = new DataTransfer();
    data.items.add(new File([content], "dropped.csv", { type: "text/csv" }));
    return data;
  }, text);
  for (const type of ["dragover", "drop"]) {
    await page.dispatchEvent("body", type, { dataTransfer: transfer });
  }
}

const isFocused = (locator: Locator) =>
  locator.evaluate((element) => element === document.activeElement);

async function tabTo(page: Page, target: Locator): Promise<boolean> {
  await page.keyboard.press("Tab");
  return isFocused(target);
}

const eventsOf = async (name: string): Promise<readonly SeismicEvent[]> => {
  const [catalogue] = await named(name);
  const address = `/api/catalogues/${catalogue?.id}/events`;
  return (await editor.get<{ events: SeismicEvent[] }>(address)).body.events;
};

describeConsole("what an upload makes", () => {
  beforeAll(async () => {
    editor = await service.loginAs("editor");
  });

  test("makes a catalogue of its columns as chosen, and tells which rows were refused", async () => {
    const { page } = await open("editor");
    await read(page);
    await page.getByText("No column is read as latitude").waitFor();
    const create = page.getByRole("button", { name: "Create it from 4 rows" });
    expect(await create.isDisabled()).toBe(true);
    await page.getByText("Choose the column of latitude first.").waitFor();
    expect(await page.locator(".first-places").count()).toBe(0);
    await page.getByLabel("breite is read as").selectOption("latitude");
    await page.getByText("3 of the first 4 rows on the map").waitFor();
    await page.getByLabel("Name").fill("Partly");
    await page.getByLabel("Access").selectOption("restricted");
    await page.getByText("Only its members and administrators see that it exists").waitFor();
    await create.click();
    await page.getByText("3 of 4 rows became events of the new catalogue").waitFor();
    const refused = page.getByRole("region", { name: "Refused rows" }).getByRole("row");
    expect(await refused.nth(1).textContent()).toMatch(/^3.*latitude.*-137\.512/);
    expect(await named("Partly")).toMatchObject([{ event_count: 3, access: "restricted" }]);
    await page.getByRole("link", { name: "Open the catalogue" }).click();
    await page.getByRole("heading", { name: "Partly" }).waitFor();
  });

  test("tells how many of its events are made, also after a reload", async () => {
    const { page } = await open("editor", null, { allow: /status of 503/ });
    let isHeld = true;
    await page.route("**/stream", (route) => route.fulfill({ status: 503 }));
    await page.route(/\/api\/operations\/[0-9a-f-]+$/, async (route) => {
      const response = await route.fetch();
      const { operation } = (await response.json()) as { operation: object };
      const progress = { done: 1, total: 4, unit: "events" };
      const held = { ...operation, status: "running", progress, result: undefined };
      await route.fulfill({ json: { operation: isHeld ? held : operation } });
    });
    await read(page);
    await page.getByLabel("breite is read as").selectOption("latitude");
    await page.getByLabel("Name").fill("Followed");
    await page.getByRole("button", { name: "Create it from 4 rows" }).click();
    await page.getByText("1 of 4 events").waitFor();
    await page.reload();
    const bar = page.getByRole("progressbar", { name: "Done" });
    await bar.waitFor();
    expect([await bar.getAttribute("value"), await bar.getAttribute("max")]).toEqual(["1", "4"]);
    isHeld = false;
    await page.getByText("3 of 4 rows became events of the new catalogue").waitFor();
  });

  test("makes events of all rows, and knows of all whether they have a magnitude", async () => {
    const rows = Array.from(
      { length: 150 },
      (_, i) =>
        `2021-03-04T13:00:${10 + (i % 50)}.${i}Z,1,2,${i < 120 ? "" : 4},${i < 10 ? "" : 3}`,
    );
    const { page } = await open("editor");
    await read(page, `time,latitude,longitude,magnitude,other\n${rows.join("\n")}\n`);
    await page.getByText("120 rows have no magnitude").waitFor();
    await page.getByLabel("magnitude is read as").selectOption("left out");
    await page.getByText("No row has a magnitude").waitFor();
    await page.getByLabel("other is read as").selectOption("magnitude");
    await page.getByText("10 rows have no magnitude").waitFor();
    await page.getByLabel("Name").fill("Long");
    await page.getByRole("button", { name: "Create it from 150 rows" }).click();
    await page.getByText("150 of 150 rows became events of the new catalogue").waitFor();
  });

  test("is read by the order of its dates and by its letters as chosen", async () => {
    const { page } = await open("editor", "/upload");
    await page.getByText("How it is read").click();
    await page.getByLabel("Dates are written").selectOption("day, month, year");
    await page.getByLabel("Letters are encoded as").selectOption("Western European (Windows-1252)");
    const row = "03/04/2021 13:27:34,1,2,3,Ca\u00f1ete";
    await choose(page, Buffer.from(`time,latitude,longitude,magnitude,region\n${row}\n`, "latin1"));
    await page.getByText("1 row of CSV, 0 unreadable").waitFor();
    await page.getByLabel("Name").fill("Order");
    await page.getByRole("button", { name: "Create it from 1 row" }).click();
    await page.getByText("1 of 1 rows became events of the new catalogue").waitFor();
    expect(await eventsOf("Order")).toMatchObject([
      { time: expect.stringMatching(/^2021-04-03T13:27:34/), region: "Ca\u00f1ete" },
    ]);
  });

  test("takes the parts of a time from columns that are chosen for them", async () => {
    const { page } = await open("editor");
    await read(page, "jahr,monat,tag,stunde,latitude,longitude\n2021,3,4,13,1,2\n");
    for (const [column, part] of Object.entries({
      jahr: "year",
      monat: "month",
      tag: "day",
      stunde: "hour",
    })) {
      await page.getByText("No column is read as time").waitFor({
        state: part === "hour" ? "hidden" : "visible",
      });
      await page.getByLabel(`${column} is read as`).selectOption(part);
    }
    await page.getByLabel("Name").fill("Parts");
    await page.getByRole("button", { name: "Create it from 1 row" }).click();
    await page.getByText("1 of 1 rows became events of the new catalogue").waitFor();
    expect(await eventsOf("Parts")).toMatchObject([
      { time: expect.stringMatching(/^2021-03-04T13:00:00/) },
    ]);
  });

  test("adds to a catalogue that is there, without what is there already", async () => {
    const id = (await createCatalogue(editor, { name: "There already", events: [] })).id;
    const { page } = await open("editor");
    const row = "b1,2021-03-04T13:27:34Z,-37.4,179.5,4.2";
    for (const outcome of [
      "1 new, 0 updated, 0 there already",
      "0 new, 0 updated, 1 there already",
    ]) {
      await read(page, `id,time,latitude,longitude,magnitude\n${row}\n`);
      await page.getByLabel("an existing catalogue").check();
      await page.getByRole("combobox", { name: "Catalogue" }).selectOption(id);
      await page.getByRole("button", { name: "Add 1 row" }).click();
      await page.getByText(`1 of 1 rows became events: ${outcome}`).waitFor();
    }
  });

  test("goes into the empty catalogue from whose page one came, also after a reload", async () => {
    const { id } = await createCatalogue(editor, { name: "Empty yet", events: [] });
    const { page } = await open("editor", `/catalogues/${id}`);
    const agency = page.getByRole("main").getByRole("link", { name: "Import from an agency" });
    expect(await agency.getAttribute("href")).toBe(`/import?catalogueId=${id}`);
    await page.getByRole("link", { name: "Upload a file" }).click();
    await choose(page, "time,latitude,longitude,magnitude\n2021-03-04T13:27:34Z,1,2,3\n");
    await report(page).waitFor();
    await page.reload();
    expect(await page.getByRole("combobox", { name: "Catalogue" }).inputValue()).toBe(id);
    await page.getByRole("button", { name: "Add 1 row" }).click();
    await page.getByText("1 of 1 rows became events: 1 new").waitFor();
    expect(await named("Empty yet")).toMatchObject([{ event_count: 1 }]);
  });
});
