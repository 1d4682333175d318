import { describe, expect, test } from "vitest";
import type { Catalogue } from "#contracts/http/catalogue.ts";
import { createCatalogue, seismicEvent } from "../api/support/catalogue.ts";
import { hasChromium } from "../support/chromium.ts";
import { useReachableService } from "../support/reachable-service.ts";
import { violationsOf } from "./support/axe.ts";
import { openBrowser } from "./support/browser.ts";
import { signInAs } from "./support/sign-in.ts";

const service = await useReachableService();

const quake = (day: number, seconds: number) =>
  seismicEvent({ source_id: `${day}-${seconds}`, time: `2016-11-${day}T11:02:${seconds}Z` });

describe.skipIf(!hasChromium)("duplicates of a catalogue", () => {
  test("are found, and only those that a person chooses are removed", async () => {
    const editor = await service.loginAs("editor");
    const { id } = await createCatalogue(editor, {
      name: "Twice",
      events: [quake(13, 10), quake(13, 11), quake(14, 10), quake(14, 12), quake(15, 10)],
    });
    const { page } = await openBrowser(service.url);
    await signInAs(page, service, "editor");
    await page.goto(`/catalogues/${id}`);
    await page.getByRole("button", { name: "Edit", exact: true }).click();
    await page.getByRole("link", { name: "Duplicates in it…" }).click();
    await page.getByRole("button", { name: "Look for duplicates" }).click();
    await page.getByRole("heading", { name: "2 groups" }).waitFor();
    expect(await page.getByText("0 events chosen").count()).toBe(1);
    const group = page.locator(".cluster").filter({ hasText: "13-11" });
    await group.getByRole("button", { name: "Choose all but the first" }).click();
    await page.locator('[data-drawn="discs"]').waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await page.getByRole("button", { name: "Remove the chosen…" }).click();
    await page.getByRole("button", { name: "Remove", exact: true }).click();
    await page.getByText("1 event removed in version 2").waitFor();
    await page.getByRole("heading", { name: "1 group" }).waitFor();
    const { body } = await editor.get<Catalogue>(`/api/catalogues/${id}`);
    expect(body.event_count).toBe(4);
  });
});
