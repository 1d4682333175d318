import type { Locator, Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { withError } from "#contracts/plots/numbers.ts";
import { createCatalogue } from "../support/api/catalogue.ts";
import type { ApiClient } from "../support/api-client.ts";
import { generateEvents } from "../support/generate-catalogue.ts";
import { describeConsole, sharedConsole, violationsOf } from "./support/console.ts";

const { service, open } = sharedConsole();
const COUNT = 2_000;

const drawn = (page: Page) => page.locator("[data-drawn]").waitFor();
const shown = (page: Page) => page.locator(".shown strong");
const plotted = (page: Page) => page.locator(".scatter canvas").getAttribute("aria-label");

async function dragTime(page: Page): Promise<void> {
  const bars = await page.locator(".time-bars").boundingBox();
  if (!bars) throw new Error("no time line");
  await page.mouse.move(bars.x + bars.width * 0.3, bars.y + 20);
  await page.mouse.down();
  await page.mouse.move(bars.x + bars.width * 0.6, bars.y + 20, { steps: 4 });
  await page.mouse.up();
}

describeConsole("beside the map", () => {
  let editor: ApiClient;
  let id: string;

  beforeAll(async () => {
    editor = await service.loginAs("editor");
    const events = [...generateEvents(15, COUNT - 1)];
    const unknown = {
      time: "2015-06-01T00:00:00Z",
      latitude: -40,
      longitude: 175,
      magnitude: null,
    };
    ({ id } = await createCatalogue(editor, {
      name: "Beside",
      events: [...events, unknown],
      is_public: true,
    }));
  });

  test("plots show the events that the map shows, and follow the time line as the table does", async () => {
    const { page } = await open("guest", `/catalogues/${id}?tab=time`);
    await expect.poll(() => plotted(page)).toBe("Magnitudes along time of 2,000 events");
    await dragTime(page);
    const count = await shown(page).textContent();
    expect(count).not.toBe("2,000");
    await expect.poll(() => plotted(page)).toBe(`Magnitudes along time of ${count} events`);
    await page.getByRole("link", { name: "Depth section" }).click();
    await expect.poll(() => plotted(page)).toBe(`Depths along longitude of ${count} events`);
    expect(await violationsOf(page)).toEqual([]);
    await page.getByLabel("latitude").check();
    await expect.poll(() => plotted(page)).toBe(`Depths along latitude of ${count} events`);
    await page.getByRole("link", { name: "Table" }).click();
    const rows = Number(count?.replaceAll(",", ""));
    await expect
      .poll(() => page.getByRole("grid").getAttribute("aria-rowcount"))
      .toBe(String(rows + 1));
    await page.goBack();
    await expect.poll(() => plotted(page)).toContain(`of ${count} events`);
  });

  test("a click into a plot chooses the event, whose page is one click away", async () => {
    const { page } = await open("guest");
    const largest = await editor.get<{ events: { id: string; magnitude: number }[] }>(
      `/api/catalogues/${id}/events/filtered?orderBy=magnitude&limit=1`,
    );
    const event = largest.body.events[0]?.id;
    await page.goto(`/catalogues/${id}?tab=time&event=${event}`);
    const ring = await page.locator(".scatter-ring").boundingBox();
    if (!ring) throw new Error("no ring");
    await page.getByRole("button", { name: "Choose no event" }).click();
    await expect.poll(() => page.url()).not.toContain("event=");
    await page.mouse.click(ring.x + ring.width / 2, ring.y + ring.height / 2);
    await expect.poll(() => page.url()).toContain(`event=${event}`);
    await page.getByRole("link", { name: "Open the event" }).click();
    await expect.poll(() => new URL(page.url()).pathname).toContain(`/events/${event}`);
  });

  test("Mc and b are the service's, of the same events", async () => {
    const { page } = await open("guest", `/catalogues/${id}?tab=magnitudes&minDepth=5`);
    const { body } = await editor.get<{ estimate: { mc: number; b: number; sigma: number } }>(
      `/api/catalogues/${id}/analytics/b-value?minDepth=5`,
    );
    const { mc, b, sigma } = body.estimate;
    await page.getByText(`Mc ${mc.toFixed(1)}, b ${withError(b, sigma)}`).waitFor();
    expect(await violationsOf(page)).toEqual([]);
  });

  test("a range of magnitudes is dragged in their plot, for table, map and estimate at once", async () => {
    const { page } = await open("guest", `/catalogues/${id}?tab=magnitudes`);
    await page.getByText(/^Mc .* of [\d,]+ events from Mc up/).waitFor();
    const plot = await page.locator(".magnitudes-plot").boundingBox();
    if (!plot) throw new Error("no plot");
    const at = (share: number) => [plot.x + plot.width * share, plot.y + 60] as const;
    await page.mouse.move(...at(0.4));
    await page.mouse.down();
    await page.mouse.move(...at(0.6), { steps: 4 });
    await page.mouse.up();
    await expect.poll(() => page.url()).toMatch(/minMagnitude=.*maxMagnitude=/);
    const filters = new URL(page.url()).searchParams;
    const { body } = await editor.get<{ count: number }>(
      `/api/catalogues/${id}/events/filtered?minMagnitude=${filters.get("minMagnitude")}&maxMagnitude=${filters.get("maxMagnitude")}`,
    );
    expect(body.count).toBeGreaterThan(0);
    await expect.poll(() => shown(page).textContent()).toBe(body.count.toLocaleString("en"));
    await page.mouse.dblclick(...at(0.5));
    await expect.poll(() => page.url()).not.toContain("Magnitude=");
  });

  test("a part of a plot of single events is dragged, shown, and taken away by a double click", async () => {
    const { page } = await open("guest", `/catalogues/${id}?tab=section`);
    await expect.poll(() => plotted(page)).toBe("Depths along longitude of 2,000 events");
    const plot = await page.locator(".scatter").boundingBox();
    if (!plot) throw new Error("no plot");
    const at = (x: number, y: number) =>
      [plot.x + plot.width * x, plot.y + plot.height * y] as const;
    await page.mouse.move(...at(0.4, 0.1));
    await page.mouse.down();
    await page.mouse.move(...at(0.7, 0.5), { steps: 5 });
    await page.mouse.up();
    await expect
      .poll(() => page.url())
      .toMatch(/minDepth=.*maxDepth=.*minLongitude=.*maxLongitude=/);
    const filters = new URL(page.url()).searchParams;
    filters.delete("tab");
    filters.delete("map");
    const { body } = await editor.get<{ count: number }>(
      `/api/catalogues/${id}/events/filtered?${filters}`,
    );
    expect(body.count).toBeGreaterThan(0);
    await expect.poll(() => shown(page).textContent()).toBe(body.count.toLocaleString("en"));
    const box = await page.locator(".scatter-brush").boundingBox();
    expect(box?.x).toBeCloseTo(at(0.4, 0)[0], -1);
    expect(box?.width).toBeCloseTo(plot.width * 0.3, -1);
    expect(page.url()).not.toContain("event=");
    await page.mouse.dblclick(...at(0.9, 0.8));
    await expect.poll(() => page.url()).not.toContain("Depth=");
  });

  test("rows are selected from one to another, by what the table is sorted by", async () => {
    const { page } = await open("guest", `/catalogues/${id}?sort=magnitude`);
    const rows = page.locator(".event-row");
    await rows.nth(1).click();
    await rows.nth(5).click({ modifiers: ["Shift"] });
    await expect.poll(() => page.url()).toMatch(/minMagnitude=.*maxMagnitude=/);
    const count = Number(await shown(page).textContent());
    expect(count).toBeGreaterThanOrEqual(5);
    expect(count).toBeLessThan(COUNT / 10);
  });

  test("quality is told by measures, with what is unknown of each", async () => {
    const { page } = await open("guest", `/catalogues/${id}?tab=quality`);
    const gap = page.locator("figure", { hasText: "Azimuthal gap" });
    await gap.getByText(/median \d+.*unknown for \d+ events?/).waitFor();
    const bars = await gap.locator("path.some").getAttribute("d");
    expect(bars?.split("M").length).toBeGreaterThan(5);
    expect(await violationsOf(page)).toEqual([]);
  });

  test("the table keeps the arrow keys after a click, and unknown magnitudes are last both ways", async () => {
    const { page } = await open("guest", `/catalogues/${id}?sort=magnitude`);
    await drawn(page);
    await page.locator(".event-row").nth(1).click();
    await page.keyboard.press("End");
    const chosen = page.locator('.event-row[aria-selected="true"]');
    await expect.poll(() => chosen.getAttribute("aria-rowindex")).toBe(String(COUNT + 1));
    expect(await chosen.getByRole("gridcell").nth(1).textContent()).toBe("–");
    await page.keyboard.press("Home");
    await expect.poll(() => chosen.getAttribute("aria-rowindex")).toBe("2");
    const sort = page.getByRole("button", { name: "Mag." });
    await sort.focus();
    await page.keyboard.press("Enter");
    await expect.poll(() => page.url()).toContain("order=asc");
    await page.getByRole("grid").focus();
    await page.keyboard.press("End");
    await expect.poll(() => chosen.getByRole("gridcell").nth(1).textContent()).toBe("–");
  });

  test("a copied address shows the same view in another window; Back and Forward move the map", async () => {
    const { page, context } = await open(
      "guest",
      `/catalogues/${id}?minMagnitude=2&map=7/-41/174&colour=magnitude&sort=depth`,
    );
    await drawn(page);
    await page.locator(".event-row").nth(2).click();
    await expect.poll(() => page.url()).toContain("event=");
    await page.locator(".map").focus();
    await page.keyboard.press("+");
    await expect.poll(() => page.url()).toContain("map=8/");
    const other = await context.newPage();
    await other.goto(page.url());
    await drawn(other);
    expect(await shown(other).textContent()).toBe(await shown(page).textContent());
    await expect
      .poll(() => other.locator('.event-row[aria-selected="true"]').textContent())
      .toBe(await page.locator('.event-row[aria-selected="true"]').textContent());
    expect(await other.getByLabel("Colour by").inputValue()).toBe("magnitude");
    const places = (where: Page) => where.locator(".map-meridian").allTextContents();
    expect(await places(other)).toEqual(await places(page));
    const before = await places(other);
    await other.goto(`/catalogues/${id}?map=5/-41/174`);
    await drawn(other);
    await other.goBack();
    await expect.poll(() => places(other)).toEqual(before);
  });

  test("what is typed while the events come is not lost", async () => {
    const { page } = await open("guest");
    let letThrough = () => {};
    const held = new Promise<void>((resolve) => {
      letThrough = resolve;
    });
    await page.route("**/events/columns*", async (route) => {
      await held;
      await route.continue();
    });
    await page.goto(`/catalogues/${id}`);
    await page.getByLabel("Magnitude from").fill("abc");
    await page.getByText("Magnitude from: A number").waitFor();
    letThrough();
    await drawn(page);
    expect(await page.getByLabel("Magnitude from").inputValue()).toBe("abc");
    await page.getByLabel("Magnitude from").fill("3");
    await expect.poll(() => page.url()).toContain("minMagnitude=3");
  });
});

describeConsole("tables on a telephone", () => {
  let catalogue = "";
  let event = "";

  beforeAll(async () => {
    const admin = await service.loginAs("admin");
    const { body: sample } = await admin.send<{ catalogueId: string }>("POST", "/api/sample", {});
    catalogue = `/catalogues/${sample.catalogueId}`;
    const { body: found } = await admin.get<{ events: readonly { id: string }[] }>(
      `/api${catalogue}/events/filtered?orderBy=magnitude&limit=1`,
    );
    event = `${catalogue}/events/${found.events[0]?.id}`;
    await admin.send("PATCH", `/api${event}`, { depth: 9.5 });
    const decluster = { method: "gardner-knopoff" };
    const later = { prefer: "respond-async" };
    await admin.send("POST", `/api${catalogue}/analytics/decluster`, decluster, later);
  });

  test("have lines for rows, with the columns' names in them, and scroll nowhere", async () => {
    const { page } = await open("admin", null, { width: 390, height: 844 });
    for (const [label, address, column] of [
      ["Versions", `${catalogue}/versions`, "Made"],
      ["Users", "/admin/users", "Email"],
      ["Operations", "/operations", "Status"],
      ["Nearest events", event, "Where"],
    ] as const) {
      await page.goto(address);
      const area = page.getByRole("region", { name: label, exact: true });
      await area.locator("tbody tr").first().waitFor();
      const [beyond, names] = await area.evaluate((element) => [
        element.scrollWidth - element.clientWidth,
        [...element.querySelectorAll("tbody tr:first-child > *")].map(
          (cell) => getComputedStyle(cell, "::before").content,
        ),
      ]);
      expect(beyond, label).toBe(0);
      expect(names).toContain(`"${column} "`);
    }
  });

  test("the columns' names are given to the styles once, not at every rendering", async () => {
    const { page } = await open("admin", null, { width: 390, height: 844 });
    await page.addInitScript(() => {
      const { setProperty } = CSSStyleDeclaration.prototype;
      const written: string[] = [];
      Object.assign(globalThis, { written });
      CSSStyleDeclaration.prototype.setProperty = function (name, value, priority) {
        if (name.startsWith("--head-")) written.push(name);
        setProperty.call(this, name, value, priority);
      };
    });
    await page.goto("/admin/users");
    const search = page.getByRole("searchbox");
    for (const letter of ["e", "d", "i", "t"]) await search.press(letter);
    await page.getByText(/ of \d+ account/).waitFor();
    const columns = [1, 2, 3, 4, 5, 6, 7].map((n) => `--head-${n}`);
    expect(await page.evaluate("written")).toEqual(columns);
  });

  test("the events have all their numbers in view", async () => {
    const { page } = await open("viewer", catalogue, { width: 390, height: 844 });
    const cells = page.locator(".event-row").first().getByRole("gridcell");
    await cells.first().waitFor();
    expect(await cells.count()).toBe(5);
    for (const cell of await cells.all()) {
      const box = await cell.boundingBox();
      expect((box?.x ?? 390) + (box?.width ?? 0)).toBeLessThanOrEqual(390 - 16);
    }
  });
});

const LOCAL = / GMT\+1[23], local time\n(?:.* ago|just now|in .*)$/;

const titleOf = (element: Locator) => element.getAttribute("title");

/** Every time that the page names, each by the local clock too. */
async function expectLocal(page: Page): Promise<void> {
  const times = page.locator("main time");
  await times.first().waitFor();
  for (const time of await times.all()) expect(await titleOf(time)).toMatch(LOCAL);
}

describeConsole("times by the local clock", () => {
  let id: string;

  beforeAll(async () => {
    const editor = await service.loginAs("editor");
    ({ id } = await createCatalogue(editor, { events: [...generateEvents(61, 200)] }));
    await editor.send("POST", `/api/catalogues/${id}/shares`, { expiresInDays: 30 });
  });

  test("stand at the rows of the table, at the chosen event and at the one under the pointer", async () => {
    const { page } = await open("editor", `/catalogues/${id}`);
    await page.locator("[data-drawn=discs]").waitFor();
    const at = (row: number) => page.locator(".event-row").nth(row).getByRole("gridcell").first();
    await at(2).hover();
    expect(await titleOf(at(2))).toMatch(LOCAL);
    // Made for the row that is pointed at alone.
    expect(await titleOf(at(3))).toBeNull();
    await at(2).click();
    const chosen = page.locator(".chosen-event time");
    expect(await titleOf(chosen)).toBe(await titleOf(at(2)));
    await page.locator(".map-ring").hover({ force: true });
    await page
      .locator(".map-tip")
      .getByText(/ GMT\+1[23], local time/)
      .waitFor();
  });

  test("leave a row that has become another event’s", async () => {
    const { page } = await open("editor", `/catalogues/${id}`);
    const first = page.locator(".event-row").first().getByRole("gridcell").first();
    await first.hover();
    const before = await titleOf(first);
    await page.getByRole("button", { name: "Mag." }).click();
    await page.locator('[aria-sort="descending"]').getByText("Mag.").waitFor();
    expect(await titleOf(first)).not.toBe(before);
  });

  test.each(["/audit", "/status", "shares"])("stand at those of %s", async (path) => {
    const { page } = await open("admin", path.startsWith("/") ? path : `/catalogues/${id}/${path}`);
    await expectLocal(page);
  });
});

/** More than a browser has connections to one service. */
const WINDOWS = 8;

describeConsole("a catalogue in many windows", () => {
  test("of eight loads and is offered what comes", async () => {
    const editor = await service.loginAs("editor");
    const event = { time: "2024-01-01T00:00:00Z", latitude: 1, longitude: 2, magnitude: 3 };
    const { id } = await createCatalogue(editor, { name: "Everywhere", events: [event] });
    await editor.send("PATCH", `/api/catalogues/${id}`, { is_public: true });
    const { context, page: first } = await open("guest");
    const pages = [first];
    while (pages.length < WINDOWS) pages.push(await context.newPage());
    for (const page of pages) {
      await page.clock.install();
      await page.goto(`/catalogues/${id}`);
      await page.getByRole("button", { name: "Version 1 (latest)" }).waitFor();
    }
    await editor.send("POST", `/api/catalogues/${id}/events`, {
      events: [{ ...event, time: "2024-02-01T00:00:00Z" }],
    });
    const offers = pages.map((page) => page.getByText("Version 2 has arrived."));
    const offered = async () =>
      (await Promise.all(offers.map((offer) => offer.isVisible()))).filter(Boolean).length;
    await expect.poll(offered).toBe(3);
    for (const page of pages) await page.clock.fastForward(30_000);
    await expect.poll(offered).toBe(WINDOWS);
  });
});
