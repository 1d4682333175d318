import type { Locator, Page } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";
import { createCatalogue } from "../api/support/catalogue.ts";
import { hasChromium } from "../support/chromium.ts";
import { generateEvents } from "../support/generate-catalogue.ts";
import { useReachableService } from "../support/reachable-service.ts";
import { openBrowser } from "./support/browser.ts";
import { signInAs } from "./support/sign-in.ts";

const service = await useReachableService();
const LOCAL = / GMT\+1[23], local time\n(?:.* ago|just now|in .*)$/;

const titleOf = (element: Locator) => element.getAttribute("title");

/** Every time that the page names, each by the local clock too. */
async function expectLocal(page: Page): Promise<void> {
  const times = page.locator("main time");
  await times.first().waitFor();
  for (const time of await times.all()) expect(await titleOf(time)).toMatch(LOCAL);
}

describe.skipIf(!hasChromium)("times by the local clock", () => {
  let id: string;

  beforeAll(async () => {
    const editor = await service.loginAs("editor");
    ({ id } = await createCatalogue(editor, { events: [...generateEvents(61, 200)] }));
    await editor.send("POST", `/api/catalogues/${id}/shares`, { expiresInDays: 30 });
  });

  test("stand at the rows of the table, at the chosen event and at the one under the pointer", async () => {
    const { page } = await openBrowser(service.url);
    await signInAs(page, service, "editor");
    await page.goto(`/catalogues/${id}`);
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
    const { page } = await openBrowser(service.url);
    await signInAs(page, service, "editor");
    await page.goto(`/catalogues/${id}`);
    const first = page.locator(".event-row").first().getByRole("gridcell").first();
    await first.hover();
    const before = await titleOf(first);
    await page.getByRole("button", { name: "Mag." }).click();
    await page.locator('[aria-sort="descending"]').getByText("Mag.").waitFor();
    expect(await titleOf(first)).not.toBe(before);
  });

  test.each(["/audit", "/status", "shares"])("stand at those of %s", async (path) => {
    const { page } = await openBrowser(service.url);
    await signInAs(page, service, "admin");
    await page.goto(path.startsWith("/") ? path : `/catalogues/${id}/${path}`);
    await expectLocal(page);
  });
});
