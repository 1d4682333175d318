import type { Page } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";
import { merge, sourceOf } from "../api/merge/merge-scene.ts";
import { createCatalogue, seismicEvent } from "../api/support/catalogue.ts";
import type { ApiClient } from "../support/api-client.ts";
import { hasChromium } from "../support/chromium.ts";
import { useReachableService } from "../support/reachable-service.ts";
import { violationsOf } from "./support/axe.ts";
import { openBrowser } from "./support/browser.ts";
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

  test("offers no version that it shows, whoever has made it", async () => {
    const { id: own } = await createCatalogue(editor, { events: [KAIKOURA], is_public: true });
    const event = `/catalogues/${own}/events/${await firstEvent(own)}`;
    const { page, context } = await openBrowser(service.url);
    const session = await context.newCDPSession(page);
    await session.send("Network.enable");
    const told: string[] = [];
    session.on("Network.eventSourceMessageReceived", ({ data }) => {
      if (data.includes('"version"')) told.push(data);
    });
    await signInAs(page, service, "editor");
    const feed = page.waitForResponse((response) => response.url().includes("/feed?"));
    await page.goto(event);
    await feed;
    const offer = page.getByText("has arrived");
    await editor.send("PATCH", `/api${event}`, { depth: 12 });
    await page.getByText("Version 2 has arrived.").waitFor();
    await page.getByRole("button", { name: "Show it" }).click();
    await offer.waitFor({ state: "detached" });
    told.length = 0;
    await page.getByRole("button", { name: "Edit…" }).click();
    await page.getByRole("textbox", { name: "Magnitude", exact: true }).fill("7.9");
    await page.getByRole("button", { name: "Save 1 change" }).click();
    await page.getByText("Saved: version 3").waitFor();
    await expect.poll(() => told.length).toBeGreaterThan(0);
    await offer.waitFor({ state: "detached" });
  });

  test("shows name, size, time, place and attributes exactly, to guests too, on a narrow screen", async () => {
    const { page } = await openBrowser(service.url, { width: 390, height: 844 });
    await page.goto(address);
    await page.getByRole("heading", { level: 1, name: /^Mw 7\.8 · \d+ km \w+ of / }).waitFor();
    await page.getByText("Reported by agency WEL as 2016p858000").waitFor();
    await page.getByText(/^2016-11-13 11:02:56\.346094 UTC \(\d+ years ago\) ± 0\.4 s/).waitFor();
    await page.getByText("42.690° S 173.020° E ± 1.5 km · 15.1 km deep").waitFor();
    // The browser's clock is New Zealand's.
    expect(await page.locator("time").first().getAttribute("title")).toContain(
      "14 Nov 2016, 00:02:56",
    );
    expect(await page.getByRole("button", { name: "Edit…" }).count()).toBe(0);
    await page.locator("[data-drawn]").waitFor();
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(
      390,
    );
    await page.getByRole("link", { name: "Raw JSON" }).click();
    await page.getByText('"source_id":"2016p858000"').waitFor();
  });

  test("has its map at the event to which it was led from another", async () => {
    const { page } = await openBrowser(service.url);
    await page.goto(address);
    await page.locator(".map-ring").waitFor();
    await page.evaluate((other) => history.pushState(null, "", other), neighbour);
    await page.getByRole("heading", { level: 1, name: /^M 4\.1/ }).waitFor();
    const middleOf = async (selector: string) => {
      const box = await page.locator(selector).boundingBox();
      return [(box?.x ?? 0) + (box?.width ?? 0) / 2, (box?.y ?? 0) + (box?.height ?? 0) / 2];
    };
    await page.locator(".map-ring").waitFor();
    const [ring, map] = [await middleOf(".map-ring"), await middleOf(".event-map .map-frame")];
    // Canvases begin at whole pixels.
    for (const i of [0, 1]) expect(Math.abs((ring[i] ?? 0) - (map[i] ?? 0))).toBeLessThanOrEqual(1);
  });

  test("lists the events that are nearest, with where they are", async () => {
    const { page } = await openBrowser(service.url);
    await page.goto(address);
    const rows = page.getByRole("region", { name: "Nearest events" }).getByRole("row");
    await expect.poll(() => rows.count()).toBe(2);
    const row = rows.nth(1);
    await row.getByText(/^\d+ km \w+ of /).waitFor();
    expect(await row.innerText()).toMatch(/^M 4\.1\s+2016-11-13 10:00:00\s.*\s10\s+53\.4$/s);
    await row.getByRole("link", { name: "M 4.1" }).click();
    await page.getByRole("heading", { level: 1, name: /^M 4\.1/ }).waitFor();
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
    await page.getByLabel("Reason").fill("Read again.");
    await page.getByRole("button", { name: "Save 1 change" }).click();
    await page.getByRole("heading", { level: 1, name: /^Mw 7\.9/ }).waitFor();
    const history = page.locator(".history > li");
    await history.getByText("Changed by hand").waitFor();
    expect(await history.locator(".changed-lines li").allTextContents()).toEqual([
      "Magnitude 7.8 → 7.9",
    ]);
    await history.first().getByText("“Read again.”").waitFor();
    await history.first().getByText("by you").waitFor();

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

  test("has its uncertainties beside their values, and sends what was changed alone", async () => {
    const { id: own } = await createCatalogue(editor, { events: [KAIKOURA] });
    const event = `/catalogues/${own}/events/${await firstEvent(own)}`;
    const { page } = await openBrowser(service.url);
    await signInAs(page, service, "editor");
    await page.goto(event);
    await page.getByRole("button", { name: "Edit…" }).click();
    const time = page.getByRole("textbox", { name: "Time UTC" });
    expect(await time.inputValue()).toBe("2016-11-13T11:02:56.346094Z");
    // Not clipped.
    expect(await time.evaluate((one) => one.scrollWidth - one.clientWidth)).toBeLessThanOrEqual(0);
    await page.getByLabel("Uncertainty of the depth").fill("2.25");
    const [request] = await Promise.all([
      page.waitForRequest((one) => one.method() === "PATCH"),
      page.getByRole("button", { name: "Save 1 change" }).click(),
    ]);
    expect(request.postDataJSON()).toEqual({ depth_uncertainty: 2.25 });
    await page.getByText("15 km deep ± 2 km").waitFor();
  });

  test("is restored as it was in an earlier version, with a reason", async () => {
    const { id: own } = await createCatalogue(editor, { events: [KAIKOURA, NEIGHBOUR] });
    const event = `/catalogues/${own}/events/${await firstEvent(own)}`;
    await editor.send("PATCH", `/api${event}`, { depth: 14 });
    const { page, allow } = await openBrowser(service.url);
    allow(/status of 404/);
    await signInAs(page, service, "editor");
    await page.goto(event);
    const history = page.locator(".history > li");
    const restore = history.getByRole("button", { name: "Restore this… version 1" });
    await restore.click();
    const dialog = page.getByRole("dialog");
    expect(await dialog.getByRole("listitem").allTextContents()).toEqual(["Depth 14 km → 15.1 km"]);
    await dialog.getByLabel("Reason").fill("The depth was another event's.");
    await dialog.getByRole("button", { name: "Restore" }).click();
    await page.getByText("The event is as in version 1: version 3").waitFor();
    await history.first().getByText("Restored as in version 1").waitFor();
    await history.first().getByText("“The depth was another event's.”").waitFor();
    // A removed one comes back.
    await editor.send("DELETE", `/api${event}`);
    await page.reload();
    await page.getByText("This event was removed by version 4").waitFor();
    await history.getByRole("button", { name: "Restore this… version 1" }).click();
    await dialog.getByText("The event comes back under its id.").waitFor();
    await dialog.getByRole("button", { name: "Restore" }).click();
    await page.getByRole("button", { name: "Edit…" }).waitFor();
  });

  test("is added by a form of the same fields, which says what is missing", async () => {
    const { id: own } = await createCatalogue(editor, { events: [NEIGHBOUR] });
    const { page, allow } = await openBrowser(service.url);
    allow(/status of 400/);
    await signInAs(page, service, "editor");
    await page.goto(`/catalogues/${own}`);
    await page.locator(".event-row").waitFor();
    await page.getByRole("button", { name: "Edit", exact: true }).click();
    await page.getByRole("link", { name: "Add an event…" }).click();
    await page.getByLabel("Time UTC").fill("2020-01-02T03:04:05Z");
    await page.getByLabel("Latitude °", { exact: true }).fill("-41");
    await page.getByLabel("Longitude °", { exact: true }).fill("274");
    await page.getByLabel("Magnitude", { exact: true }).fill("eleven");
    await page.getByRole("button", { name: "Add the event" }).click();
    await page.locator(".field .problem").first().waitFor();
    await page.getByLabel("Longitude °", { exact: true }).fill("174");
    await page.getByLabel("Magnitude", { exact: true }).fill("3.5");
    await page.getByLabel("Reason").fill("Felt in Wellington.");
    expect(await violationsOf(page)).toEqual([]);
    await page.getByRole("button", { name: "Add the event" }).click();
    await page.getByRole("heading", { level: 1, name: /^M 3\.5 · \d+ km \w+ of / }).waitFor();
    await page.locator(".history").getByText("“Felt in Wellington.”").waitFor();
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
    await dialog.getByText("2016p858000 (Mw 7.8, 2016-11-13 11:02:56 UTC)").waitFor();
    await page.route(`**/api${event}/history`, (route) => route.abort());
    await dialog.getByRole("button", { name: "Delete" }).click();
    await dialog.getByRole("alert").waitFor();
    // Where reading it anew fails, the page stays as it is.
    await page.getByText("The service cannot be reached").first().waitFor();
    await page.getByRole("heading", { level: 1, name: /^Mw 7\.8/ }).waitFor();
    await page.unroute(`**/api${event}/history`);
    await page.keyboard.press("Escape");
    // It is read again by itself.
    await page.getByRole("heading", { level: 1, name: /^Mw 5\.9/ }).waitFor();
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
    await page.getByRole("heading", { level: 1, name: /^Mw 7\.9/ }).waitFor();
    await page.getByText("Reported by agency WEL as 2016p858000").waitFor();
  });

  test("that is not in its catalogue leads back to it", async () => {
    const { page, allow } = await openBrowser(service.url);
    allow(/status of 404/);
    await page.goto(`${address.slice(0, address.lastIndexOf("/"))}/${crypto.randomUUID()}`);
    await page.getByRole("heading", { name: "There is no such event" }).waitFor();
    await page.getByRole("link", { name: "Back to the catalogue" }).waitFor();
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
