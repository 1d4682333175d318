import { beforeAll, describe, expect, test } from "vitest";
import { createCatalogue } from "../api/support/catalogue.ts";
import { hasChromium } from "../support/chromium.ts";
import { useReachableService } from "../support/reachable-service.ts";
import { openBrowser } from "./support/browser.ts";

const service = await useReachableService();

const at = (latitude: number, longitude: number, day: number) => ({
  time: `2024-05-0${day}T08:24:10Z`,
  latitude,
  longitude,
  depth: 5,
  magnitude: 2.6,
});

describe.skipIf(!hasChromium)("where an event is", () => {
  let id: string;

  beforeAll(async () => {
    const editor = await service.loginAs("editor");
    ({ id } = await createCatalogue(editor, {
      events: [
        { ...at(-38.76, 176.18, 4), region: "Taupō fault belt" },
        at(-38.76, 176.18, 3),
        at(-38.68, 178.9, 2),
        at(-45, -130, 1),
      ],
      is_public: true,
    }));
  });

  test("is told in words: its own region, the nearest place, or the ocean", async () => {
    const { page } = await openBrowser(service.url);
    let files = 0;
    page.on("request", (request) => {
      if (request.url().includes("/assets/places-near")) files += 1;
    });
    await page.goto(`/catalogues/${id}`);
    const rows = page.locator(".event-where");
    await expect
      .poll(() => rows.allInnerTexts())
      .toEqual([
        "Taupō fault belt",
        "12 km SE of Taupo",
        "78 km E of Gisborne",
        "South Pacific Ocean",
      ]);
    // A few kilobytes each, of some 64.
    expect(files).toBeLessThan(12);
    await page.locator(".event-row").nth(1).click();
    await page.getByRole("status").getByText("M 2.6 · 12 km SE of Taupo · 5 km deep").waitFor();
  });

  test("stands in the differences of versions", async () => {
    const { page } = await openBrowser(service.url);
    await page.goto(`/catalogues/${id}/versions?from=0&to=1`);
    await page.getByRole("cell", { name: "12 km SE of Taupo" }).waitFor();
    await page.getByRole("cell", { name: "South Pacific Ocean" }).waitFor();
  });
});
