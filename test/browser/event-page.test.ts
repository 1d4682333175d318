import type { Page } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";
import { merge, sourceOf } from "../api/merge/merge-scene.ts";
import { createCatalogue, seismicEvent } from "../api/support/catalogue.ts";
import { useReachableService } from "../clients/support/reachable-service.ts";
import type { ApiClient } from "../support/api-client.ts";
import { violationsOf } from "./support/axe.ts";
import { openBrowser } from "./support/browser.ts";
import { hasChromium } from "./support/chromium.ts";
import { signInAs } from "./support/sign-in.ts";

const service = await useReachableService();

const KAIKOURA = {
  time: "2016-11-13T11:02:56.346094Z",
  latitude: -42.69,
  longitude: 173.02,
  depth: 15.1,
  magnitude: 7.8,
  magnitude_type: "Mw",
  evaluation_mode: "manual",
  source_id: "2016p858000",
  agency_id: "WEL",
  time_uncertainty: 0.4,
  horizontal_uncertainty: 1.5,
  // Slip on a vertical plane that strikes north, to the left.
  focal_mechanisms: [{ nodalPlanes: { nodalPlane1: { strike: 0, dip: 90, rake: 0 } } }],
};

/** Near it, and before it: the lists have it second. */
const NEIGHBOUR = {
  time: "2016-11-13T10:00:00Z",
  latitude: -42.3,
  longitude: 173.4,
  depth: 10,
  magnitude: 4.1,
};

/** How dark the beach ball is at a point: 0 black, 255 white; x to the east, y to the north. */
function shadeAt(page: Page, x: number, y: number): Promise<number> {
  return page.evaluate(
    ([x, y]) => {
      const ball = document.querySelector<HTMLCanvasElement>(".beach-ball");
      if (!ball) return -1;
      const copy = new OffscreenCanvas(ball.width, ball.height);
      const context = copy.getContext("2d", { willReadFrequently: true });
      context?.drawImage(ball, 0, 0);
      const [column, row] = [(1 + x) * (ball.width / 2), (1 - y) * (ball.height / 2)];
      return context?.getImageData(column, row, 1, 1).data[0] ?? -1;
    },
    [x, y] as const,
  );
}

