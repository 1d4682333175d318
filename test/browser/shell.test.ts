import { describe, expect, test } from "vitest";
import { createCatalogue } from "../api/support/catalogue.ts";
import { useReachableService } from "../clients/support/reachable-service.ts";
import { generateEvents } from "../support/generate-catalogue.ts";
import { openBrowser } from "./support/browser.ts";
import { hasChromium } from "./support/chromium.ts";
import { signInAs } from "./support/sign-in.ts";

const service = await useReachableService();

describe.skipIf(!hasChromium)("every page", () => {
  test("lists its keys at ?, goes to the catalogues at g c, to the search at /", async () => {
    const { page } = await openBrowser(service.url);
    await page.goto("/login");
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "Keys" }).waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await page.keyboard.press("g");
    await page.keyboard.press("c");
    await page.getByRole("heading", { name: "Catalogues" }).waitFor();
    await page.keyboard.press("/");
    const search = page.getByLabel("Part of the name");
    await search.and(page.locator(":focus")).waitFor();
    await page.keyboard.type("g c?/");
    expect(await search.inputValue()).toBe("g c?/");
  });

  test("leads a guest to sign in where a catalogue is private, and back", async () => {
    const editor = await service.loginAs("editor");
    const { id } = await createCatalogue(editor, { events: [...generateEvents(2, 5)] });
    const { page, allow } = await openBrowser(service.url);
    allow(/status of 401/);
    await page.goto(`/catalogues/${id}?min_magnitude=1`);
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    await page.getByLabel("Email").fill("viewer@example.org");
    expect(new URL(page.url()).searchParams.get("next")).toBe(`/catalogues/${id}?min_magnitude=1`);
  });

  test("says that the service cannot be reached, and goes on when it can", async () => {
    const { page, context, allow } = await openBrowser(service.url);
    allow(/ERR_INTERNET_DISCONNECTED/);
    await signInAs(page, service, "viewer");
    await context.setOffline(true);
    await page.getByLabel("Part of the name").fill("a");
    await page.getByRole("button", { name: "Search" }).click();
    await page.getByText("The service cannot be reached. What is shown").waitFor();
    await context.setOffline(false);
    await page.getByText("The service cannot be reached. What is shown").waitFor({
      state: "detached",
    });
  });
});
