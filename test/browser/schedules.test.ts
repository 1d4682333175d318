import type { Page } from "playwright-core";
import { afterEach, beforeAll, expect, test } from "vitest";
import { freePort } from "#infra/postgres/embedded/embedded.ts";
import { servedEvents } from "../support/agency/generated-events.ts";
import { createCatalogue } from "../support/api/catalogue.ts";
import { useImports } from "../support/api/imports.ts";
import { newSchedule, scheduleOf } from "../support/api/schedules.ts";
import type { ApiClient } from "../support/api-client.ts";
import { consoleOf, describeConsole, violationsOf } from "./support/console.ts";

const port = await freePort();
const scene = useImports(
  { events: servedEvents(3, 300) },
  { PORT: String(port), PUBLIC_BASE_URL: `http://127.0.0.1:${port}`, RATE_LIMIT_WRITE: "0" },
);
const { open } = consoleOf(scene.service);
/** All that the agency has since autumn 2016, and more. */
const ASKED = { agency: "test-agency", lookbackHours: 87_600 };
let editor: ApiClient;

const part = (page: Page, title: string) => page.getByRole("region", { name: title, exact: true });
const HOURLY = "Test agency, every hour";

async function openPage(id: string, role: "viewer" | "editor" = "editor"): Promise<Page> {
  const { page } = await open(role, `/catalogues/${id}/schedules`, {
    allow: /status of (?:400|503)/,
  });
  return page;
}

/** Runs the hourly schedule by hand until its outcome is shown. */
async function runNow(page: Page, outcome: string): Promise<void> {
  await page.getByRole("button", { name: `Run now: ${HOURLY}` }).click();
  await page.getByText(outcome).first().waitFor();
}

async function openPalette(page: Page): Promise<void> {
  await page.getByRole("heading", { level: 1 }).first().waitFor();
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox", { name: "Page, catalogue or action" }).waitFor();
}