describe.skipIf(!hasChromium)("the page of an event", () => {
  let editor: ApiClient;
  let id: string;
  let address: string;
  let neighbour: string;

  const firstEvent = async (catalogue: string) => {
    const { body } = await editor.get<{ events: { id: string }[] }>(
      `/api/catalogues/${catalogue}/events?limit=1`,
    );
    return body.events[0]?.id ?? "";
  };

  beforeAll(async () => {
    editor = await service.loginAs("editor");
    ({ id } = await createCatalogue(editor, {
      name: "Kaikōura",
      events: [KAIKOURA, NEIGHBOUR],
      is_public: true,
    }));
    const { body } = await editor.get<{ events: { id: string }[] }>(`/api/catalogues/${id}/events`);
    [address = "", neighbour = ""] = body.events.map((one) => `/catalogues/${id}/events/${one.id}`);
  });

  test("shows name, size, time, place and attributes exactly, to guests too, on a narrow screen", async () => {
    const { page } = await openBrowser(service.url, { width: 390, height: 844 });
    await page.goto(address);
    await page.getByRole("heading", { level: 1, name: "M 7.8 Mw" }).waitFor();
    await page.getByText("Event 2016p858000, by WEL").waitFor();
    await page.getByText("2016-11-13 11:02:56.346094 UTC ± 0.4 s").waitFor();
    await page.getByText("42.6900° S 173.0200° E ± 1.5 km · depth 15.1 km").waitFor();
    // The browser's clock is New Zealand's.
    expect(await page.locator("time").first().getAttribute("title")).toContain(
      "14 Nov 2016, 00:02:56",
    );
    expect(await page.getByRole("button", { name: "Edit…" }).count()).toBe(0);
    await page.locator("[data-drawn]").waitFor();
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
    await page.getByRole("link", { name: "Raw JSON" }).click();
    await page.getByText('"source_id":"2016p858000"').waitFor();
  });

  test("has its map at the event to which it was led from another", async () => {
    const { page } = await openBrowser(service.url);
    await page.goto(address);
    await page.locator(".map-ring").waitFor();
    await page.evaluate((other) => history.pushState(null, "", other), neighbour);
    await page.getByRole("heading", { level: 1, name: "M 4.1" }).waitFor();
    const middleOf = async (selector: string) => {
      const box = await page.locator(selector).boundingBox();
      return box && [Math.round(box.x + box.width / 2), Math.round(box.y + box.height / 2)];
    };
    await page.locator(".map-ring").waitFor();
    expect(await middleOf(".map-ring")).toEqual(await middleOf(".event-map .map-frame"));
  });

  test("draws the beach ball of its mechanism", async () => {
    const { page } = await openBrowser(service.url);
    await page.goto(address);
    await page.getByRole("img", { name: /Beach ball.*strike 0°, dip 90°/ }).waitFor();
    expect(await shadeAt(page, 0.5, 0.5)).toBeLessThan(100);
    expect(await shadeAt(page, -0.5, -0.5)).toBeLessThan(100);
    expect(await shadeAt(page, 0.5, -0.5)).toBe(255);
    expect(await shadeAt(page, -0.5, 0.5)).toBe(255);
  });

  test("is edited: the history gains a version, and what another changed meanwhile is shown first", async () => {
    const { id: own } = await createCatalogue(editor, { events: [KAIKOURA] });
    const event = `/catalogues/${own}/events/${await firstEvent(own)}`;
    const { page, allow } = await openBrowser(service.url);
    allow(/status of 412/);
    await signInAs(page, service, "editor");
    await page.goto(event);
    await page.getByRole("button", { name: "Edit…" }).click();
    await page.getByRole("textbox", { name: "Magnitude", exact: true }).fill("7.9");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("heading", { level: 1, name: "M 7.9 Mw" }).waitFor();
    await page.getByRole("columnheader", { name: /v2 updated/ }).waitFor();
    expect(await page.locator("td.changed").allTextContents()).toEqual(["7.9 (changed)"]);

    await page.getByRole("button", { name: "Edit…" }).click();
    await page.getByLabel("Region").fill("Kaikōura, New Zealand");
    await editor.send("PATCH", `/api${event}`, { depth: 14 });
    await page.getByRole("button", { name: "Save" }).click();
    const conflict = page.getByRole("alert");
    await conflict.getByText("Version 3 has come").waitFor();
    expect(await conflict.getByRole("row").allTextContents()).toEqual([
      "AttributeBeforeNow, by othersYours",
      "Depth15.1 km14 kmunchanged",
      "Region––Kaikōura, New Zealand",
    ]);
    await conflict.getByRole("button", { name: "Keep my changes" }).click();
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("heading", { level: 1, name: /Kaikōura/ }).waitFor();
    const { body } = await editor.get<{ event: Record<string, unknown> }>(`/api${event}`);
    expect(body.event).toMatchObject({
      depth: 14,
      region: "Kaikōura, New Zealand",
      magnitude: 7.9,
    });
  });

  test("tells at the field what the service refuses", async () => {
    const { page, allow } = await openBrowser(service.url);
    allow(/status of 400/);
    await signInAs(page, service, "editor");
    await page.goto(address);
    await page.getByRole("button", { name: "Edit…" }).click();
    await page.getByLabel("Latitude °", { exact: true }).fill("-142");
    await page.getByRole("button", { name: "Save" }).click();
    await page.locator(".field .problem").waitFor();
  });

  test("deletes the event after a question; its last state stays to be seen", async () => {
    const { id: own } = await createCatalogue(editor, { events: [KAIKOURA, seismicEvent()] });
    const event = `/catalogues/${own}/events/${await firstEvent(own)}`;
    const { page, allow } = await openBrowser(service.url);
    allow(/status of (404|412)|ERR_FAILED/);
    await signInAs(page, service, "editor");
    await page.goto(event);
    await page.getByRole("button", { name: "Delete…" }).click();
    const dialog = page.getByRole("dialog");
    // Another has changed it meanwhile: that is shown before it can be removed.
    const mechanism = KAIKOURA.focal_mechanisms;
    await editor.send("PATCH", `/api${event}`, { magnitude: 5.9, focal_mechanisms: mechanism });
    await dialog.getByText("2016p858000 (M 7.8, 2016-11-13 11:02:56 UTC)").waitFor();
    await page.route(`**/api${event}/history`, (route) => route.abort());
    await dialog.getByRole("button", { name: "Delete" }).click();
    await dialog.getByRole("alert").waitFor();
    // Where reading it anew fails, the page stays as it is.
    await page.getByText("The service cannot be reached").first().waitFor();
    await page.getByRole("heading", { level: 1, name: "M 7.8" }).waitFor();
    await page.unroute(`**/api${event}/history`);
    await page.keyboard.press("Escape");
    // It is read again by itself.
    await page.getByRole("heading", { level: 1, name: "M 5.9" }).waitFor();
    await page.getByRole("button", { name: "Delete…" }).click();
    await dialog.getByRole("button", { name: "Delete" }).click();
    await page.getByText("The event is removed: version 3").waitFor();
    await page.goto(event);
    await page.getByText("This event was removed by version 3").waitFor();
  });

  test("leads from a merged event to those that it was made of", async () => {
    const sources = await Promise.all(
      ["A", "B"].map((name, i) =>
        sourceOf(editor, name, [{ ...KAIKOURA, magnitude: 7.8 + i / 10 }]),
      ),
    );
    const { catalogueId: merged } = await merge(editor, sources);
    const { page } = await openBrowser(service.url);
    await signInAs(page, service, "editor");
    await page.goto(`/catalogues/${merged}/events/${await firstEvent(merged)}`);
    const rows = page.getByRole("region", { name: "Sources of the event" }).getByRole("row");
    await expect.poll(() => rows.count()).toBe(3);
    const linkTo = (source: string) =>
      rows
        .filter({ has: page.getByRole("cell", { name: source, exact: true }) })
        .getByRole("link", { name: "2016p858000" });
    for (const { id: catalogue, source } of sources) {
      expect(await linkTo(source).getAttribute("href")).toBe(
        `/catalogues/${catalogue}/events/${await firstEvent(catalogue)}`,
      );
    }
    await linkTo("B").click();
    await page.getByRole("link", { name: "catalogue of B" }).waitFor();
    await page.getByRole("heading", { level: 1, name: "M 7.9 Mw" }).waitFor();
    await page.getByText("Event 2016p858000, by WEL").waitFor();
  });

  test("has nothing that axe objects to in light and dark", async () => {
    const { page } = await openBrowser(service.url);
    await signInAs(page, service, "editor");
    await page.goto(address);
    await page.locator("[data-drawn]").waitFor();
    await page.getByRole("button", { name: "Edit…" }).click();
    expect(await violationsOf(page)).toEqual([]);
    await page.getByRole("button", { name: "Delete…" }).click();
    await page.getByRole("dialog").waitFor();
    expect(await violationsOf(page)).toEqual([]);
  });
});
