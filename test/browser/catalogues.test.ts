import { beforeAll, describe, expect, test } from "vitest";
import { createCatalogue } from "../api/support/catalogue.ts";
import { useReachableService } from "../clients/support/reachable-service.ts";
import { generateEvents } from "../support/generate-catalogue.ts";
import { violationsOf } from "./support/axe.ts";
import { openBrowser } from "./support/browser.ts";
import { hasChromium } from "./support/chromium.ts";

const service = await useReachableService();

describe.skipIf(!hasChromium)("the list of catalogues", () => {
  beforeAll(async () => {
    const editor = await service.loginAs("editor");
    const events = [...generateEvents(1, 20)];
    await createCatalogue(editor, { name: "Taupō", events, is_public: true });
    await createCatalogue(editor, { name: "Kawerau", events, is_public: true });
  });

  test("is shown to guests; a search is in the address and stays after a reload", async () => {
    const { page } = await openBrowser(service.url);
    await page.goto("/");
    await page.getByRole("link", { name: "Taupō" }).waitFor();
    await page.getByLabel("Part of the name").fill("kawe");
    await page.getByRole("button", { name: "Search" }).click();
    await expect.poll(() => page.getByRole("row").count()).toBe(2);
    expect(new URL(page.url()).search).toBe("?search=kawe");
    await page.reload();
    await page.getByRole("link", { name: "Kawerau" }).waitFor();
    expect(await page.getByRole("link", { name: "Taupō" }).count()).toBe(0);
    expect(await page.getByLabel("Part of the name").inputValue()).toBe("kawe");
  });

  test.each(["light", "dark"] as const)(
    "has nothing that axe objects to when %s",
    async (theme) => {
      const { page } = await openBrowser(service.url, { theme });
      await page.goto("/");
      await page.getByRole("link", { name: "Taupō" }).waitFor();
      expect(await violationsOf(page)).toEqual([]);
    },
  );
});
