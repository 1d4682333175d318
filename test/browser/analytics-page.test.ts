import { readFile } from "node:fs/promises";
import type { Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { withError } from "#contracts/plots/numbers.ts";
import { createCatalogue } from "../support/api/catalogue.ts";
import type { ApiClient } from "../support/api-client.ts";
import { generateEvents } from "../support/generate-catalogue.ts";
import { describeConsole, sharedConsole, violationsOf } from "./support/console.ts";

const { service, open } = sharedConsole();

describeConsole("the analytics of a catalogue", () => {
  let editor: ApiClient;
  let id: string;

  beforeAll(async () => {
    editor = await service.loginAs("editor");
    const events = [...generateEvents(21, 3_000)];
    ({ id } = await createCatalogue(editor, { name: "Taupō", events, is_public: true }));
  });

  test("tell Mc and b with its error as the service does, of the events that pass the filters", async () => {
    const { page } = await open("guest", `/catalogues/${id}?maxDepth=40`);
    await page.getByRole("link", { name: "Analytics" }).click();
    const result = page.getByRole("complementary", { name: "Result" });
    await result.waitFor();
    type Answer = { estimate: { b: number; sigma: number; mc: number }; reference: string };
    const { body } = await editor.get<Answer>(
      `/api/catalogues/${id}/analytics/b-value?maxDepth=40`,
    );
    const { b, sigma, mc } = body.estimate;
    const text = (await result.textContent()) ?? "";
    expect(text).toContain(`Mc${mc}`);
    expect(text).toContain(`b${withError(b, sigma)}`);
    expect(text).toContain(body.reference);
    expect(text).toContain("Bin width0.1");
    const plot = page.getByRole("img", { name: /^Magnitude–frequency: Mc/ });
    await expect
      .poll(() => plot.evaluate((image: HTMLImageElement) => image.naturalWidth))
      .toBeGreaterThan(100);
    await page.getByLabel("Mc by").selectOption("gft");
    await expect.poll(() => page.url()).toContain("mcMethod=gft");
  });

  test("of every kind are drawn, and can be taken along as lines, as pixels and as numbers", async () => {
    const { page } = await open("guest");
    const tabs = ["completeness", "rates", "time", "depths", "density", "clusters"];
    const drawnHere = ["stability", "over-time", "moment", "inter-event", "quality", "section"];
    for (const tab of [...tabs, ...drawnHere]) {
      await page.goto(`/catalogues/${id}/analytics?tab=${tab}`);
      await page.getByRole("complementary", { name: "Result" }).waitFor();
      await page.locator("img.plot, svg.plot").waitFor();
      const svg = (await savedAs(page, "SVG")).toString();
      expect(svg).toMatch(/^<svg/);
      expect(svg).toContain("Taupō, version 1");
      expect((await savedAs(page, "PNG")).subarray(1, 4).toString()).toBe("PNG");
      const [names, first] = (await savedAs(page, "CSV")).toString().split("\r\n");
      expect(first?.split(",")).toHaveLength(names?.split(",").length ?? 0);
    }
  });

  test("over time have real lines, and their periods in a table", async () => {
    const { page } = await open("guest", `/catalogues/${id}/analytics?tab=over-time`);
    await page.getByRole("region", { name: "Periods" }).getByRole("row").nth(2).waitFor();
    const svg = (await savedAs(page, "SVG")).toString();
    expect(svg).not.toContain("<image");
    expect(svg).toContain(">b<");
    await page.getByLabel("Periods of").selectOption("years");
    await expect.poll(() => page.url()).toContain("per=years");
    await page.goBack();
    await expect.poll(() => page.url()).not.toContain("per=years");
  });

  test("as a depth section have the events that have a depth, along a profile those beside it", async () => {
    const events = [...generateEvents(22, 60)].map((event, i) =>
      i % 3 === 0 ? { ...event, depth: null } : event,
    );
    const { id: some } = await createCatalogue(editor, { name: "Some", events, is_public: true });
    const { page } = await open("guest", `/catalogues/${some}/analytics?tab=section`);
    await page.getByRole("img", { name: "Depths of 40 events along longitude" }).waitFor();
    const result = page.getByRole("complementary", { name: "Result" });
    expect(await result.textContent()).toContain("Without a depth, not drawn20");
    expect((await savedAs(page, "CSV")).toString().trim().split("\r\n")).toHaveLength(41);
    await page.getByLabel("latitude", { exact: true }).check();
    await page.getByRole("img", { name: "Depths of 40 events along latitude" }).waitFor();
    await page.getByLabel("a profile").check();
    await page.getByLabel("Half-width").fill("20000");
    await page.getByRole("img", { name: "Depths of 40 events along a profile" }).waitFor();
    await page.reload();
    await page.getByRole("img", { name: "Depths of 40 events along a profile" }).waitFor();
  });

  test("keep what the work page shows, on every tab and on the way back", async () => {
    const { page } = await open("guest");
    const work = "minMagnitude=2&colour=magnitude&sort=magnitude&map=6/-40/175";
    await page.goto(`/catalogues/${id}/analytics?${work}&mc=3`);
    await page.getByRole("link", { name: "Rates" }).click();
    await expect.poll(() => page.url()).toContain("tab=rates");
    expect(page.url()).not.toContain("mc=3");
    await page.getByRole("link", { name: "Back to the events" }).click();
    await expect.poll(() => new URL(page.url()).pathname).toBe(`/catalogues/${id}`);
    const query = new URL(page.url()).searchParams;
    expect(query.get("minMagnitude")).toBe("2");
    expect(query.get("colour")).toBe("magnitude");
    expect(query.get("sort")).toBe("magnitude");
    expect(query.get("map")).toMatch(/^6\//);
  });

  test("are of the events that the filters on the page let through, which stay with every analysis", async () => {
    const { page } = await open("guest", `/catalogues/${id}/analytics?tab=completeness&method=gft`);
    const result = page.getByRole("complementary", { name: "Result" });
    await result.waitFor();
    await page.getByLabel("Depth to, km").fill("20");
    await expect.poll(() => page.url()).toContain("maxDepth=20");
    expect(page.url()).toContain("tab=completeness&method=gft");
    await page.getByRole("link", { name: "Rates" }).click();
    await expect.poll(() => page.url()).toContain("tab=rates");
    expect(page.url()).toContain("maxDepth=20");
    await page.getByRole("button", { name: "Clear" }).click();
    await expect.poll(() => page.url()).not.toContain("maxDepth");
    expect(page.url()).toContain("tab=rates");
  });

  test("ask only for parameters that mean something beside the others", async () => {
    const { page } = await open("guest", `/catalogues/${id}/analytics`);
    const added = page.getByLabel("Added to Mc");
    await added.fill("0.4");
    await expect.poll(() => page.url()).toContain("correction=0.4");
    await page.getByLabel("Mc by").selectOption("gft");
    await added.waitFor({ state: "detached" });
    const result = page.getByRole("complementary", { name: "Result" });
    await expect.poll(() => result.textContent()).toContain("Goodness of fit");
    expect(await result.textContent()).not.toContain("Added to Mc");
    await page.getByLabel("Mc, if it is known").fill("2.5");
    await page.getByLabel("Mc by").waitFor({ state: "detached" });
  });

  test("have an address that shows the same again, and lines that answer the same", async () => {
    const { page } = await open(
      "guest",
      `/catalogues/${id}/analytics?tab=rates&bin=year&minMagnitude=2`,
    );
    await page.getByText("Link, curl, ObsPy").click();
    const address = await page.getByLabel("Permanent address").inputValue();
    const query = new URL(address).searchParams;
    expect(Object.fromEntries(query)).toEqual({
      tab: "rates",
      bin: "year",
      minMagnitude: "2",
      asOf: "1",
    });
    const lines = (await page.locator(".elsewhere pre").allTextContents()).join("\n");
    const asked = /^curl '([^']+)'/.exec(lines)?.[1] ?? "";
    const { estimate } = (await (await fetch(asked)).json()) as { estimate: { n: number } };
    const answer = await editor.get<{ estimate: { n: number } }>(
      `/api/catalogues/${id}/analytics/rates?bin=year&minMagnitude=2`,
    );
    expect(estimate).toEqual(answer.body.estimate);
    expect(lines).toContain(`/api/catalogues/${id}/versions/1")`);
    expect(lines).toContain("get_events(minmagnitude=2)");
    await page.goto(address);
    await page.getByLabel("Count by").waitFor();
    expect(await page.getByLabel("Count by").inputValue()).toBe("year");
  });

  test("show the plot that was asked for last, whichever is read first", async () => {
    const { page } = await open("guest");
    await page.addInitScript(() => {
      const { readAsDataURL } = FileReader.prototype;
      let isHeld = false;
      // The first picture is read when the test says so.
      FileReader.prototype.readAsDataURL = function (blob) {
        if (isHeld) return readAsDataURL.call(this, blob);
        isHeld = true;
        Object.assign(globalThis, {
          readFirst: () =>
            new Promise((resolve) => {
              this.addEventListener("load", resolve);
              readAsDataURL.call(this, blob);
            }),
        });
      };
    });
    await page.goto(`/catalogues/${id}/analytics?tab=magnitudes`);
    await page.waitForFunction(() => "readFirst" in globalThis);
    await page.getByLabel("Mc by").selectOption("gft");
    const plot = page.locator("img.plot");
    await plot.waitFor();
    const last = await plot.getAttribute("src");
    await page.evaluate(() =>
      (globalThis as unknown as { readFirst(): Promise<void> }).readFirst(),
    );
    await page.evaluate(() => new Promise(requestAnimationFrame));
    expect(await plot.getAttribute("src")).toBe(last);
  });

  test("lead from every tab to every other, whatever the work page shows, and axe objects to none", async () => {
    const { page } = await open("editor");
    const tabs = page.getByRole("navigation", { name: "Analyses" }).getByRole("link");
    await page.goto(`/catalogues/${id}/analytics?minMagnitude=1`);
    await tabs.first().waitFor();
    const addresses = () =>
      tabs.evaluateAll((links) => links.map((link) => (link as HTMLAnchorElement).href));
    const all = await addresses();
    expect(all).toHaveLength(15);
    for (const [index, address] of all.entries()) {
      await tabs.nth(index).click();
      await tabs.nth(index).and(page.locator("[aria-current]")).waitFor();
      expect(page.url()).toBe(address);
      expect(await addresses()).toEqual(all);
      if (!/omori|decluster/.test(address)) await page.locator(".plot").waitFor();
      expect([address, ...(await violationsOf(page))]).toEqual([address]);
    }
  });

  test("tell why a plot is refused in the service's words", async () => {
    const { page } = await open("guest", null, { allow: /429/ });
    await page.route(/analytics\/rates\.png/, (route) =>
      route.fulfill({ status: 429, json: { error: "Too many requests", code: "RATE_LIMITED" } }),
    );
    await page.goto(`/catalogues/${id}/analytics?tab=rates`);
    await page.getByRole("alert").getByText("Too many requests").waitFor();
  });

  test("of aftershocks take the largest event where nobody names a main shock", async () => {
    const { page } = await open("guest", `/catalogues/${id}/analytics?tab=omori&maxDepth=40`);
    await page.getByRole("button", { name: "Take the largest event" }).click();
    await page.getByRole("complementary", { name: "Result" }).waitFor();
    type Found = { events: readonly { id: string }[] };
    const { body } = await editor.get<Found>(
      `/api/catalogues/${id}/events/filtered?orderBy=magnitude&limit=1&maxDepth=40`,
    );
    expect(new URL(page.url()).searchParams.get("mainshock")).toBe(body.events[0]?.id);
  });

  test("say why there is no estimate", async () => {
    const { page } = await open("guest", `/catalogues/${id}/analytics?minMagnitude=5.5`);
    const { body } = await editor.get<{ reason: string }>(
      `/api/catalogues/${id}/analytics/b-value?minMagnitude=5.5`,
    );
    await page.getByRole("complementary", { name: "Result" }).getByText(body.reason).waitFor();
  });

  test("find main events, shown by their roles and found again by the address, of which editors make a catalogue", async () => {
    const { page } = await open("editor", `/catalogues/${id}/analytics?tab=decluster`);
    await page.getByLabel("Window", { exact: true }).selectOption("gruenthal");
    await page.getByRole("button", { name: "Decluster" }).click();
    await page.getByText("Main events", { exact: true }).first().waitFor();
    await expect.poll(() => page.url()).toContain("operation=");
    await page.reload();
    await page.getByRole("img", { name: /^Cumulative number/ }).waitFor();
    await page.locator(".role-map [data-drawn]").waitFor();
    expect(await violationsOf(page)).toEqual([]);
    const [names, ...rows] = (await savedAs(page, "CSV")).toString().trim().split("\r\n");
    expect(names).toBe("id,time,latitude,longitude,depth,magnitude,cluster,role");
    const { body } = await editor.get<{ operation: { result: { estimate: { main: number } } } }>(
      `/api/operations/${new URL(page.url()).searchParams.get("operation")}`,
    );
    const main = rows.filter((row) => row.endsWith(",main"));
    expect(main).toHaveLength(body.operation.result.estimate.main);
    await page.getByLabel("Name").fill("Taupō, main events of a test");
    await page.getByRole("button", { name: "Make it" }).click();
    await page.getByRole("heading", { name: "Taupō, main events of a test" }).waitFor();
  });

  test("fit a narrow and a very wide window", async () => {
    const { page } = await open("guest");
    for (const width of [390, 2_560]) {
      await page.setViewportSize({ width, height: 800 });
      for (const tab of ["magnitudes", "over-time", "quality", "section"]) {
        await page.goto(`/catalogues/${id}/analytics?tab=${tab}`);
        await page.locator("img.plot, svg.plot").waitFor();
        const over = await page.evaluate(() => {
          const { clientWidth, scrollWidth } = document.documentElement;
          return scrollWidth - clientWidth;
        });
        // The place of a scrollbar that is not there counts as the window's.
        expect(over).toBeLessThanOrEqual(0);
      }
    }
  });
});

/** What the page saves when it is asked for its picture or its numbers. */
async function savedAs(page: Page, kind: "SVG" | "PNG" | "CSV"): Promise<Buffer> {
  const saving = page.waitForEvent("download");
  await page.getByRole("button", { name: `as ${kind}` }).click();
  return readFile(await (await saving).path());
}
