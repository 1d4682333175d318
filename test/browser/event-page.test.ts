import type { Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { createCatalogue, seismicEvent } from "../support/api/catalogue.ts";
import { merge, sourceOf } from "../support/api/merges.ts";
import type { ApiClient } from "../support/api-client.ts";
import { SHOWN, SMALL_BULLETIN } from "../support/bulletins/phases-bulletin.ts";
import { describeConsole, sharedConsole, signInAs, violationsOf } from "./support/console.ts";

const { service, open } = sharedConsole();

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

describeConsole("the page of an event", () => {
  let editor: ApiClient;
  let id: string;
  let address: string;

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
    address = `/catalogues/${id}/events/${body.events[0]?.id}`;
  });

  test("offers no version that it shows, whoever has made it", async () => {
    const { id: own } = await createCatalogue(editor, { events: [KAIKOURA], is_public: true });
    const event = `/catalogues/${own}/events/${await firstEvent(own)}`;
    const { page, context } = await open("guest");
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
    const { page } = await open("guest", address, { width: 390, height: 844 });
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

  test("draws its beach ball, lists the nearest events, and leads to one with the map in its middle", async () => {
    const { page } = await open("guest", address);
    await page.getByRole("img", { name: /Beach ball.*strike 0°, dip 90°/ }).waitFor();
    expect(await shadeAt(page, 0.5, 0.5)).toBeLessThan(100);
    expect(await shadeAt(page, -0.5, -0.5)).toBeLessThan(100);
    expect(await shadeAt(page, 0.5, -0.5)).toBe(255);
    expect(await shadeAt(page, -0.5, 0.5)).toBe(255);
    const rows = page.getByRole("region", { name: "Nearest events" }).getByRole("row");
    await expect.poll(() => rows.count()).toBe(2);
    const row = rows.nth(1);
    await row.getByText(/^\d+ km \w+ of /).waitFor();
    expect(await row.innerText()).toMatch(/^M 4\.1\s+2016-11-13 10:00:00\s.*\s10\s+53\.4$/s);
    await page.locator(".map-ring").waitFor();
    await row.getByRole("link", { name: "M 4.1" }).click();
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

  test("is edited: the history gains a version, and what another changed meanwhile is shown first", async () => {
    const { id: own } = await createCatalogue(editor, { events: [KAIKOURA] });
    const event = `/catalogues/${own}/events/${await firstEvent(own)}`;
    const { page } = await open("editor", event, { allow: /status of 412/ });
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
    const { page } = await open("editor", address, { allow: /status of 400/ });
    await page.locator("[data-drawn]").waitFor();
    await page.getByRole("button", { name: "Edit…" }).click();
    expect(await violationsOf(page)).toEqual([]);
    await page.getByLabel("Latitude °", { exact: true }).fill("-142");
    await page.getByRole("button", { name: "Save" }).click();
    await page.locator(".field .problem").waitFor();
    await page.getByRole("button", { name: "Delete…" }).click();
    await page.getByRole("dialog").waitFor();
    expect(await violationsOf(page)).toEqual([]);
  });

  test("has its uncertainties beside their values, and sends what was changed alone", async () => {
    const { id: own } = await createCatalogue(editor, { events: [KAIKOURA] });
    const event = `/catalogues/${own}/events/${await firstEvent(own)}`;
    const { page } = await open("editor", event);
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
    const { page } = await open("editor", event, { allow: /status of 404/ });
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
    const { page } = await open("editor", `/catalogues/${own}`, { allow: /status of 400/ });
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
    const { page } = await open("editor", event, { allow: /status of (404|412)|ERR_FAILED/ });
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
    const { page } = await open(
      "editor",
      `/catalogues/${merged}/events/${await firstEvent(merged)}`,
    );
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
    const { page } = await open(
      "guest",
      `${address.slice(0, address.lastIndexOf("/"))}/${crypto.randomUUID()}`,
      { allow: /status of 404/ },
    );
    await page.getByRole("heading", { name: "There is no such event" }).waitFor();
    await page.getByRole("link", { name: "Back to the catalogue" }).waitFor();
  });
});

const EVENT = { ...SHOWN, depth: 5, bulletin: SMALL_BULLETIN };

describeConsole("the page of an event with a bulletin", () => {
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
    const { page } = await open("guest", address, { width: 390, height: 844 });
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
    const { page } = await open("guest", `/catalogues/${id}`);
    const rows = page.getByRole("grid", { name: "Events" }).getByRole("row");
    await expect.poll(() => rows.count()).toBe(3);
    const marked = rows.filter({ has: page.getByRole("img", { name: "4 arrivals" }) });
    expect(await marked.count()).toBe(1);
    expect(await marked.innerText()).toContain("2024-05-07 08:24:10");
  });

  test("lets editors choose the preferred origin and magnitude, which the event then shows", async () => {
    const { address } = await newEvent();
    const { page } = await open("editor", address);
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
    const { page } = await open("editor", address, { allow: /status of 412/ });
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
    const { page } = await open("editor", address);
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
    const { page } = await open("editor", `/catalogues/${id}/events/${body.events[0]?.id}`);
    const ball = page.getByRole("img", { name: /^Beach ball/ }).first();
    await ball.waitFor();
    expect(await ball.getAttribute("aria-label")).toContain("strike 10°");
    await page.getByRole("button", { name: "Prefer focal mechanism 2" }).click();
    await page.getByText("Preferred from version 2 on").waitFor();
    await expect.poll(() => ball.getAttribute("aria-label")).toContain("strike 45°");
  });

  test("takes comments of editors", async () => {
    const { address } = await newEvent();
    const { page } = await open("editor", address);
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
    const { page } = await open("editor", address);
    await page.getByRole("img", { name: /^Map of 2 stations/ }).waitFor();
    expect(await violationsOf(page)).toEqual([]);
  });
});
