import { readFile } from "node:fs/promises";
import type { BrowserContext, Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import type { Catalogue } from "#contracts/http/catalogues.ts";
import { createCatalogue, seismicEvent } from "../support/api/catalogue.ts";
import type { ApiClient } from "../support/api-client.ts";
import { generateEvents } from "../support/generate-catalogue.ts";
import { describeConsole, sharedConsole, violationsOf } from "./support/console.ts";
import { drawn, shownCount } from "./support/on-map.ts";

const { service, open } = sharedConsole();

describeConsole("the head of a catalogue", () => {
  let editor: ApiClient;
  let id: string;

  const addEvent = (catalogue: string, magnitude: number) =>
    editor.send("POST", `/api/catalogues/${catalogue}/events`, {
      events: [{ time: "2024-01-01T00:00:00Z", latitude: 1, longitude: magnitude, magnitude }],
    });

  beforeAll(async () => {
    editor = await service.loginAs("editor");
    ({ id } = await createCatalogue(editor, {
      name: "Rotorua",
      events: [...generateEvents(11, 10)],
    }));
    await editor.send("PATCH", `/api/catalogues/${id}`, { is_public: true });
    await addEvent(id, 4);
    await addEvent(id, 5);
  });

  test("lists the versions, shows one, and leads to a comparison with the latest", async () => {
    const { page } = await open("guest", `/catalogues/${id}?minMagnitude=1`);
    await page.getByRole("button", { name: "Version 3 (latest)" }).click();
    await page.getByRole("link", { name: /^3 latest, .*, edit: 1 added/ }).waitFor();
    await page.getByRole("link", { name: /^1 .*, created: 10 added/ }).click();
    const old = page.getByRole("button", { name: "Version 1 of 3" });
    await old.waitFor();
    expect(await old.getAttribute("aria-expanded")).toBe("false");
    expect(new URL(page.url()).search).toBe("?minMagnitude=1&asOf=1");
    await old.click();
    expect(await page.locator(".version-items [aria-current]").textContent()).toMatch(/^1 /);
    await page.getByRole("link", { name: "Compare…" }).click();
    await page.getByRole("checkbox", { name: "2 added" }).waitFor();
  });

  test("tells how many events an export will have, and exports as many", async () => {
    const { page } = await open("editor", `/catalogues/${id}?minMagnitude=4.5`);
    const found = Number(await page.locator(".shown strong").textContent());
    expect(found).toBeGreaterThan(0);
    await page.getByRole("button", { name: "Export" }).click();
    const menu = page.getByRole("list").filter({ hasText: "GeoJSON" });
    await menu.getByText(found === 1 ? "Save 1 event as" : `Save ${found} events as`).waitFor();
    const download = page.waitForEvent("download");
    await menu.getByRole("link", { name: "CSV" }).click();
    const rows = (await readFile(await (await download).path(), "utf8")).trim().split("\n");
    expect(rows).toHaveLength(found + 1);
    await page.getByRole("button", { name: "Export" }).click();
    const table = page.waitForEvent("download");
    await menu.getByRole("link", { name: "Origins" }).click();
    const origins = (await readFile(await (await table).path(), "utf8")).trim().split("\n");
    expect(origins).toHaveLength(found + 1);
    expect(origins[0]).toMatch(/^event_id,public_id,preferred,/);
    await page.getByRole("button", { name: "Export" }).click();
    const quakeml = page.waitForEvent("download");
    await menu.getByRole("link", { name: "QuakeML, preferred solutions alone" }).click();
    const text = await readFile(await (await quakeml).path(), "utf8");
    expect(text.split("<event ")).toHaveLength(found + 1);
  });

  test("tells guests what they can export with an account", async () => {
    const { page } = await open("guest", `/catalogues/${id}`);
    await page.getByRole("button", { name: "Export" }).click();
    await page.getByText("With an account you save these events as CSV").waitFor();
    await page
      .getByRole("navigation", { name: "This catalogue" })
      .getByRole("link", { name: "Sign in" })
      .click();
    await page.getByLabel("Password").waitFor();
    expect(new URL(page.url()).searchParams.get("next")).toBe(`/catalogues/${id}`);
  });

  test("is published and renamed without another version being shown; others’ changes are told first", async () => {
    const { id: own } = await createCatalogue(editor, {
      name: "Before",
      events: [...generateEvents(12, 10)],
    });
    await addEvent(own, 4);
    const { page } = await open("editor", `/catalogues/${own}`, { allow: /status of 412/ });
    await page.getByRole("button", { name: "Edit", exact: true }).click();
    await page.getByRole("button", { name: "Publish…" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("version 2 and all later ones").waitFor();
    // Another adds an event while the window is open.
    await addEvent(own, 5);
    await dialog.getByRole("button", { name: "Publish" }).click();
    await dialog.getByText("version 3 has arrived, with 12 events").waitFor();
    await dialog.getByRole("button", { name: "Publish" }).click();
    await page.getByText("The catalogue is public").waitFor();
    await page.getByText("public", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Version 2 (latest)" }).waitFor();

    await page.getByRole("button", { name: "Edit", exact: true }).click();
    await page.getByRole("button", { name: "Rename…" }).click();
    await dialog.getByLabel("Name").fill("After");
    await dialog.getByRole("button", { name: "Rename" }).click();
    await page.getByRole("heading", { level: 1, name: "After" }).waitFor();
    await expect.poll(() => page.title()).toMatch(/^After/);
    await page.getByRole("button", { name: "Version 2 (latest)" }).waitFor();
    const { body } = await editor.get(`/api/catalogues/${own}`);
    expect(body).toMatchObject({ name: "After", is_public: true, public_from: 3, version: 3 });
  });

  test("goes from an old version to one that has arrived, when asked to", async () => {
    const { id: own } = await createCatalogue(editor, { events: [...generateEvents(13, 10)] });
    await editor.send("PATCH", `/api/catalogues/${own}`, { is_public: true });
    await addEvent(own, 4);
    const { page } = await open("guest");
    const feed = page.waitForResponse((response) => response.url().includes("/feed?"));
    await page.goto(`/catalogues/${own}?asOf=1`);
    await feed;
    await addEvent(own, 5);
    await page.getByText("Version 3 has arrived.").waitFor();
    await page.getByRole("button", { name: "Show it" }).click();
    await page.getByRole("button", { name: "Version 3 (latest)" }).waitFor();
    expect(new URL(page.url()).search).toBe("");
  });

  test("is deleted once its name has been typed, also the name that it was given meanwhile", async () => {
    const { id: own } = await createCatalogue(editor, { name: "To be deleted", events: [] });
    const { page } = await open("editor", `/catalogues/${own}`, { allow: /status of 412/ });
    await page.getByRole("button", { name: "Edit", exact: true }).click();
    await page.getByRole("button", { name: "Delete…" }).click();
    const dialog = page.getByRole("dialog");
    const remove = dialog.getByRole("button", { name: "Delete" });
    await dialog.getByLabel("Type “To be deleted” to confirm").fill("To be deleted");
    await editor.send("PATCH", `/api/catalogues/${own}`, { name: "Kept" });
    await remove.click();
    await dialog.getByText("it is called “Kept”").waitFor();
    expect(await remove.isDisabled()).toBe(true);
    await dialog.getByLabel("Type “Kept” to confirm").fill("Kept");
    await remove.click();
    await page.getByText("“Kept” is deleted").waitFor();
    await page.getByRole("heading", { level: 1, name: "Catalogues" }).waitFor();
  });

  test("has nothing that axe objects to in light and dark, with its menus and windows open", async () => {
    const { page } = await open("editor", `/catalogues/${id}`);
    await page.getByRole("button", { name: "Version 3 (latest)" }).click();
    await page.getByRole("link", { name: "Compare…" }).waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await page.getByRole("button", { name: "Edit", exact: true }).click();
    expect(await violationsOf(page)).toEqual([]);
    await page.getByRole("button", { name: "Make internal…" }).click();
    await page.getByRole("dialog").waitFor();
    expect(await violationsOf(page)).toEqual([]);
  });

  test("opens its menus inside its window, narrow or wide", async () => {
    const { page } = await open("editor", `/catalogues/${id}`, { width: 390 });
    for (const name of ["Export", "Edit", "wider", "Export", "Edit"]) {
      if (name === "wider") {
        await page.setViewportSize({ width: 1_440, height: 800 });
        continue;
      }
      await page.getByRole("button", { name, exact: true }).click();
      await page.getByRole("button", { name, exact: true, expanded: true }).waitFor();
      const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      expect(over, name).toBeLessThanOrEqual(0);
      await page.keyboard.press("Escape");
    }
  });
});

describeConsole("the citation details of a catalogue", () => {
  let editor: ApiClient;
  beforeAll(async () => {
    editor = await service.loginAs("editor");
  });

  const metadataOf = async (id: string) =>
    (await editor.get<Catalogue>(`/api/catalogues/${id}`)).body.metadata;

  async function opened() {
    const { id } = await createCatalogue(editor, { name: "Cited", events: [seismicEvent()] });
    const { page, allow } = await open("editor", `/catalogues/${id}`);
    await page.getByRole("button", { name: "Edit", exact: true }).click();
    await page.getByRole("link", { name: "Citation details…" }).click();
    await page.getByRole("heading", { level: 1, name: "Citation details of Cited" }).waitFor();
    await page.getByText(/^Cited \(\d{4}\)\. Version 1\. Dataset\./).waitFor();
    return { id, page, allow };
  }

  test("are entered, kept whole, and told by citations; what is empty is left out", async () => {
    const { id, page } = await opened();
    const save = page.getByRole("button", { name: "Save" });
    expect(await save.isDisabled()).toBe(true);
    await page.getByLabel("Title").fill("Aftershocks");
    await page.getByLabel("Description").fill("Relocated.\n\nIn two parts.");
    for (let i = 0; i < 3; i += 1)
      await page.getByRole("button", { name: "Add a creator" }).click();
    await page.getByLabel("Name of creator 1").fill("Institute of the Earth");
    await page.getByLabel("ROR of creator 1").fill("https://ror.org/03vaqfv64");
    await page.getByLabel("Name of creator 3").fill(" Example, Ann ");
    await page.getByLabel("ORCID of creator 3").fill("0000-0002-1825-0097");
    await page.getByRole("button", { name: "Move creator 3 up" }).click();
    await page.getByRole("button", { name: "Move creator 2 up" }).click();
    await page.getByLabel("Licence").selectOption("another, by its SPDX id");
    await page.getByLabel("SPDX id").fill("CC-BY-3.0-AU");
    await page.getByLabel("DOI").fill("10.1234/abc");
    await page.getByLabel("References").fill("https://example.org/a\n\n https://example.org/b ");
    expect(await violationsOf(page)).toEqual([]);
    await save.click();
    await page.getByText("Saved.").waitFor();
    await page.waitForURL(`**/catalogues/${id}`);
    expect(await metadataOf(id)).toEqual({
      title: "Aftershocks",
      description: "Relocated.\n\nIn two parts.",
      creators: [
        { name: "Example, Ann", orcid: "0000-0002-1825-0097" },
        { name: "Institute of the Earth", ror: "https://ror.org/03vaqfv64" },
      ],
      license: "CC-BY-3.0-AU",
      doi: "10.1234/abc",
      references: ["https://example.org/a", "https://example.org/b"],
    });
    await page.getByRole("button", { name: "Cite", exact: true }).click();
    const cited = page.getByRole("dialog").locator("pre");
    await expect
      .poll(() => cited.textContent())
      .toMatch(/^Example, Ann; Institute of the Earth \(\d{4}\): Aftershocks\. Version 1\./);
  });

  test("that the service refuses are told at their fields, by the line or the creator", async () => {
    const { id, page, allow } = await opened();
    allow(/status of 400/);
    await page.getByRole("button", { name: "Add a creator" }).click();
    await page.getByRole("button", { name: "Add a creator" }).click();
    await page.getByLabel("Name of creator 2").fill("Example, Ann");
    await page.getByLabel("ORCID of creator 2").fill("0000-0002-1825-0098");
    await page.getByLabel("DOI").fill("abc");
    await page.getByLabel("References").fill("https://example.org/a\nexample");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("is no ORCID iD: its last digit does not fit").first().waitFor();
    const problemAt = (label: string) =>
      page
        .locator(".field")
        .filter({ has: page.getByLabel(label) })
        .locator(".problem");
    expect(await problemAt("ORCID of creator 2").textContent()).toMatch(/last digit/);
    expect(await problemAt("DOI").textContent()).toBe("is no DOI");
    expect(await problemAt("References").textContent()).toMatch(/^Line 2 is no address of the web/);
    expect(await metadataOf(id)).toBeNull();
  });

  test("stay entered after a reload, are given up on demand, and are not saved over another’s", async () => {
    const { id, page, allow } = await opened();
    allow(/status of 412/);
    page.on("dialog", (dialog) => dialog.accept());
    await page.getByLabel("Publisher").fill("Ours");
    await page.reload();
    await expect.poll(() => page.getByLabel("Publisher").inputValue()).toBe("Ours");
    await editor.send("PATCH", `/api/catalogues/${id}`, { metadata: { publisher: "Theirs" } });
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("alert").waitFor();
    expect(await metadataOf(id)).toEqual({ publisher: "Theirs" });
    await page.getByRole("button", { name: "Undo changes" }).click();
    await expect.poll(() => page.getByLabel("Publisher").inputValue()).toBe("Theirs");
  });

  test("are followed by filters where what is looked at is filtered, if one wants that", async () => {
    const { id } = await createCatalogue(editor, { name: "Filtered", events: [seismicEvent()] });
    const { page } = await open("editor", `/catalogues/${id}?minMagnitude=2&maxDepth=40`);
    await page.getByRole("button", { name: "Cite", exact: true }).click();
    const cited = page.getByRole("dialog").locator("pre");
    await cited.getByText("Selection: M ≥ 2, depth ≤ 40 km.").waitFor();
    const save = page.getByRole("link", { name: "Save as a file" });
    expect(await save.getAttribute("href")).toMatch(
      /citation\?format=text&minMagnitude=2&maxDepth=40$/,
    );
    await page.getByLabel(/only these events were used: M\s≥\s2, depth\s≤\s40\skm/).uncheck();
    await expect.poll(() => cited.textContent()).toMatch(/Dataset\. http/);
    const pre = await cited.evaluate((one) => one.scrollWidth - one.clientWidth);
    expect(pre).toBe(0);
  });
});

const COUNT = 50;

/** A window of an administrator, on a page of which the service refuses something. */
async function openRefused(address: string): Promise<Page> {
  const { page } = await open("admin", address, { allow: /status of 400/ });
  return page;
}

/** That a field is marked, and described by what is wrong with it. */
async function expectProblem(page: Page, label: string | RegExp, text: RegExp): Promise<void> {
  const field = page.getByLabel(label, { exact: true });
  await expect.poll(() => field.getAttribute("aria-invalid")).toBe("true");
  const below = await field.getAttribute("aria-describedby");
  expect(await page.locator(`[id="${below}"]`).textContent()).toMatch(text);
}

describeConsole("what is refused is told at its field", () => {
  let id: string;

  beforeAll(async () => {
    const editor = await service.loginAs("editor");
    const events = [...generateEvents(71, COUNT)];
    ({ id } = await createCatalogue(editor, { name: "Refused", events }));
  });

  test("of a circle that is not whole, until it is", async () => {
    const page = await openRefused(`/catalogues/${id}?latitude=10`);
    await expectProblem(page, "longitude °", /a circle needs latitude and longitude/);
    await page.getByLabel("longitude °", { exact: true }).fill("20");
    await expectProblem(page, "to km", /a circle needs maxRadiusKm or minRadiusKm/);
    await page.getByLabel("to km", { exact: true }).fill("20020");
    await page.locator(".shown").getByText(`${COUNT} of ${COUNT} events`).waitFor();
    expect(await page.locator("[aria-invalid]").count()).toBe(0);
  });

  test("of a box whose south is above its north, which is not asked for", async () => {
    const page = await openRefused(`/catalogues/${id}?maxLatitude=5`);
    await page.getByLabel("Latitude from °").fill("10");
    await expectProblem(page, "Latitude from °", /Above the end of the range/);
    expect(new URL(page.url()).search).toBe("?maxLatitude=5");
  });

  test("of the times of the audit", async () => {
    const page = await openRefused("/audit?to=yesterday");
    await expectProblem(page, "To UTC", /not an ISO 8601 time/);
    await page.getByLabel("From UTC").fill("soon");
    await page.getByLabel("From UTC").press("Enter");
    await expectProblem(page, "From UTC", /not an ISO 8601 time/);
  });

  test("of a catalogue’s new name", async () => {
    const page = await openRefused(`/catalogues/${id}`);
    await page.getByRole("button", { name: "Edit", exact: true }).click();
    await page.getByRole("button", { name: "Rename…" }).click();
    await page.getByLabel("Name", { exact: true }).fill("x".repeat(256));
    await page.getByRole("button", { name: "Rename", exact: true }).click();
    await expectProblem(page, "Name", /longer than 255 characters/);
  });

  test("of a comparison, also which of its versions is not understood", async () => {
    const page = await openRefused(
      `/compare?a=${id}&b=${id}&asOfB=soon&timeThreshold=10&distanceThreshold=50`,
    );
    await expectProblem(page, "Version of b", /neither a version number nor a time/);
    expect(await page.getByLabel("Version of a").getAttribute("aria-invalid")).toBeNull();
    await page.goto(`/compare?a=${id}&b=${id}&timeThreshold=4000&distanceThreshold=50`);
    await expectProblem(page, "Time s", /at most 3600/);
  });
});

let id = "";

describeConsole("shares of a catalogue", () => {
  beforeAll(async () => {
    ({ id } = await createCatalogue(await service.loginAs("editor"), { name: "Private" }));
  });

  test("are made with an address that works until they are ended", async () => {
    const { page } = await open("editor", `/catalogues/${id}/shares`);
    await page.getByLabel("Label").fill("For a colleague");
    await page.getByRole("button", { name: "Make the share" }).click();
    const address = await page.getByLabel("Events as JSON").inputValue();
    expect((await fetch(address)).status).toBe(200);
    expect((await fetch(await page.getByLabel("Events as a file").inputValue())).status).toBe(200);
    const row = page.getByRole("row").filter({ hasText: "For a colleague" });
    await row.getByRole("button", { name: "End…" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "End it" }).click();
    await page.getByText("This catalogue is not shared.").waitFor();
    expect((await fetch(address)).status).toBe(404);
  });

  test("lead engines to files that are kept until they are not wanted", async () => {
    const { page } = await open("editor", `/catalogues/${id}/shares`);
    await page.getByRole("button", { name: "Keep files for engines" }).click();
    const list = page.getByLabel("List of the files");
    expect(await list.inputValue()).toMatch(`/api/catalogues/${id}/parts/manifest.json`);
    await page.getByRole("button", { name: "Make the share" }).click();
    const shared = await page.getByLabel("For DuckDB and others").inputValue();
    await expect.poll(async () => (await fetch(shared)).status).toBe(200);
    await page.getByRole("button", { name: "Remove the files" }).click();
    await list.waitFor({ state: "detached" });
    expect((await fetch(shared)).status).toBe(404);
    await page.getByRole("button", { name: "End…" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "End it" }).click();
  });

  test("say at the field what is wrong with it", async () => {
    const { page } = await open("editor", `/catalogues/${id}/shares`, { allow: /status of 400/ });
    await page.getByLabel("Ends after").fill("4000");
    await page.getByRole("button", { name: "Make the share" }).click();
    await expect
      .poll(() => page.getByLabel("Ends after").getAttribute("aria-invalid"))
      .toBe("true");
  });

  test("are made once where the answer is lost, and say that its address is lost", async () => {
    const { page } = await open("editor", `/catalogues/${id}/shares`, {
      allow: /ERR_|status of 409/,
    });
    await page.getByLabel("Label").fill("Lost");
    await page.route(
      "**/shares",
      async (route) => {
        await route.fetch();
        await route.abort();
      },
      { times: 1 },
    );
    await page.getByRole("button", { name: "Make the share" }).click();
    await page.getByText("The service cannot be reached.", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Make the share" }).click();
    await page.getByText("the answer with its address was lost").waitFor();
    await expect.poll(() => page.getByRole("row").filter({ hasText: "Lost" }).count()).toBe(1);
  });
});

const SHARED_PAGE_COUNT = 800;

type Shared = { readonly id: string; readonly url: string; readonly end: () => Promise<unknown> };

async function shareOf(editor: ApiClient, id: string): Promise<Shared> {
  const path = `/api/catalogues/${id}/shares`;
  const { body } = await editor.send<{ share: { id: string; url: string } }>("POST", path, {});
  const { share } = body;
  return { id, url: share.url, end: () => editor.send("DELETE", `${path}/${share.id}`) };
}

/** The paths that a window asks for from now on, but those of the console's files. */
function pathsAsked(context: BrowserContext): ReadonlySet<string> {
  const paths = new Set<string>();
  context.on("request", (request) => {
    const { pathname, protocol } = new URL(request.url());
    if (protocol.startsWith("http") && !pathname.startsWith("/assets/")) paths.add(pathname);
  });
  return paths;
}

const heading = (page: Page, name: string) => page.getByRole("heading", { level: 1, name });

describeConsole("the page of a share", () => {
  let editor: ApiClient;
  let shared: Shared;

  beforeAll(async () => {
    editor = await service.loginAs("editor");
    const events = [...generateEvents(5, SHARED_PAGE_COUNT)];
    const { id } = await createCatalogue(editor, { name: "For reviewers", events });
    await editor.send("POST", `/api/catalogues/${id}/events`, { events: [seismicEvent()] });
    shared = await shareOf(editor, id);
  });

  test("shows whoever has the address map, table, plots, versions and citation, asking below it alone", async () => {
    const { page, context } = await open("guest");
    const asked = pathsAsked(context);
    await page.goto(shared.url);
    await heading(page, "For reviewers").waitFor();
    await drawn(page);
    expect(await shownCount(page)).toBe(SHARED_PAGE_COUNT + 1);
    expect(await page.getByRole("grid").getAttribute("aria-rowcount")).toBe(
      String(SHARED_PAGE_COUNT + 2),
    );
    await page.getByRole("button", { name: "Cite" }).click();
    await page.getByRole("dialog").getByText("For reviewers").first().waitFor();
    await page.getByRole("dialog").getByRole("button", { name: "Close" }).click();
    await page.getByRole("link", { name: "Magnitudes" }).click();
    await page.locator(".side-plot :is(svg, canvas):visible").first().waitFor();
    await page.getByRole("button", { name: "The version before" }).click();
    await expect.poll(() => shownCount(page)).toBe(SHARED_PAGE_COUNT);
    await page.reload();
    await expect.poll(() => shownCount(page)).toBe(SHARED_PAGE_COUNT);
    await page.getByRole("link", { name: "Analytics", exact: true }).click();
    await heading(page, "Analytics of For reviewers").waitFor();
    await page.locator("img.plot, svg.plot").waitFor();
    await page.getByText("Link, curl, ObsPy").click();
    const lines = await page.locator(".elsewhere").innerText();
    expect(lines).toContain(`curl '${shared.url}/analytics/`);
    expect(lines).not.toContain("TOKEN");
    await page.getByRole("link", { name: "Back to the events" }).click();
    await page.getByRole("link", { name: "Table" }).click();
    await page.getByRole("grid").getByRole("row").nth(1).dblclick();
    await page.waitForURL(/\/events\//);
    await page.getByRole("link", { name: /within 100 km/ }).waitFor();
    const base = new URL(shared.url).pathname;
    expect([...asked].filter((path) => path !== base && !path.startsWith(`${base}/`))).toEqual([]);
    expect([...asked]).toContain(`${base}/events/columns`);
  });

  test("offers nothing that changes it or leads elsewhere, whoever is signed in", async () => {
    const { page } = await open("editor", shared.url);
    await drawn(page);
    const ways = await page.locator("a[href]").evaluateAll((links) => links.map(String));
    expect(ways.length).toBeGreaterThan(3);
    const outside = ways.filter((way) => !way.startsWith(shared.url) && !way.includes("#content"));
    expect(outside).toEqual([]);
    expect(await page.getByRole("button", { name: "Edit" }).count()).toBe(0);
    await page.getByRole("button", { name: "Export" }).click();
    const file = await page.getByRole("link", { name: "GeoJSON" }).getAttribute("href");
    expect((await fetch(new URL(file ?? "", service.url))).status).toBe(200);
  });

  test("is of its catalogue alone: another address below it leads there", async () => {
    const { page } = await open("guest");
    const other = await createCatalogue(editor, { name: "Another" });
    for (const path of [`/catalogues/${other.id}`, `/catalogues/${shared.id}/shares`]) {
      await page.goto(shared.url + path);
      await heading(page, "For reviewers").waitFor();
      expect(new URL(page.url()).pathname).toBe(
        new URL(`${shared.url}/catalogues/${shared.id}`).pathname,
      );
    }
  });

  test("says of an ended and of an unknown share that there is none", async () => {
    const { page, context } = await open("guest", null, { allow: /status of 404/ });
    const ended = await shareOf(editor, shared.id);
    await ended.end();
    const asked = pathsAsked(context);
    for (const url of [ended.url, shared.url.replace(/[^/]+$/, "x".repeat(32))]) {
      await page.goto(url);
      await heading(page, "There is no such share").waitFor();
      expect(await page.getByText("For reviewers").count()).toBe(0);
    }
    expect([...asked].filter((path) => !path.startsWith("/api/share/"))).toEqual([]);
  });

  test.each([390, 1_280])(
    "fits a window of %d px, and axe has nothing to object to",
    async (width) => {
      const { page } = await open("guest", shared.url, { width, height: 844 });
      await drawn(page);
      expect(await violationsOf(page)).toEqual([]);
      const beyond = await page.evaluate<number>(
        "document.scrollingElement.scrollWidth - innerWidth",
      );
      expect(beyond).toBeLessThanOrEqual(0);
    },
  );
});
