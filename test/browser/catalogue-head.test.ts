import { readFile } from "node:fs/promises";
import { beforeAll, describe, expect, test } from "vitest";
import { createCatalogue } from "../api/support/catalogue.ts";
import type { ApiClient } from "../support/api-client.ts";
import { hasChromium } from "../support/chromium.ts";
import { generateEvents } from "../support/generate-catalogue.ts";
import { useReachableService } from "../support/reachable-service.ts";
import { violationsOf } from "./support/axe.ts";
import { openBrowser } from "./support/browser.ts";
import { signInAs } from "./support/sign-in.ts";

const service = await useReachableService();

describe.skipIf(!hasChromium)("the head of a catalogue", () => {
  let editor: ApiClient;
  let id: string;

  const addEvent = (catalogue: string, magnitude: number) =>
    editor.send("POST", `/api/catalogues/${catalogue}/events`, {
      events: [{ time: "2024-01-01T00:00:00Z", latitude: 1, longitude: magnitude, magnitude }],
    });

  beforeAll(async () => {
    editor = await service.loginAs("editor");
    ({ id } = await createCatalogue(editor, {
      name: "Rotorua",
      events: [...generateEvents(11, 10)],
    }));
    await editor.send("PATCH", `/api/catalogues/${id}`, { is_public: true });
    await addEvent(id, 4);
    await addEvent(id, 5);
  });

  test("lists the versions, shows one, and leads to a comparison with the latest", async () => {
    const { page } = await openBrowser(service.url);
    await page.goto(`/catalogues/${id}?minMagnitude=1`);
    await page.getByRole("button", { name: "Version 3 (latest)" }).click();
    await page.getByRole("link", { name: /^3 latest, .*, edit: 1 added/ }).waitFor();
    await page.getByRole("link", { name: /^1 .*, created: 10 added/ }).click();
    const old = page.getByRole("button", { name: "Version 1 of 3" });
    await old.waitFor();
    expect(await old.getAttribute("aria-expanded")).toBe("false");
    expect(new URL(page.url()).search).toBe("?minMagnitude=1&asOf=1");
    await old.click();
    expect(await page.locator(".version-items [aria-current]").textContent()).toMatch(/^1 /);
    await page.getByRole("link", { name: "Compare…" }).click();
    await page.getByRole("checkbox", { name: "2 added" }).waitFor();
  });

  test("tells how many events an export will have, and exports as many", async () => {
    const { page } = await openBrowser(service.url);
    await signInAs(page, service, "editor");
    await page.goto(`/catalogues/${id}?minMagnitude=4.5`);
    const found = Number(await page.locator(".shown strong").textContent());
    expect(found).toBeGreaterThan(0);
    await page.getByRole("button", { name: "Export" }).click();
    const menu = page.getByRole("list").filter({ hasText: "GeoJSON" });
    await menu.getByText(found === 1 ? "Save 1 event as" : `Save ${found} events as`).waitFor();
    const download = page.waitForEvent("download");
    await menu.getByRole("link", { name: "CSV" }).click();
    const rows = (await readFile(await (await download).path(), "utf8")).trim().split("\n");
    expect(rows).toHaveLength(found + 1);
    await page.getByRole("button", { name: "Export" }).click();
    const table = page.waitForEvent("download");
    await menu.getByRole("link", { name: "Origins" }).click();
    const origins = (await readFile(await (await table).path(), "utf8")).trim().split("\n");
    expect(origins).toHaveLength(found + 1);
    expect(origins[0]).toMatch(/^event_id,public_id,preferred,/);
    await page.getByRole("button", { name: "Export" }).click();
    const quakeml = page.waitForEvent("download");
    await menu.getByRole("link", { name: "QuakeML, preferred solutions alone" }).click();
    const text = await readFile(await (await quakeml).path(), "utf8");
    expect(text.split("<event ")).toHaveLength(found + 1);
  });

  test("tells guests what they can export with an account", async () => {
    const { page } = await openBrowser(service.url);
    await page.goto(`/catalogues/${id}`);
    await page.getByRole("button", { name: "Export" }).click();
    await page.getByText("With an account you save these events as CSV").waitFor();
    await page
      .getByRole("navigation", { name: "This catalogue" })
      .getByRole("link", { name: "Sign in" })
      .click();
    await page.getByLabel("Password").waitFor();
    expect(new URL(page.url()).searchParams.get("next")).toBe(`/catalogues/${id}`);
  });

  test("is published and renamed without another version being shown; others’ changes are told first", async () => {
    const { id: own } = await createCatalogue(editor, {
      name: "Before",
      events: [...generateEvents(12, 10)],
    });
    await addEvent(own, 4);
    const { page, allow } = await openBrowser(service.url);
    allow(/status of 412/);
    await signInAs(page, service, "editor");
    await page.goto(`/catalogues/${own}`);
    await page.getByRole("button", { name: "Edit", exact: true }).click();
    await page.getByRole("button", { name: "Publish…" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("version 2 and all later ones").waitFor();
    // Another adds an event while the window is open.
    await addEvent(own, 5);
    await dialog.getByRole("button", { name: "Publish" }).click();
    await dialog.getByText("version 3 has arrived, with 12 events").waitFor();
    await dialog.getByRole("button", { name: "Publish" }).click();
    await page.getByText("The catalogue is public").waitFor();
    await page.getByText("public", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Version 2 (latest)" }).waitFor();

    await page.getByRole("button", { name: "Edit", exact: true }).click();
    await page.getByRole("button", { name: "Rename…" }).click();
    await dialog.getByLabel("Name").fill("After");
    await dialog.getByRole("button", { name: "Rename" }).click();
    await page.getByRole("heading", { level: 1, name: "After" }).waitFor();
    await expect.poll(() => page.title()).toMatch(/^After/);
    await page.getByRole("button", { name: "Version 2 (latest)" }).waitFor();
    const { body } = await editor.get(`/api/catalogues/${own}`);
    expect(body).toMatchObject({ name: "After", is_public: true, public_from: 3, version: 3 });
  });

  test("goes from an old version to one that has arrived, when asked to", async () => {
    const { id: own } = await createCatalogue(editor, { events: [...generateEvents(13, 10)] });
    await editor.send("PATCH", `/api/catalogues/${own}`, { is_public: true });
    await addEvent(own, 4);
    const { page } = await openBrowser(service.url);
    const feed = page.waitForResponse((response) => response.url().includes("/feed?"));
    await page.goto(`/catalogues/${own}?asOf=1`);
    await feed;
    await addEvent(own, 5);
    await page.getByText("Version 3 has arrived.").waitFor();
    await page.getByRole("button", { name: "Show it" }).click();
    await page.getByRole("button", { name: "Version 3 (latest)" }).waitFor();
    expect(new URL(page.url()).search).toBe("");
  });

  test("is deleted once its name has been typed, also the name that it was given meanwhile", async () => {
    const { id: own } = await createCatalogue(editor, { name: "To be deleted", events: [] });
    const { page, allow } = await openBrowser(service.url);
    allow(/status of 412/);
    await signInAs(page, service, "editor");
    await page.goto(`/catalogues/${own}`);
    await page.getByRole("button", { name: "Edit", exact: true }).click();
    await page.getByRole("button", { name: "Delete…" }).click();
    const dialog = page.getByRole("dialog");
    const remove = dialog.getByRole("button", { name: "Delete" });
    await dialog.getByLabel("Type “To be deleted” to confirm").fill("To be deleted");
    await editor.send("PATCH", `/api/catalogues/${own}`, { name: "Kept" });
    await remove.click();
    await dialog.getByText("it is called “Kept”").waitFor();
    expect(await remove.isDisabled()).toBe(true);
    await dialog.getByLabel("Type “Kept” to confirm").fill("Kept");
    await remove.click();
    await page.getByText("“Kept” is deleted").waitFor();
    await page.getByRole("heading", { level: 1, name: "Catalogues" }).waitFor();
  });

  test("has nothing that axe objects to in light and dark, with its menus and windows open", async () => {
    const { page } = await openBrowser(service.url);
    await signInAs(page, service, "editor");
    await page.goto(`/catalogues/${id}`);
    await page.getByRole("button", { name: "Version 3 (latest)" }).click();
    await page.getByRole("link", { name: "Compare…" }).waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await page.getByRole("button", { name: "Edit", exact: true }).click();
    expect(await violationsOf(page)).toEqual([]);
    await page.getByRole("button", { name: "Make internal…" }).click();
    await page.getByRole("dialog").waitFor();
    expect(await violationsOf(page)).toEqual([]);
  });

  test.each([390, 1440])("opens its menus inside a window %d pixels wide", async (width) => {
    const { page } = await openBrowser(service.url, { width });
    await signInAs(page, service, "editor");
    await page.goto(`/catalogues/${id}`);
    for (const name of ["Export", "Edit"]) {
      await page.getByRole("button", { name, exact: true }).click();
      await page.getByRole("button", { name, exact: true, expanded: true }).waitFor();
      const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      expect(over, name).toBeLessThanOrEqual(0);
      await page.keyboard.press("Escape");
    }
  });
});
