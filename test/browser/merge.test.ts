import type { Locator, Page } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";
import type { Catalogue } from "#contracts/http/catalogue.ts";
import type { MergePreview } from "#contracts/http/merges/merge.ts";
import type { MergedCatalogue } from "#contracts/http/merges/merged-catalogue.ts";
import { createCatalogue, seismicEvent } from "../api/support/catalogue.ts";
import type { ApiClient } from "../support/api-client.ts";
import { hasChromium } from "../support/chromium.ts";
import { useReachableService } from "../support/reachable-service.ts";
import { violationsOf } from "./support/axe.ts";
import { openBrowser } from "./support/browser.ts";
import { signInAs } from "./support/sign-in.ts";

const service = await useReachableService();
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

describe.skipIf(!hasChromium)("a merge", () => {
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
    const { page } = await openBrowser(service.url);
    await signInAs(page, service, "editor");
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
    await page.getByLabel("Name", { exact: true }).fill("Both");
    await page.getByText("Restricted where one of its sources is, else internal.").waitFor();
    await page.getByLabel("Access").selectOption("public");
    await page.getByRole("button", { name: "Merge", exact: true }).click();
    await page.getByRole("region", { name: "Result" }).getByText(counts).waitFor();
    await page.reload();
    await page.getByRole("region", { name: "Result" }).getByText(counts).waitFor();
    const found = await editor.get<{ catalogues: Catalogue[] }>("/api/catalogues?search=Both");
    expect(found.body.catalogues).toMatchObject([
      { event_count: body.eventCount, access: "public" },
    ]);
  });

  test("tells of doubtful pairs how far apart they are, and what comes of them", async () => {
    const { page } = await openBrowser(service.url);
    await signInAs(page, service, "editor");
    await preview(page);
    const pairs = page.getByRole("region", { name: "Doubtful pairs" });
    const far = pairs.locator(".cluster").filter({ hasText: "15-22" });
    await far.getByText("Stays apart: 12 s apart, beyond the threshold of 10 s.").waitFor();
    // The second lies 0.3° of longitude east of the first.
    expect(await far.textContent()).toMatch(/12 s later, 2\d\.\d km E/);
    const unlike = pairs.locator(".cluster").filter({ hasText: "14-11" });
    await unlike.getByText("Becomes one although the magnitudes differ by 1.5.").waitFor();
  });

  test("breaks each score of a group down, and says by which parts one was kept", async () => {
    const { page } = await openBrowser(service.url);
    await signInAs(page, service, "editor");
    await preview(page);
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
  });

  test("shows on the map the group that is chosen in the list, and the reverse", async () => {
    const { page } = await openBrowser(service.url);
    await signInAs(page, service, "editor");
    await preview(page);
    await page.getByText("Groups (2)").click();
    const map = page.getByRole("region", { name: "Map of the events" });
    await page.locator('[data-drawn="discs"]').waitFor();
    const whole = await scaleOf(map);
    const group = page.locator(".cluster").filter({ hasText: "13-12" });
    await group.getByRole("button").click();
    await map.locator(".map-ring").waitFor();
    await expect.poll(() => scaleOf(map)).not.toBe(whole);
    expect(await group.getAttribute("aria-current")).toBe("true");
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
    const { page, context } = await openBrowser(service.url);
    await signInAs(page, service, "editor");
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
    const { page } = await openBrowser(service.url);
    await signInAs(page, service, "editor");
    await page.goto("/merge");
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
    const { page, allow } = await openBrowser(service.url);
    allow(/status of 400/);
    await signInAs(page, service, "editor");
    await chooseSources(page);
    await page.getByLabel("Label of South").fill("x".repeat(300));
    await page.getByRole("button", { name: "Preview" }).click();
    const label = page.getByLabel("Label of South");
    await expect.poll(() => label.getAttribute("aria-invalid")).toBe("true");
    expect(await violationsOf(page)).toEqual([]);
  });

  test("forgets the preview of other thresholds", async () => {
    const { page } = await openBrowser(service.url);
    await signInAs(page, service, "editor");
    await chooseSources(page);
    await page.getByRole("button", { name: "Preview" }).click();
    await page.getByRole("heading", { name: "Preview" }).waitFor();
    await page.getByLabel("Time").fill("1");
    expect(await page.getByRole("heading", { name: "Preview" }).count()).toBe(0);
    await page.getByRole("button", { name: "Preview" }).click();
    await page.getByText("Groups (1)").waitFor();
  });

  test("does as a person decides on doubtful pairs, which its preview then shows", async () => {
    const { page } = await openBrowser(service.url);
    await signInAs(page, service, "editor");
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
    const { page } = await openBrowser(service.url);
    await signInAs(page, service, "editor");
    await chooseSources(page);
    const open = (sentence: string) => page.getByText(sentence).click();
    await open("Take the magnitude or the mechanisms by another rule");
    await page.getByLabel("Magnitude", { exact: true }).selectOption("agencies");
    await page.getByLabel("Agencies for magnitude").fill("ISC, NEIC");
    await open("Do not let a magnitude of few stations win");
    await page.getByLabel("Stations at least").fill("3");
    await open("Use other thresholds");
    await page.getByRole("button", { name: "Add a rule" }).click();
    await page.getByLabel("Before").fill("1964");
    await page.getByLabel("Such events never become one").check();
    await open("Convert magnitudes to one type");
    await page.getByRole("list").getByRole("checkbox").first().check();
    await open("Keep it up by itself");
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
    const { page, allow } = await openBrowser(service.url);
    allow(/status of 400/);
    await signInAs(page, service, "editor");
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

  test("axe objects to nothing in light and dark", async () => {
    const { page } = await openBrowser(service.url);
    await signInAs(page, service, "editor");
    await chooseSources(page);
    await page.getByRole("button", { name: "Preview" }).click();
    await page.locator('[data-drawn="discs"]').waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await page.getByText("Groups (2)").click();
    await page.getByRole("region", { name: "Groups" }).getByRole("button").first().click();
    await page.locator(".map-ring").waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await page.getByLabel("Name", { exact: true }).fill("Both");
    await page.getByRole("button", { name: "Merge", exact: true }).click();
    await page.getByRole("region", { name: "Result" }).waitFor();
    expect(await violationsOf(page)).toEqual([]);
  });
});
