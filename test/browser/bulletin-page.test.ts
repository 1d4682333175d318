import { beforeAll, describe, expect, test } from "vitest";
import { createCatalogue } from "../api/support/catalogue.ts";
import type { ApiClient } from "../support/api-client.ts";
import { SHOWN, SMALL_BULLETIN } from "../support/bulletins/phases-bulletin.ts";
import { hasChromium } from "../support/chromium.ts";
import { useReachableService } from "../support/reachable-service.ts";
import { violationsOf } from "./support/axe.ts";
import { openBrowser } from "./support/browser.ts";
import { signInAs } from "./support/sign-in.ts";

const service = await useReachableService();

const EVENT = { ...SHOWN, depth: 5, bulletin: SMALL_BULLETIN };

describe.skipIf(!hasChromium)("the page of an event with a bulletin", () => {
  let editor: ApiClient;

  /** A catalogue of the event, and the address of its page. */
  async function newEvent(): Promise<{ readonly id: string; readonly address: string }> {
    const { id } = await createCatalogue(editor, { events: [EVENT], is_public: true });
    const { body } = await editor.get<{ events: { id: string }[] }>(`/api/catalogues/${id}/events`);
    return { id, address: `/catalogues/${id}/events/${body.events[0]?.id}` };
  }

  beforeAll(async () => {
    editor = await service.loginAs("editor");
  });

  test("shows guests all solutions with what differs, the arrivals and the magnitudes by station", async () => {
    const { address } = await newEvent();
    const { page } = await openBrowser(service.url, { width: 390, height: 844 });
    await page.goto(address);
    const rowsOf = (region: string) =>
      page.getByRole("region", { name: region, exact: true }).getByRole("row");
    await expect.poll(() => rowsOf("Origins").count()).toBe(3);
    const [, first = "", second = ""] = await rowsOf("Origins").allInnerTexts();
    expect(first).toMatch(/^1\s.*−1\.50.*20\.6.*\+7\.0/s);
    expect(second).toMatch(/^2 preferred/);
    expect((await rowsOf("Magnitudes").allInnerTexts())[2]).toMatch(/^Mw.*\+0\.50/s);
    const arrivals = await rowsOf("Arrivals with their picks").allInnerTexts();
    expect(arrivals[2]).toMatch(/^NZ\.WEL\s+10\.HHN\s+S\s.*16\.25\s+\+0\.40\s+0\.50\s+10/s);
    await page.getByRole("img", { name: /^Map of 2 stations/ }).waitFor();
    await page.getByRole("img", { name: /^Rose of the directions of 1 stations/ }).waitFor();
    await page.getByRole("img", { name: /^Travel times and residuals of 4 arrivals/ }).waitFor();
    expect((await rowsOf("Magnitudes by station").allInnerTexts())[1]).toMatch(
      /^NZ\.HSRZ.*−0\.25/s,
    );
    await page.getByText("Felt in the town.").waitFor();
    expect(await page.getByRole("button", { name: /^Prefer/ }).count()).toBe(0);
    expect(await page.getByLabel("Add a comment").count()).toBe(0);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(
      390,
    );
  });

  test("is marked in the table of its catalogue", async () => {
    const { id } = await createCatalogue(editor, {
      events: [EVENT, { ...SHOWN, time: "2024-05-08T00:00:00Z" }],
      is_public: true,
    });
    const { page } = await openBrowser(service.url);
    await page.goto(`/catalogues/${id}`);
    const rows = page.getByRole("grid", { name: "Events" }).getByRole("row");
    await expect.poll(() => rows.count()).toBe(3);
    const marked = rows.filter({ has: page.getByRole("img", { name: "4 arrivals" }) });
    expect(await marked.count()).toBe(1);
    expect(await marked.innerText()).toContain("2024-05-07 08:24:10");
  });

  test("lets editors choose the preferred origin and magnitude, which the event then shows", async () => {
    const { address } = await newEvent();
    const { page } = await openBrowser(service.url);
    await signInAs(page, service, "editor");
    await page.goto(address);
    await page.getByRole("button", { name: "Prefer magnitude 2, Mw" }).click();
    await page.getByRole("heading", { level: 1, name: /^Mw 1\.9/ }).waitFor();
    await page.getByRole("button", { name: "Prefer origin 1" }).click();
    await page.getByText("38.5000° S 176.0000° E · 12 km deep").waitFor();
    await page.getByRole("button", { name: "Prefer origin 2" }).waitFor();
    await page.locator(".history").getByRole("link", { name: "Version 3" }).waitFor();
    await page
      .locator(".history")
      .getByText(/^In the bulletin: .*preferred origin/)
      .waitFor();
  });

  test("shows what another has preferred meanwhile before anything is changed", async () => {
    const { address } = await newEvent();
    const { page, allow } = await openBrowser(service.url);
    allow(/status of 412/);
    await signInAs(page, service, "editor");
    await page.goto(address);
    await page.getByRole("button", { name: "Prefer origin 1" }).waitFor();
    await editor.send("PATCH", `/api${address}/preferred`, {
      magnitudeID: "smi:local/magnitude/2",
    });
    await page.getByRole("button", { name: "Prefer origin 1" }).click();
    await page.getByRole("heading", { level: 1, name: /^Mw 1\.9/ }).waitFor();
    await page.getByRole("button", { name: "Prefer origin 1" }).click();
    await page.getByText("38.5000° S 176.0000° E · 12 km deep").waitFor();
  });

  test("deletes a solution after it has said what goes with it", async () => {
    const { address } = await newEvent();
    const { page } = await openBrowser(service.url);
    await signInAs(page, service, "editor");
    await page.goto(address);
    await page.getByRole("button", { name: "Delete origin 2" }).click();
    const dialog = page.getByRole("dialog");
    expect(await dialog.getByRole("listitem").allTextContents()).toEqual([
      "4 arrivals",
      "1 magnitude",
      "2 station magnitudes",
    ]);
    await dialog.getByText("It is the preferred one").waitFor();
    await dialog.getByLabel("Reason").fill("Of another earthquake.");
    await dialog.getByRole("button", { name: "Delete" }).click();
    await page.getByText("Deleted: origin 2, in version 2").waitFor();
    // The event shows the other one, and the best of the magnitudes that are left.
    await page.getByText("38.5000° S 176.0000° E · 12 km deep").waitFor();
    await page.getByRole("heading", { level: 1, name: /^Mw 1\.9/ }).waitFor();
    const { body } = await editor.get<{ bulletin: Record<string, readonly unknown[]> }>(
      `/api${address}/bulletin`,
    );
    expect(body.bulletin["origin"]).toHaveLength(1);
    expect(body.bulletin["stationMagnitude"] ?? []).toEqual([]);
    await page.locator(".history").getByText("“Of another earthquake.”").waitFor();
  });

  test("lets editors choose the preferred focal mechanism, whose ball comes first", async () => {
    const plane = (strike: number) => ({
      nodalPlanes: {
        nodalPlane1: { strike: { value: strike }, dip: { value: 90 }, rake: { value: 0 } },
      },
    });
    const focalMechanism = [10, 45].map((strike) => ({
      publicID: `smi:local/mechanism/${strike}`,
      ...plane(strike),
    }));
    const { id } = await createCatalogue(editor, {
      events: [{ ...EVENT, bulletin: { ...SMALL_BULLETIN, focalMechanism } }],
    });
    const { body } = await editor.get<{ events: { id: string }[] }>(`/api/catalogues/${id}/events`);
    const { page } = await openBrowser(service.url);
    await signInAs(page, service, "editor");
    await page.goto(`/catalogues/${id}/events/${body.events[0]?.id}`);
    const ball = page.getByRole("img", { name: /^Beach ball/ }).first();
    await ball.waitFor();
    expect(await ball.getAttribute("aria-label")).toContain("strike 10°");
    await page.getByRole("button", { name: "Prefer focal mechanism 2" }).click();
    await page.getByText("Preferred from version 2 on").waitFor();
    await expect.poll(() => ball.getAttribute("aria-label")).toContain("strike 45°");
  });

  test("takes comments of editors", async () => {
    const { address } = await newEvent();
    const { page } = await openBrowser(service.url);
    await signInAs(page, service, "editor");
    await page.goto(address);
    await page.getByLabel("Add a comment").fill("A blast, says the quarry.");
    await page.getByRole("button", { name: "Add" }).click();
    await page.getByRole("listitem").getByText("A blast, says the quarry.").waitFor();
    expect(await page.getByLabel("Add a comment").inputValue()).toBe("");
    const { body } = await editor.get<{ bulletin: { comment: { text: string }[] } }>(
      `/api${address}/bulletin`,
    );
    expect(body.bulletin.comment.map(({ text }) => text)).toEqual([
      "Felt in the town.",
      "A blast, says the quarry.",
    ]);
  });

  test("has nothing that axe objects to in light and dark", async () => {
    const { address } = await newEvent();
    const { page } = await openBrowser(service.url);
    await signInAs(page, service, "editor");
    await page.goto(address);
    await page.getByRole("img", { name: /^Map of 2 stations/ }).waitFor();
    expect(await violationsOf(page)).toEqual([]);
  });
});
