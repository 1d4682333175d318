import { readFile } from "node:fs/promises";
import type { Locator, Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import type { Catalogue } from "#contracts/http/catalogues.ts";
import type { MergedCatalogue, MergePreview } from "#contracts/http/merges.ts";
import { createCatalogue, seismicEvent } from "../support/api/catalogue.ts";
import { createFromFile } from "../support/api/whole-documents.ts";
import type { ApiClient } from "../support/api-client.ts";
import { describeConsole, sharedConsole, violationsOf } from "./support/console.ts";

const { service, open } = sharedConsole();
let editor: ApiClient;
let ids: readonly string[] = [];

/** An earthquake of a day, by so many seconds later and with this magnitude. */
const quake = (day: string, seconds: number, magnitude: number) =>
  seismicEvent({
    source_id: `${day}-${seconds}`,
    time: `2016-11-${day}T11:02:${String(seconds).padStart(2, "0")}Z`,
    magnitude,
  });

async function chooseSources(page: Page): Promise<void> {
  await page.goto("/merge");
  await page.getByLabel("North", { exact: true }).check();
  await page.getByLabel("South", { exact: true }).check();
}

async function preview(page: Page): Promise<void> {
  await chooseSources(page);
  await page.getByRole("button", { name: "Preview" }).click();
  await page.getByRole("region", { name: "Preview" }).waitFor();
}

/** How far the map is from what it shows, by the length that its scale has in words. */
const scaleOf = (map: Locator) => map.locator(".leaflet-control-scale-line").textContent();

const CONFIG = { timeThreshold: 10, distanceThreshold: 50, mergeStrategy: "quality" };

describeConsole("a merge", () => {
  beforeAll(async () => {
    editor = await service.loginAs("editor");
    const north = await createCatalogue(editor, {
      name: "North",
      events: [quake("13", 10, 5), quake("14", 10, 5), quake("15", 10, 5), quake("16", 10, 4)],
    });
    // The same within the threshold, one that differs in magnitude, one just beyond, and another.
    const south = await createCatalogue(editor, {
      name: "South",
      events: [
        { ...quake("13", 12, 5.1), used_station_count: 20, azimuthal_gap: 100 },
        { ...quake("14", 11, 6.5), latitude: -42.5 },
        { ...quake("15", 22, 5), longitude: 173.3 },
        quake("18", 1, 4),
      ],
    });
    ids = [north.id, south.id];
  });

  test("is previewed, and its run gives the same counts", async () => {
    const { page } = await open("editor");
    await chooseSources(page);
    await page.getByRole("button", { name: "Preview" }).click();
    const sourceCatalogues = ids.map((id) => ({ id }));
    const { body } = await editor.send<MergePreview>("POST", "/api/merge/preview", {
      sourceCatalogues,
      config: CONFIG,
    });
    expect(body.ambiguous).toHaveLength(2);
    const counts = `${body.originalEventCount} events become ${body.eventCount}: ${body.duplicatesRemoved} duplicates in ${body.duplicateGroups} groups`;
    await page.getByRole("region", { name: "Preview" }).getByText(counts).waitFor();
    await page.getByLabel("Name", { exact: true }).fill("Both of a preview");
    await page.getByText("Restricted where one of its sources is, else internal.").waitFor();
    await page.getByLabel("Access").selectOption("public");
    await page.getByRole("button", { name: "Merge", exact: true }).click();
    await page.getByRole("region", { name: "Result" }).getByText(counts).waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await page.reload();
    await page.getByRole("region", { name: "Result" }).getByText(counts).waitFor();
    const found = await editor.get<{ catalogues: Catalogue[] }>(
      "/api/catalogues?search=Both%20of%20a%20preview",
    );
    expect(found.body.catalogues).toMatchObject([
      { event_count: body.eventCount, access: "public" },
    ]);
  });

  test("tells how far apart doubtful pairs are and how groups score, and shows on the map what is chosen", async () => {
    const { page } = await open("editor");
    await preview(page);
    const pairs = page.getByRole("region", { name: "Doubtful pairs" });
    const far = pairs.locator(".cluster").filter({ hasText: "15-22" });
    await far.getByText("Stays apart: 12 s apart, beyond the threshold of 10 s.").waitFor();
    // The second lies 0.3° of longitude east of the first.
    expect(await far.textContent()).toMatch(/12 s later, 2\d\.\d km E/);
    const unlike = pairs.locator(".cluster").filter({ hasText: "14-11" });
    await unlike.getByText("Becomes one although the magnitudes differ by 1.5.").waitFor();

    await page.getByText("Groups (2)").click();
    const group = page.locator(".cluster").filter({ hasText: "13-12" });
    await group.getByText("azimuthal gap").first().waitFor();
    const members = group.locator(".cluster-members > li");
    expect(await members.count()).toBe(2);
    const kept = members.first();
    await kept.getByText("kept", { exact: true }).waitFor();
    expect(await kept.textContent()).toContain("13-12");
    expect(await kept.textContent()).toMatch(/Score \d+(\.\d)? of 100/);
    const parts = (await kept.locator(".score-parts strong").allTextContents()).map(Number);
    const total = Number(/Score ([\d.]+) of/.exec((await kept.textContent()) ?? "")?.[1]);
    expect(parts).toHaveLength(6);
    expect(parts.reduce((sum, part) => sum + part, 0)).toBeCloseTo(total, 0);
    await group.getByText(/^Kept for its score, .* points against .*: stations \+/).waitFor();

    const map = page.getByRole("region", { name: "Map of the events" });
    await page.locator('[data-drawn="discs"]').waitFor();
    const whole = await scaleOf(map);
    await group.getByRole("button").click();
    await map.locator(".map-ring").waitFor();
    await expect.poll(() => scaleOf(map)).not.toBe(whole);
    expect(await group.getAttribute("aria-current")).toBe("true");
    expect(await violationsOf(page)).toEqual([]);
    // Where the kept event is drawn, which lies now in the middle of the map.
    const ring = await map.locator(".map-ring").boundingBox();
    if (ring === null) throw new Error("no ring is drawn");
    await map.press("Escape");
    await expect.poll(() => group.getAttribute("aria-current")).toBeNull();
    await page.mouse.click(ring.x + ring.width / 2, ring.y + ring.height / 2);
    await expect.poll(() => group.getAttribute("aria-current")).toBe("true");
    await page.getByRole("button", { name: "Show all" }).click();
    await expect.poll(() => scaleOf(map)).toBe(whole);
  });

  test("opens events beside it, and is found again after a reload", async () => {
    const { page, context } = await open("editor");
    await chooseSources(page);
    await page.getByLabel("Time").fill("12");
    await page.getByRole("button", { name: "Preview" }).click();
    const pairs = page.getByRole("region", { name: "Doubtful pairs" });
    const [event] = await Promise.all([
      context.waitForEvent("page"),
      pairs.getByRole("link").first().click(),
    ]);
    await event.getByRole("heading", { level: 1 }).waitFor();
    expect(new URL(page.url()).pathname).toBe("/merge");
    await page.getByLabel("Name", { exact: true }).fill("Found again");
    await page.reload();
    await pairs.waitFor();
    expect(await page.getByLabel("Name", { exact: true }).inputValue()).toBe("Found again");
    expect(await page.getByLabel("Time").inputValue()).toBe("12");
    await page.getByRole("button", { name: "Merge", exact: true }).click();
    await page.getByRole("region", { name: "Result" }).waitFor();
    await page.getByRole("link", { name: "Another merge" }).click();
    await page.getByText("Choose at least two catalogues.").waitFor();
  });

  test("asks for catalogues when typing rests, not at every key", async () => {
    const { page } = await open("editor", "/merge");
    await page.getByLabel("North", { exact: true }).waitFor();
    const asked: (string | null)[] = [];
    page.on("request", (request) => {
      const url = new URL(request.url());
      if (url.pathname === "/api/catalogues") asked.push(url.searchParams.get("search"));
    });
    await page.getByLabel("Part of the name").pressSequentially("sou");
    await page.getByLabel("North", { exact: true }).waitFor({ state: "detached" });
    expect(asked.at(-1)).toBe("sou");
    expect(asked.length).toBeLessThan(3);
  });

  test("says at the field what is wrong with it", async () => {
    const { page } = await open("editor", null, { allow: /status of 400/ });
    await chooseSources(page);
    await page.getByLabel("Label of South").fill("x".repeat(300));
    await page.getByRole("button", { name: "Preview" }).click();
    const label = page.getByLabel("Label of South");
    await expect.poll(() => label.getAttribute("aria-invalid")).toBe("true");
    expect(await violationsOf(page)).toEqual([]);
  });

  test("forgets the preview of other thresholds", async () => {
    const { page } = await open("editor");
    await chooseSources(page);
    await page.getByRole("button", { name: "Preview" }).click();
    await page.getByRole("heading", { name: "Preview" }).waitFor();
    await page.getByLabel("Time").fill("1");
    expect(await page.getByRole("heading", { name: "Preview" }).count()).toBe(0);
    await page.getByRole("button", { name: "Preview" }).click();
    await page.getByText("Groups (1)").waitFor();
  });

  test("does as a person decides on doubtful pairs, which its preview then shows", async () => {
    const { page } = await open("editor");
    await preview(page);
    const pairs = page.getByRole("region", { name: "Doubtful pairs" });
    const far = pairs.locator(".cluster").filter({ hasText: "15-22" });
    await far.getByText("same earthquake").click();
    await pairs.locator(".cluster").filter({ hasText: "14-11" }).getByText("different").click();
    await page.getByText("2 pairs decided.").waitFor();
    await page.getByRole("button", { name: "Preview again" }).click();
    await page.getByText("Doubtful pairs (0)").waitFor();
    await page.getByText("Decided (2)").click();
    await page.getByText("Becomes one, as you decided.").waitFor();
    await page.getByText("Stays apart, as you decided.").waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await page.getByLabel("Name", { exact: true }).fill("Decided");
    await page.getByRole("button", { name: "Merge", exact: true }).click();
    await page.getByRole("region", { name: "Result" }).waitFor();
    const found = await editor.get<{ catalogues: Catalogue[] }>("/api/catalogues?search=Decided");
    const [made] = found.body.catalogues;
    const merge = await editor.get<MergedCatalogue>(`/api/catalogues/${made?.id}/merge`);
    const decided = merge.body.decisions.map(({ type, idle }) => `${type} ${idle}`);
    expect(decided.toSorted()).toEqual(["different false", "same false"]);
  });

  test("takes further settings, each folded away under a sentence until it is needed", async () => {
    const { page } = await open("editor");
    await chooseSources(page);
    const unfold = (sentence: string) => page.getByText(sentence).click();
    await unfold("Take the magnitude or the mechanisms by another rule");
    await page.getByLabel("Magnitude", { exact: true }).selectOption("agencies");
    await page.getByLabel("Agencies for magnitude").fill("ISC, NEIC");
    await unfold("Do not let a magnitude of few stations win");
    await page.getByLabel("Stations at least").fill("3");
    await unfold("Use other thresholds");
    await page.getByRole("button", { name: "Add a rule" }).click();
    await page.getByLabel("Before").fill("1964");
    await page.getByLabel("Such events never become one").check();
    await unfold("Convert magnitudes to one type");
    await page.getByRole("list").getByRole("checkbox").first().check();
    await unfold("Keep it up by itself");
    await page.getByLabel("Refresh by itself").check();
    expect(await violationsOf(page)).toEqual([]);
    await page.getByRole("button", { name: "Preview" }).click();
    await page.getByRole("region", { name: "Preview" }).waitFor();
    await page.getByLabel("Name", { exact: true }).fill("Further");
    await page.getByRole("button", { name: "Merge", exact: true }).click();
    await page.getByRole("region", { name: "Result" }).waitFor();
    const found = await editor.get<{ catalogues: Catalogue[] }>("/api/catalogues?search=Further");
    expect(found.body.catalogues[0]?.merge_config).toMatchObject({
      prefer: { magnitude: ["ISC", "NEIC"] },
      minMagnitudeStations: 3,
      windows: [{ timeThreshold: null, distanceThreshold: null }],
      conversions: [expect.any(String)],
      follow: true,
    });
  });

  test("says in a folded part what is wrong in it", async () => {
    const { page } = await open("editor", null, { allow: /status of 400/ });
    await chooseSources(page);
    await page.getByText("Use other thresholds").click();
    await page.getByRole("button", { name: "Add a rule" }).click();
    const from = page.getByLabel("From UTC");
    await from.fill("whenever");
    await page.getByLabel("Such events never become one").check();
    await page.getByText("Use other thresholds").click();
    await page.getByRole("button", { name: "Preview" }).click();
    await expect.poll(() => from.getAttribute("aria-invalid")).toBe("true");
  });
});

const FIXTURES = new URL("../fixtures/merge/", import.meta.url);
const SETTINGS = { timeThreshold: 10, distanceThreshold: 50, mergeStrategy: "quality" };

let sources: readonly string[] = [];

type Listed = { readonly id: string; readonly source_id: string };

async function catalogueOf(file: string): Promise<string> {
  const content = new Uint8Array(await readFile(new URL(file, FIXTURES)));
  return (await createFromFile(editor, content, file)).id;
}

async function merged(): Promise<string> {
  const sourceCatalogues = sources.map((id, index) => ({
    id,
    source: ["GeoNet", "ComCat"][index],
  }));
  const body = { name: "Both", sourceCatalogues, config: SETTINGS };
  const answer = await editor.send<{ catalogueId: string }>("POST", "/api/merge", body);
  expect(answer.status).toBe(200);
  return answer.body.catalogueId;
}

/** An event of a source by its id at the agency. */
async function eventIn(id: string, name: string): Promise<string> {
  const { body } = await editor.get<{ events: readonly Listed[] }>(
    `/api/catalogues/${id}/events/filtered?limit=1000`,
  );
  const found = body.events.find(({ source_id }) => source_id === name);
  if (!found) throw new Error(`there is no ${name}`);
  return found.id;
}

/** Decides by the API on two events of the sources. */
async function decide(id: string, type: string, names: readonly [string, string]): Promise<void> {
  const events = await Promise.all(
    names.map(async (name, index) => {
      const catalogue = sources[index] ?? "";
      return { catalogue_id: catalogue, event_id: await eventIn(catalogue, name) };
    }),
  );
  const path = `/api/catalogues/${id}/merge/decisions`;
  const answer = await editor.send("POST", path, { type, events, note: "Late at far stations" });
  expect(answer.status).toBe(201);
}

const readMerge = async (id: string) =>
  (await editor.get<MergedCatalogue>(`/api/catalogues/${id}/merge`)).body;

describeConsole("the page of a merge", () => {
  beforeAll(async () => {
    editor = await service.loginAs("editor");
    sources = [await catalogueOf("quakesearch.csv"), await catalogueOf("comcat.csv")];
  });

  test("is led to from the catalogue, and takes in what the sources have since", async () => {
    const id = await merged();
    const event = await eventIn(sources[1] ?? "", "us7000aa08");
    const path = `/api/catalogues/${sources[1]}/events/${event}`;
    expect((await editor.send("PATCH", path, { depth: 41 })).status).toBe(200);
    const { page } = await open("editor", `/catalogues/${id}`);
    await page.getByText("its sources have changed").waitFor();
    await page.getByRole("link", { name: "Merge", exact: true }).click();
    await page.getByText("newer version").waitFor();
    await page.getByRole("button", { name: "See what a refresh changes" }).click();
    const changes = page.getByRole("region", { name: "What a refresh changes" });
    await changes.getByText("1 updated", { exact: true }).waitFor();
    await changes.getByText(/Depth .* → 41 km/).waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await changes.getByRole("button", { name: "Refresh" }).click();
    const result = page.getByRole("region", { name: "Result" });
    await result.getByText("Version 2").waitFor();
    await result.getByRole("link", { name: "Back to the merge" }).click();
    await page.getByText("This catalogue has what its sources have.").waitFor();
    expect((await readMerge(id)).behind).toBe(false);
  });

  test("refreshes with other settings, after showing what they change", async () => {
    const id = await merged();
    const { page } = await open("editor", `/catalogues/${id}/merge`);
    await page.getByRole("button", { name: "Change…" }).click();
    await page.getByLabel("Time").fill("15");
    await page.getByRole("button", { name: "See what a refresh changes" }).click();
    await page.getByText("1 updated, 1 removed").waitFor();
    await page.getByRole("button", { name: "Refresh", exact: true }).click();
    await page.getByRole("region", { name: "Result" }).getByText("Version 2").waitFor();
    expect((await readMerge(id)).config.timeThreshold).toBe(15);
  });

  test("lists decisions, which hold after refreshes until they are withdrawn", async () => {
    const id = await merged();
    await decide(id, "same", ["2024p100002", "us7000aa02"]);
    await decide(id, "different", ["2024p100004", "us7000aa04"]);
    for (const depth of [12, 13]) {
      const event = await eventIn(sources[1] ?? "", "us7000aa02");
      await editor.send("PATCH", `/api/catalogues/${sources[1]}/events/${event}`, { depth });
      const path = `/api/catalogues/${id}/merge/refresh`;
      expect((await editor.send("POST", path, {})).status).toBe(200);
    }
    const { page } = await open("editor", `/catalogues/${id}/merge?tab=decisions`, {
      width: 390,
      height: 844,
    });
    const rows = page.getByRole("row").filter({ hasText: "Late at far stations" });
    await expect.poll(() => rows.count()).toBe(2);
    await rows.first().getByText("you", { exact: true }).waitFor();
    await page.getByText("2024-02-03 09:41:05").waitFor();
    expect(await page.getByText("idle", { exact: true }).count()).toBe(0);
    expect(await violationsOf(page)).toEqual([]);
    await page.getByText("different (1)").click();
    await page.getByRole("button", { name: "Withdraw…" }).click();
    await page.getByRole("button", { name: "Withdraw", exact: true }).click();
    await page.getByText("Decisions (1)").waitFor();
    const [left, ...others] = (await readMerge(id)).decisions;
    expect(left).toMatchObject({ type: "same", idle: false });
    expect(others).toEqual([]);
  });

  test("of a catalogue that is no merge says what a merge is", async () => {
    const { page } = await open("editor", `/catalogues/${sources[0]}/merge`);
    await page.getByText("This catalogue was not made by a merge.").waitFor();
    await page.getByRole("link", { name: "Merge catalogues" }).click();
    await page.getByRole("heading", { name: "Merge catalogues" }).waitFor();
  });

  test("is steered from the page of an event, of which a solution is split off", async () => {
    const id = await merged();
    const { body } = await editor.get<{ events: readonly { id: string }[] }>(
      `/api/catalogues/${id}/events/filtered?limit=1000`,
    );
    const { page } = await open("editor");
    const sourcesOf = async (event: string) => {
      const path = `/api/catalogues/${id}/events/${event}`;
      const answer = await editor.get<{ event: { source_events?: readonly unknown[] } }>(path);
      return answer.body.event.source_events?.length ?? 0;
    };
    const counts = await Promise.all(body.events.map((event) => sourcesOf(event.id)));
    const joined = body.events[counts.indexOf(2)]?.id ?? "";
    await page.goto(`/catalogues/${id}/events/${joined}`);
    const table = page.getByRole("region", { name: "Sources of the event" });
    await table
      .getByRole("button", { name: /^Split off/ })
      .last()
      .click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Note (optional)").fill("Another depth");
    expect(await violationsOf(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Split it off" }).click();
    await page.getByText("It becomes an event of its own with the next refresh").waitFor();
    const { decisions } = await readMerge(id);
    expect(decisions).toMatchObject([{ type: "different", note: "Another depth", idle: false }]);
    const path = `/api/catalogues/${id}/merge/refresh`;
    expect((await editor.send("POST", path, {})).body).toMatchObject({ added: 1 });
  });
});

/** An earthquake of a day, which both agencies call by the same number. */
const quakeOf = (day: number, seconds: number, isc: string) =>
  seismicEvent({
    source_id: `${isc}-${seconds}`,
    time: `2016-11-${day}T11:02:${seconds}Z`,
    isc_event_id: isc,
  });

describeConsole("thresholds of a merge", () => {
  beforeAll(async () => {
    const editor = await service.loginAs("editor");
    const events = (late: number) => [
      quakeOf(13, 10 + late, "i13"),
      quakeOf(14, 10 + late * 4, "i14"),
      quakeOf(15, 10 + late, late === 0 ? "i15" : "i16"),
    ];
    await createCatalogue(editor, { name: "Northern", events: events(0) });
    await createCatalogue(editor, { name: "Southern", events: events(5) });
  });

  test("are tried on events whose earthquake is known, and go into the merge", async () => {
    const { page } = await open("editor", "/merge");
    await page.getByLabel("Northern", { exact: true }).check();
    await page.getByLabel("Southern", { exact: true }).check();
    await page.getByRole("link", { name: "evaluate thresholds" }).click();
    await page.getByLabel("What names the earthquake").fill("isc_event_id");
    await page.getByLabel("Times to try, s").fill("2, 10, 30");
    await page.getByLabel("Distances to try, km").fill("10, 50");
    await page.getByRole("button", { name: "Evaluate" }).click();
    const evaluation = page.getByRole("region", { name: "Evaluation" });
    await evaluation.getByText("best balance").waitFor();
    const row = evaluation.getByRole("row").filter({ hasText: "30 s" });
    await row.getByText("66.7 %").first().waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await row.getByRole("button").last().click();
    await evaluation.getByText("The worst pairs with 30 s and 50 km").waitFor();
    await evaluation.getByText("Wrong: they become one, and are two earthquakes.").waitFor();
    await evaluation.getByRole("link", { name: "Merge with 30 s and 50 km" }).click();
    await expect.poll(() => page.getByLabel("Time").inputValue()).toBe("30");
  });
});

const quakeAt = (day: number, seconds: number) =>
  seismicEvent({ source_id: `${day}-${seconds}`, time: `2016-11-${day}T11:02:${seconds}Z` });

describeConsole("duplicates of a catalogue", () => {
  test("are found, and only those that a person chooses are removed", async () => {
    const editor = await service.loginAs("editor");
    const { id } = await createCatalogue(editor, {
      name: "Twice",
      events: [quakeAt(13, 10), quakeAt(13, 11), quakeAt(14, 10), quakeAt(14, 12), quakeAt(15, 10)],
    });
    const { page } = await open("editor", `/catalogues/${id}`);
    await page.getByRole("button", { name: "Edit", exact: true }).click();
    await page.getByRole("link", { name: "Duplicates in it…" }).click();
    await page.getByRole("button", { name: "Look for duplicates" }).click();
    await page.getByRole("heading", { name: "2 groups" }).waitFor();
    expect(await page.getByText("0 events chosen").count()).toBe(1);
    const group = page.locator(".cluster").filter({ hasText: "13-11" });
    await group.getByRole("button", { name: "Choose all but the first" }).click();
    await page.locator('[data-drawn="discs"]').waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await page.getByRole("button", { name: "Remove the chosen…" }).click();
    await page.getByRole("button", { name: "Remove", exact: true }).click();
    await page.getByText("1 event removed in version 2").waitFor();
    await page.getByRole("heading", { name: "1 group" }).waitFor();
    const { body } = await editor.get<Catalogue>(`/api/catalogues/${id}`);
    expect(body.event_count).toBe(4);
  });
});

const quakeNumbered = (n: number, magnitude: number, magnitude_type: string) =>
  seismicEvent({ source_id: `e${n}`, time: `2016-11-1${n}T11:02:00Z`, magnitude, magnitude_type });

describeConsole("magnitudes of a catalogue", () => {
  test("are converted by a relation of one's own, where filters and range let them", async () => {
    const editor = await service.loginAs("editor");
    const { id } = await createCatalogue(editor, {
      events: [
        quakeNumbered(1, 4, "ML"),
        quakeNumbered(2, 6.8, "ML"),
        quakeNumbered(3, 4, "mb"),
        quakeNumbered(4, 2, "ML"),
      ],
    });
    const { page } = await open("editor", `/catalogues/${id}?minMagnitude=3`);
    await page.getByRole("button", { name: "Edit", exact: true }).click();
    await page.getByRole("link", { name: "Convert magnitudes…" }).click();
    await page.getByText("Only events that pass the filters are looked at").waitFor();
    await page.getByRole("button", { name: "Add a relation of your own" }).click();
    for (const [label, value] of [
      ["Name", "ML of ours"],
      ["From type", "ML"],
      ["Slope", "0.5"],
      ["Intercept", "2.5"],
      ["Standard deviation", "0.2"],
      ["Holds from", "1"],
      ["Holds to", "6"],
      ["Where it comes from", "fitted by hand"],
    ] as const) {
      await page.getByLabel(label, { exact: true }).fill(value);
    }
    expect(await violationsOf(page)).toEqual([]);
    await page.getByRole("button", { name: "Convert", exact: true }).click();
    const result = page.getByRole("region", { name: "Result" });
    await result.getByText("1 magnitude converted.").waitFor();
    await result.getByText("1 magnitude outside of every range").waitFor();
    await result.getByRole("link", { name: "What it changed" }).click();
    await page.getByText(/Magnitude .*4.* → 4\.5/).waitFor();
  });
});
