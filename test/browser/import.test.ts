import { afterEach, beforeAll, expect, test } from "vitest";
import type { Catalogue } from "#contracts/http/catalogues.ts";
import { freePort } from "#infra/postgres/embedded/embedded.ts";
import { servedEvents } from "../support/agency/generated-events.ts";
import { createCatalogue, seismicEvent } from "../support/api/catalogue.ts";
import { historyOf, useImports } from "../support/api/imports.ts";
import type { ApiClient } from "../support/api-client.ts";
import { consoleOf, describeConsole, type TestBrowser, violationsOf } from "./support/console.ts";

const EVENTS = 1_200;
const port = await freePort();
const scene = useImports(
  { events: servedEvents(3, EVENTS), cap: 400 },
  { PORT: String(port), PUBLIC_BASE_URL: `http://127.0.0.1:${port}`, RATE_LIMIT_WRITE: "0" },
);
const { open } = consoleOf(scene.service);
let editor: ApiClient;

/** The form of an import of all that the agency has. */
async function openForm(query = ""): Promise<TestBrowser> {
  const browser = await open("editor", `/import${query}`);
  await browser.page.getByLabel("between two times").check();
  await browser.page.getByLabel("From UTC").fill("2014-01-01 00:00");
  await browser.page.getByLabel("To UTC").fill("2024-01-01");
  return browser;
}

/**
 * The agency answers windows of the first years at once, those that start from autumn 2015 on when
 * `more` has settled, and those from 2017 on never. Windows are asked for in the order of time.
 */
function answerUntil(more: Promise<void>): void {
  scene.agency.fail((address) => {
    const start = new URLSearchParams(address).get("starttime") ?? "";
    if (start > "2017") return { kind: "hang" };
    return start > "2015-09" ? { kind: "late", until: more } : null;
  });
}

const named = async (name: string): Promise<Catalogue | undefined> => {
  const { body } = await editor.get<{ catalogues: Catalogue[] }>(`/api/catalogues?search=${name}`);
  return body.catalogues[0];
};

