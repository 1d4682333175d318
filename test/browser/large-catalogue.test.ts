import type { Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { createCatalogue } from "../support/api/catalogue.ts";
import { generateEvents } from "../support/generate-catalogue.ts";
import { describeConsole, ownConsole, violationsOf } from "./support/console.ts";
import { drawn, filteredCount } from "./support/on-map.ts";

const LIMITS = { events: 800, largest: 300 };
const { service, open } = await ownConsole({}, { columnsLimits: LIMITS });

const told = (page: Page) => page.locator(".shown-count").textContent();
const rows = (page: Page) => page.getByRole("grid").getAttribute("aria-rowcount");
const press = async (page: Page, key: string) => {
  await page.locator(".map").focus();
  await page.keyboard.press(key);
};

/** The addresses of the columns that a page asks for. */
function askedBy(page: Page): readonly URL[] {
  const asked: URL[] = [];
  page.on("request", (request) => {
    const url = new URL(request.url());
    if (url.pathname.endsWith("/events/columns")) asked.push(url);
  });
  return asked;
}

describeConsole("of more events than one answer has", () => {
  const ids = { large: "", small: "" };

  beforeAll(async () => {
    const editor = await service.loginAs("editor");
    for (const [name, count] of [
      ["large", 2_000],
      ["small", LIMITS.events],
    ] as const) {
      const events = [...generateEvents(59, count)];
      ids[name] = (await createCatalogue(editor, { name, events, is_public: true })).id;
    }
  });

  test("the largest are drawn, as the page says, then those of what the map shows; what has come is not asked for again", async () => {
    const { page } = await open("guest");
    const asked = askedBy(page);
    await page.goto(`/catalogues/${ids.large}`);
    await drawn(page);
    await expect.poll(() => told(page)).toBe("300 of 2,000 drawn");
    expect(await rows(page)).toBe("301");
    await page.getByText("The 300 largest of 2,000 events. Zoom in to see the others.").waitFor();
    expect(await violationsOf(page)).toEqual([]);

    const client = service.client("guest");
    const seen: string[] = [];
    for (let text = ""; !text.endsWith("here, all drawn"); seen.push(text)) {
      const before = asked.length;
      await press(page, "+");
      await expect.poll(() => asked.length).toBe(before + 1);
      const query = asked.at(-1)?.searchParams ?? new URLSearchParams();
      for (const name of ["columns", "asOf"]) query.delete(name);
      expect([...query.keys()]).toHaveLength(4);
      const there = await filteredCount(client, ids.large, query);
      const isAll = there <= LIMITS.events;
      text = isAll ? `${there} here, all drawn` : `300 of ${there.toLocaleString("en")} drawn`;
      await expect.poll(() => told(page)).toBe(text);
      expect(await rows(page)).toBe(String((isAll ? there : LIMITS.largest) + 1));
    }
    expect(seen.length).toBeGreaterThan(1);

    const before = asked.length;
    await press(page, "+");
    await expect.poll(() => told(page)).toBe(seen.at(-1));
    await press(page, "0");
    await expect.poll(() => told(page)).toBe("300 of 2,000 drawn");
    expect(asked.length).toBe(before);
  });

  test("one answer is waited for: what the map showed before is given up", async () => {
    const { page } = await open("guest", `/catalogues/${ids.large}`);
    await drawn(page);
    let letThrough = () => {};
    const held = new Promise<void>((resolve) => {
      letThrough = resolve;
    });
    await page.route("**/events/columns*minLatitude*", async (route) => {
      await held;
      await route.continue().catch(() => undefined);
    });
    const first = page.waitForRequest(/columns.*minLatitude/);
    await press(page, "+");
    const givenUp = page.waitForEvent("requestfailed");
    const address = (await first).url();
    await press(page, "+");
    expect((await givenUp).url()).toBe(address);
    letThrough();
    await expect.poll(() => told(page)).toMatch(/^(?!300 of 2,000 ).* drawn$/);
  });

  test("of a catalogue that one answer holds nothing is asked for again, wherever the map goes", async () => {
    const { page } = await open("guest");
    const asked = askedBy(page);
    await page.goto(`/catalogues/${ids.small}`);
    await drawn(page);
    await press(page, "+");
    await expect.poll(() => page.url()).toContain("map=");
    await page.getByLabel("Magnitude from").fill("3");
    await expect.poll(() => told(page)).toMatch(/ of 800 events$/);
    expect(asked.length).toBe(1);
  });
});
