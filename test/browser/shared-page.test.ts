import type { BrowserContext, Page } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";
import { createCatalogue, seismicEvent } from "../api/support/catalogue.ts";
import type { ApiClient } from "../support/api-client.ts";
import { hasChromium } from "../support/chromium.ts";
import { generateEvents } from "../support/generate-catalogue.ts";
import { useReachableService } from "../support/reachable-service.ts";
import { violationsOf } from "./support/axe.ts";
import { openBrowser } from "./support/browser.ts";
import { drawn, shownCount } from "./support/shown-events.ts";
import { signInAs } from "./support/sign-in.ts";

const service = await useReachableService();
const COUNT = 800;

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

describe.skipIf(!hasChromium)("the page of a share", () => {
  let editor: ApiClient;
  let shared: Shared;

  beforeAll(async () => {
    editor = await service.loginAs("editor");
    const events = [...generateEvents(5, COUNT)];
    const { id } = await createCatalogue(editor, { name: "For reviewers", events });
    await editor.send("POST", `/api/catalogues/${id}/events`, { events: [seismicEvent()] });
    shared = await shareOf(editor, id);
  });

  test("shows whoever has the address map, table, plots, versions and citation, asking below it alone", async () => {
    const { page, context } = await openBrowser(service.url);
    const asked = pathsAsked(context);
    await page.goto(shared.url);
    await heading(page, "For reviewers").waitFor();
    await drawn(page);
    expect(await shownCount(page)).toBe(COUNT + 1);
    expect(await page.getByRole("grid").getAttribute("aria-rowcount")).toBe(String(COUNT + 2));
    await page.getByRole("button", { name: "Cite" }).click();
    await page.getByRole("dialog").getByText("For reviewers").first().waitFor();
    await page.getByRole("dialog").getByRole("button", { name: "Close" }).click();
    await page.getByRole("link", { name: "Magnitudes" }).click();
    await page.locator(".side-plot :is(svg, canvas):visible").first().waitFor();
    await page.getByRole("button", { name: "The version before" }).click();
    await expect.poll(() => shownCount(page)).toBe(COUNT);
    await page.reload();
    await expect.poll(() => shownCount(page)).toBe(COUNT);
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
    const { page } = await openBrowser(service.url);
    await signInAs(page, service, "editor");
    await page.goto(shared.url);
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
    const { page } = await openBrowser(service.url);
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
    const { page, context, allow } = await openBrowser(service.url);
    allow(/status of 404/);
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
      const { page } = await openBrowser(service.url, { width, height: 844 });
      await page.goto(shared.url);
      await drawn(page);
      expect(await violationsOf(page)).toEqual([]);
      const beyond = await page.evaluate<number>(
        "document.scrollingElement.scrollWidth - innerWidth",
      );
      expect(beyond).toBeLessThanOrEqual(0);
    },
  );
});