describeConsole("an import", () => {
  beforeAll(async () => {
    editor = await scene.service.loginAs("editor");
  });

  afterEach(() => {
    scene.agency.fail();
  });

  test("tells its sum, leads to its version and stands in the history", async () => {
    const { page } = await openForm();
    await page.getByLabel("Name").fill("Brought");
    await page.getByRole("button", { name: "Start the import" }).click();
    await page.getByText("1,200 fetched = 1,200 new + 0 updated + 0 skipped + 0 errors").waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await page.getByRole("link", { name: "Open version 1" }).click();
    await page.getByRole("link", { name: "Versions" }).click();
    await page.getByRole("link", { name: "import", exact: true }).click();
    const row = page.getByRole("row").filter({ hasText: "2014-01-01 00:00" });
    await expect.poll(() => row.getByRole("cell").nth(3).textContent()).toBe("1,200");
    expect(await violationsOf(page)).toEqual([]);
    await page.getByRole("link", { name: "Import into it" }).click();
    await expect
      .poll(() => page.getByLabel("Catalogue", { exact: true }).inputValue())
      .toBe((await named("Brought"))?.id);
  });

  test("grows while it runs, also after a reload; cancelled, it leaves nothing", async () => {
    const { promise: more, resolve: goOn } = Promise.withResolvers<void>();
    answerUntil(more);
    const { page } = await openForm();
    await page.getByLabel("Name").fill("Given-up");
    await page.getByRole("button", { name: "Start the import" }).click();
    const events = async () => {
      const text = await page.getByText(/windows, [\d,]+ events/).textContent();
      return Number(/([\d,]+) events/.exec(text ?? "")?.[1]?.replaceAll(",", ""));
    };
    await expect.poll(events).toBeGreaterThan(0);
    const before = await events();
    goOn();
    await expect.poll(events).toBeGreaterThan(before);
    await page.reload();
    await expect.poll(events).toBeGreaterThan(before);
    await page.getByRole("button", { name: "Cancel" }).click();
    await page.getByText("This was cancelled. None of its events is kept").waitFor();
    await page.getByText(/^took /).waitFor();
    // By contract the run itself stays in the history, which is the catalogue's: this one, without a version.
    await expect
      .poll(() => named("Given-up"))
      .toMatchObject({ status: "error", version: 0, event_count: 0 });
    const left = await named("Given-up");
    const { body } = await editor.get(`/api/catalogues/${left?.id}/events`);
    expect(body).toMatchObject({ events: [] });
    expect(await historyOf(editor, left?.id ?? "")).toMatchObject([
      { errors: [{ message: "The import was given up: cancelled" }] },
    ]);
    await page.goto("/operations");
    const first = page.getByRole("row").nth(1);
    await expect.poll(() => first.textContent()).toContain("cancelled");
  });

  test("from an agency that is down says so, what the breaker does, and stays in the history", async () => {
    scene.agency.fail(() => ({ kind: "status", status: 503 }));
    const { id } = await createCatalogue(editor, { name: "Waiting for it" });
    const { page } = await openForm(`?catalogueId=${id}`);
    await page.getByRole("button", { name: "Start the import" }).click();
    await page.getByText("The agency is down or overloaded.").waitFor();
    await page.getByText(/Feed of the agency: /).waitFor();
    await page.getByRole("link", { name: "Imports of this catalogue" }).click();
    await page.getByText("failed", { exact: true }).waitFor();
  });

  test("takes the bounds that a map shows", async () => {
    const { page } = await openForm();
    await page.getByText("On a map").click();
    const take = page.getByRole("button", { name: "Take what the map shows" });
    const west = page.getByLabel("Longitude from");
    // The world has no bounds of longitude; the map comes to rest a moment after a click.
    await expect
      .poll(async () => {
        await page.getByRole("button", { name: "Zoom in" }).click();
        await take.click();
        return west.inputValue();
      })
      .not.toBe("");
    const bound = async (name: string) => Number(await page.getByLabel(name).inputValue());
    expect(await bound("Longitude from")).toBeLessThan(await bound("Longitude to"));
    expect(await bound("Latitude from")).toBeLessThan(await bound("Latitude to"));
    await page.locator("path.map-line").waitFor({ state: "attached" });
    expect(await violationsOf(page)).toEqual([]);
  });

  test("takes what lies in a saved region alone, into a catalogue that only its maker reads", async () => {
    const ring = [
      [160, -60],
      [174, -60],
      [174, -30],
      [160, -60],
    ];
    const geometry = { type: "Polygon", coordinates: [ring] };
    await editor.send("POST", "/api/regions", { name: "West of 174° E", geometry });
    const { page } = await openForm();
    await page.getByLabel("Saved region").selectOption("West of 174° E");
    await page.getByLabel("Name").fill("In a region");
    await page.getByLabel("Access").selectOption("restricted");
    await page.getByRole("button", { name: "Start the import" }).click();
    await page.getByRole("link", { name: "Open version 1" }).waitFor();
    const made = await named("In a region");
    expect(made?.access).toBe("restricted");
    expect(made?.event_count).toBeGreaterThan(0);
    expect(made?.event_count).toBeLessThan(EVENTS);
    expect(made?.bbox?.[2]).toBeLessThanOrEqual(174);
  });

  test("is found again after a reload; its version opens as it was once there is a later one", async () => {
    const { page } = await openForm();
    await page.getByLabel("Name").fill("Found-again");
    await page.getByLabel("Magnitude from").fill("2");
    await page.reload();
    expect(await page.getByLabel("Name").inputValue()).toBe("Found-again");
    expect(await page.getByLabel("From UTC").inputValue()).toBe("2014-01-01 00:00");
    expect(await page.getByLabel("Magnitude from").inputValue()).toBe("2");
    await page.getByRole("button", { name: "Start the import" }).click();
    const open = page.getByRole("link", { name: "Open version 1" });
    await open.waitFor();
    const { id = "" } = (await named("Found-again")) ?? {};
    expect(await open.getAttribute("href")).toBe(`/catalogues/${id}`);
    const events = [seismicEvent({ source_id: "later" })];
    await editor.send("POST", `/api/catalogues/${id}/events`, { events });
    await page.reload();
    await expect.poll(() => open.getAttribute("href")).toBe(`/catalogues/${id}?asOf=1`);
    await page.getByRole("link", { name: "Another import" }).click();
    expect(await page.getByLabel("Name").inputValue()).toBe("");
  });

  test("says at the field what is wrong with it", async () => {
    const { page, allow } = await openForm();
    allow(/status of 400/);
    await page.getByLabel("From UTC").fill("yesterday");
    await page.getByRole("button", { name: "Start the import" }).click();
    await expect.poll(() => page.getByLabel("From UTC").getAttribute("aria-invalid")).toBe("true");
  });
});
