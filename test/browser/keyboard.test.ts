import type { Locator, Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { createCatalogue, seismicEvent } from "../api/support/catalogue.ts";
import { hasChromium } from "../support/chromium.ts";
import { generateEvents } from "../support/generate-catalogue.ts";
import { useReachableService } from "../support/reachable-service.ts";
import { signInOf } from "../support/service.ts";
import { violationsOf } from "./support/axe.ts";
import { openBrowser } from "./support/browser.ts";
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

  test("pages, catalogues and what a page offers are found by parts of their names", async () => {
    const editor = await service.loginAs("editor");
    const { id } = await createCatalogue(editor, {
      name: "Taupō swarm",
      events: [...generateEvents(33, 5)],
    });
    const { page } = await openBrowser(service.url);
    await signInAs(page, service, "editor");
    await page.goto("/status");
    await page.getByRole("heading", { name: "Status" }).waitFor();
    const field = page.getByRole("combobox", { name: "Page, catalogue or action" });
    const open = async (text: string) => {
      await page.keyboard.press("Control+k");
      await field.waitFor();
      await page.keyboard.type(text);
    };
    await open("taupō swa");
    const option = page.getByRole("option", { name: /Taupō swarm/ });
    await option.waitFor();
    expect(await option.getAttribute("aria-selected")).toBe("true");
    await page.keyboard.press("Enter");
    await expect.poll(() => new URL(page.url()).pathname).toBe(`/catalogues/${id}`);
    await page.getByRole("heading", { name: "Taupō swarm" }).waitFor();
    await open("this catalogue version");
    await page.keyboard.press("Enter");
    await expect.poll(() => new URL(page.url()).pathname).toBe(`/catalogues/${id}/versions`);
    await open("dark");
    expect(await violationsOf(page)).toEqual([]);
    await page.keyboard.press("Enter");
    await expect
      .poll(() => page.evaluate(() => document.documentElement.dataset["theme"]))
      .toBe("dark");
    await open("no such thing at all");
    await page.getByText("Nothing has these words.").waitFor();
    await page.keyboard.press("Escape");
    await field.waitFor({ state: "detached" });
    // Where the header's parts are folded away, too.
    await page.setViewportSize({ width: 390, height: 844 });
    await open("operations");
    await page.keyboard.press("Enter");
    await expect.poll(() => new URL(page.url()).pathname).toBe("/operations");
  });
});

describe.skipIf(!hasChromium)("a viewer", () => {
  test("sees nothing of what editors do, and is told at an editor's page whom it is for", async () => {
    const editor = await service.loginAs("editor");
    const events = [...generateEvents(32, 5)];
    const { id } = await createCatalogue(editor, { name: "To be read", events });
    await editor.send("POST", `/api/catalogues/${id}/events`, { events: [seismicEvent()] });
    const { body } = await editor.get<{ events: { id: string }[] }>(`/api/catalogues/${id}/events`);
    const event = `/catalogues/${id}/events/${body.events[0]?.id}`;
    const { page } = await openBrowser(service.url);
    const button = (name: string | RegExp) => page.getByRole("button", { name });
    const link = (name: string) => page.getByRole("link", { name, exact: true });
    const newBy = page.getByRole("navigation", { name: "New catalogue" });
    // On each page what everybody finds, and what editors find beside it.
    const pages = [
      {
        address: "/catalogues",
        all: link("To be read"),
        own: newBy.locator("a, button"),
        found: 4,
      },
      { address: `/catalogues/${id}`, all: button("Export"), own: button(/^Edit/), found: 1 },
      { address: event, all: link("Raw JSON"), own: button(/^(Edit|Delete)…/), found: 2 },
      {
        address: `/catalogues/${id}/versions`,
        all: button("Compare 1 with 2"),
        own: button(/^Restore/),
        found: 1,
      },
    ];
    for (const role of ["editor", "viewer"] as const) {
      await signInAs(page, service, role);
      for (const { address, all, own, found } of pages) {
        await page.goto(address);
        await all.waitFor();
        await button(/^Account of/).waitFor();
        expect(await own.count(), `${role} at ${address}`).toBe(role === "editor" ? found : 0);
      }
    }
    await page.goto("/upload");
    await page.getByText("This page is for editors; you are signed in as viewer.").waitFor();
  });
});
