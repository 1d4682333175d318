import type { Locator, Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { createCatalogue } from "../api/support/catalogue.ts";
import { useReachableService } from "../clients/support/reachable-service.ts";
import { generateEvents } from "../support/generate-catalogue.ts";
import { signInOf } from "../support/service.ts";
import { openBrowser } from "./support/browser.ts";
import { hasChromium } from "./support/chromium.ts";
import { signInAs } from "./support/sign-in.ts";

const service = await useReachableService();

/** Presses Tab until the element has the focus, as somebody without a mouse does. */
async function tabTo(page: Page, element: Locator): Promise<void> {
  await element.waitFor();
  for (let n = 0; n < 80; n++) {
    if (await element.evaluate((one) => one === document.activeElement)) return;
    await page.keyboard.press("Tab");
  }
  throw new Error("the element cannot be reached by Tab");
}

describe.skipIf(!hasChromium)("without a mouse", () => {
  test("one signs in, filters, chooses an event, and exports what passes", async () => {
    const editor = await service.loginAs("editor");
    const { id } = await createCatalogue(editor, { events: [...generateEvents(31, 50)] });
    const { email, password } = signInOf("editor");
    const { page } = await openBrowser(service.url);
    await page.goto(`/login?next=/catalogues/${id}`);
    await tabTo(page, page.getByLabel("Email"));
    await page.keyboard.type(email);
    await tabTo(page, page.getByLabel("Password"));
    await page.keyboard.type(password);
    await page.keyboard.press("Enter");
    await page.locator("[data-drawn]").waitFor();
    await page.keyboard.press("/");
    await page.keyboard.type("2");
    await expect.poll(() => new URL(page.url()).searchParams.get("minMagnitude")).toBe("2");
    await tabTo(page, page.getByRole("grid", { name: "Events" }));
    await page.keyboard.press("ArrowDown");
    await page.locator(".map-ring").waitFor();
    // From the top of the page on.
    await page.reload();
    await page.locator("[data-drawn]").waitFor();
    await tabTo(page, page.getByRole("button", { name: "Export" }));
    await page.keyboard.press("Enter");
    await tabTo(page, page.getByRole("link", { name: "CSV" }));
    const saving = page.waitForEvent("download");
    await page.keyboard.press("Enter");
    expect((await saving).suggestedFilename()).toMatch(/\.csv$/);
  });

  test("one gets to the content past the header at once", async () => {
    const { page } = await openBrowser(service.url);
    await page.goto("/");
    await page.getByRole("heading", { name: "Catalogues" }).waitFor();
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    expect(await page.locator("main").evaluate((main) => main === document.activeElement)).toBe(
      true,
    );
  });
});

describe.skipIf(!hasChromium)("a viewer", () => {
  test("sees nothing to edit, and is told at an editor's page whom it is for", async () => {
    const editor = await service.loginAs("editor");
    const { id } = await createCatalogue(editor, { events: [...generateEvents(32, 5)] });
    const { page } = await openBrowser(service.url);
    await signInAs(page, service, "viewer");
    await page.goto(`/catalogues/${id}`);
    await page.getByRole("button", { name: "Export" }).waitFor();
    expect(await page.getByRole("button", { name: "Edit" }).count()).toBe(0);
    await page.goto("/upload");
    await page.getByText("This page is for editors; you are signed in as viewer.").waitFor();
  });
});