describeConsole("a catalogue that is kept current", () => {
  beforeAll(async () => {
    editor = await scene.service.loginAs("editor");
  });

  afterEach(() => {
    scene.agency.fail();
  });

  test("gets a schedule by the form, runs by hand, and tells what each run brought", async () => {
    const { id } = await createCatalogue(editor, { name: "By the form" });
    const page = await openPage(id);
    await page.getByText("No schedule keeps this catalogue current.").waitFor();
    await page.getByRole("link", { name: "New schedule" }).click();
    await page.getByLabel("For the events of the last").fill(String(ASKED.lookbackHours));
    await page.getByLabel("Events that the agency has withdrawn").selectOption("mark");
    await page.getByText("The first run comes in an hour").waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await page.getByRole("button", { name: "Keep it current" }).click();
    await part(page, HOURLY).getByText("(in 59 minutes)").waitFor();
    await runNow(page, " fetched = ");
    const brought = part(page, HOURLY).getByRole("table").getByRole("row").nth(1);
    await expect.poll(() => brought.getByRole("cell").nth(3).textContent()).toMatch(/^\d{2,3}$/);
    await part(page, HOURLY).getByText("on time").waitFor();
    await page.getByRole("button", { name: `Run now: ${HOURLY}` }).click();
    await part(page, HOURLY).getByText("1 run without changes").waitFor();
    await page.reload();
    await part(page, HOURLY).getByText("1 run without changes").waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await page.getByRole("link", { name: "Back to the catalogue" }).click();
    await page
      .getByText(/Current as of .*: last whole reading of Test agency, every hour/)
      .waitFor();
    await page.getByRole("link", { name: "Schedule", exact: true }).click();
    await page.getByRole("link", { name: "Imports" }).click();
    await page.getByText("by a schedule").first().waitFor();
  });

  test("tells in words that runs fail, and why", async () => {
    const { id } = await createCatalogue(editor);
    await newSchedule(editor, id, { ...ASKED, everyMinutes: 60 });
    scene.agency.fail(() => ({ kind: "status", status: 503 }));
    const page = await openPage(id);
    await runNow(page, "The agency is down or overloaded.");
    await part(page, HOURLY).getByText("failing").waitFor();
    await part(page, HOURLY)
      .getByText(/^The last run failed: Test agency/)
      .waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await page.goto(`/catalogues/${id}`);
    await page.getByText("1 schedule with errors").waitFor();
  });

  test("is paused, resumed and changed, and its schedule ends", async () => {
    const { id } = await createCatalogue(editor);
    const schedule = await newSchedule(editor, id, { ...ASKED, everyMinutes: 60 });
    const page = await openPage(id);
    await page.getByRole("button", { name: `Pause: ${HOURLY}` }).click();
    await part(page, HOURLY).getByText("by hand alone").waitFor();
    expect((await scheduleOf(editor, schedule)).paused).toBe(true);
    await page.getByRole("button", { name: `Resume: ${HOURLY}` }).click();
    await part(page, HOURLY).getByText("on time").waitFor();
    await page.getByRole("link", { name: `Change…: ${HOURLY}` }).click();
    await page.getByLabel("Asked", { exact: true }).selectOption("every 30 minutes");
    await page.getByLabel("Magnitude from").fill("9.5");
    await page.getByLabel("Magnitude to").fill("3");
    await page.getByRole("button", { name: "Save" }).click();
    await expect
      .poll(() => page.getByLabel("Magnitude from").getAttribute("aria-invalid"))
      .toBe("true");
    await page.getByLabel("Magnitude from").fill("2.5");
    await page.getByRole("button", { name: "Save" }).click();
    const changed = "Test agency, every 30 minutes";
    await part(page, changed).getByText("the last 3,650 days: M 2.5 to 3").waitFor();
    await page.getByRole("button", { name: `Delete…: ${changed}` }).click();
    expect(await violationsOf(page)).toEqual([]);
    await page.getByRole("dialog").getByRole("button", { name: "Delete it" }).click();
    await page.getByText("No schedule keeps this catalogue current.").waitFor();
  });

  test("from a table is told what its columns are, which stay as they were told", async () => {
    const admin = await scene.service.loginAs("admin");
    const table = { id: "table", name: "A table", dialect: "table" };
    await admin.send("POST", "/api/agencies", { ...table, url: "https://tables.invalid/a.csv" });
    const { id } = await createCatalogue(editor);
    const page = await openPage(id);
    await page.getByRole("link", { name: "New schedule" }).click();
    await page.getByLabel("Agency", { exact: true }).selectOption("A table");
    await page.getByRole("button", { name: "Name a column" }).click();
    await page.getByLabel("Column", { exact: true }).fill("K");
    await page.getByLabel("is read as").selectOption("magnitude");
    expect(await violationsOf(page)).toEqual([]);
    await page.getByRole("button", { name: "Keep it current" }).click();
    await page.getByText("K: magnitude").waitFor();
    await page.getByRole("link", { name: /^Change…/ }).click();
    expect(await page.getByLabel("Column", { exact: true }).inputValue()).toBe("K");
    await page.getByLabel("is read as").selectOption("left out");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("K: left out").waitFor();
  });

  test("is changed by those alone who may change the catalogue", async () => {
    const admin = await scene.service.loginAs("admin");
    const { id } = await createCatalogue(admin, { editing: "members" });
    await newSchedule(admin, id, { ...ASKED, everyMinutes: 60 });
    const page = await openPage(id);
    await part(page, HOURLY).getByText("on time").waitFor();
    expect(await page.getByRole("button", { name: /^Run now/ }).count()).toBe(0);
    expect(await page.getByRole("link", { name: "New schedule" }).count()).toBe(0);
    const viewers = await openPage(id, "viewer");
    await viewers.getByRole("heading", { name: "Not for your role" }).waitFor();
    await viewers.goto(`/catalogues/${id}`);
    await viewers.getByRole("heading", { level: 1 }).first().waitFor();
    expect(await viewers.getByRole("link", { name: "Schedule", exact: true }).count()).toBe(0);
  });

  test("is reached by the commands of the palette", async () => {
    const { id } = await createCatalogue(editor);
    await newSchedule(editor, id, { ...ASKED, everyMinutes: 60 });
    const page = await openPage(id);
    await part(page, HOURLY).waitFor();
    await page.goto(`/catalogues/${id}`);
    await openPalette(page);
    await page.keyboard.type("kept current");
    await page.getByRole("option", { name: "Kept current This catalogue" }).waitFor();
    await page.keyboard.press("Enter");
    await part(page, HOURLY).waitFor();
    await openPalette(page);
    await page.keyboard.type("pause");
    await page.keyboard.press("Enter");
    await part(page, HOURLY).getByText("paused", { exact: true }).waitFor();
  });
});
