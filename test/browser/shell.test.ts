import { describe, expect, test } from "vitest";
import { createCatalogue } from "../api/support/catalogue.ts";
import { createApiClient } from "../support/api-client.ts";
import { hasChromium } from "../support/chromium.ts";
import { generateEvents } from "../support/generate-catalogue.ts";
import { useReachableService } from "../support/reachable-service.ts";
import { signInOf } from "../support/service.ts";
import { openBrowser } from "./support/browser.ts";
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

  test("leaves its keys alone while a window is open, and gives the focus back when it closes", async () => {
    const { page } = await openBrowser(service.url);
    await page.goto("/register");
    const link = page.getByRole("link", { name: "Sign in instead" });
    await link.focus();
    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "Keys" }).waitFor();
    for (const key of ["?", "g", "c"]) await page.keyboard.press(key);
    expect(await page.getByRole("dialog").count()).toBe(1);
    await page.getByRole("button", { name: "Close" }).click();
    await page.getByRole("dialog").waitFor({ state: "detached" });
    expect(new URL(page.url()).pathname).toBe("/register");
    await link.and(page.locator(":focus")).waitFor();
  });

  test("begins at its top, with the focus on its heading; Back returns to where one was", async () => {
    const { page } = await openBrowser(service.url, { height: 200 });
    await page.goto("/register");
    const link = page.getByRole("link", { name: "Sign in instead" });
    await link.scrollIntoViewIfNeeded();
    const scrolled = () => page.evaluate<number>("scrollY");
    const before = await scrolled();
    expect(before).toBeGreaterThan(0);
    await link.click();
    const heading = page.getByRole("heading", { name: "Sign in" });
    await heading.and(page.locator(":focus")).waitFor();
    expect(await scrolled()).toBe(0);
    await page.goBack();
    await page.getByRole("heading", { name: "Register" }).and(page.locator(":focus")).waitFor();
    await expect.poll(scrolled).toBe(before);
  });

  test("follows the system's theme, another one that is chosen, and the system's again", async () => {
    const { page } = await openBrowser(service.url);
    const shown = (theme: string) => page.locator(`html[data-theme="${theme}"]`).waitFor();
    await page.goto("/login");
    await shown("light");
    const choose = async (theme: string) => {
      await page.getByRole("button", { name: "Theme" }).click();
      await page.getByRole("radio", { name: theme }).check();
    };
    await choose("Dark");
    await shown("dark");
    await page.reload();
    await shown("dark");
    await choose("System");
    await shown("light");
    await page.emulateMedia({ colorScheme: "dark" });
    await shown("dark");
  });

  test("has a header of one row where it is narrow, whose entries unfold and close again", async () => {
    const { page } = await openBrowser(service.url, { width: 390 });
    await page.goto("/");
    const header = page.getByRole("banner");
    const menu = page.getByRole("button", { name: "Menu" });
    await menu.waitFor();
    expect((await header.boundingBox())?.height).toBeLessThan(60);
    expect(await page.getByRole("link", { name: "Status" }).count()).toBe(0);
    await menu.press("Enter");
    await page.getByRole("link", { name: "Status" }).waitFor();
    await page.keyboard.press("Escape");
    await menu.and(page.locator(":focus")).waitFor();
    await menu.click();
    await page.getByRole("link", { name: "Status" }).click();
    await page.getByRole("heading", { name: "Status" }).waitFor();
    expect(await page.getByRole("link", { name: "Status" }).count()).toBe(0);
  });

  test("leads a guest to sign in where a catalogue is private, and back", async () => {
    const editor = await service.loginAs("editor");
    const { id } = await createCatalogue(editor, { events: [...generateEvents(2, 5)] });
    const { page, allow } = await openBrowser(service.url);
    allow(/status of 401/);
    await page.goto(`/catalogues/${id}?minMagnitude=1`);
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    await service.loginAs("viewer");
    const { email, password } = signInOf("viewer");
    await page.getByLabel("Email").fill(email);
    await page.getByLabel("Password").fill(password);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.locator("[data-drawn]").waitFor();
    const { pathname, search } = new URL(page.url());
    expect(pathname + search).toBe(`/catalogues/${id}?minMagnitude=1`);
    expect(await page.getByLabel("Magnitude from").inputValue()).toBe("1");
  });

  test("asks for the password where the session has ended, and keeps what was typed", async () => {
    const editor = await service.loginAs("editor");
    const { id } = await createCatalogue(editor);
    const { body } = await editor.get<{ events: { id: string }[] }>(`/api/catalogues/${id}/events`);
    const event = `/catalogues/${id}/events/${body.events[0]?.id}`;
    const { page, context, allow } = await openBrowser(service.url);
    allow(/status of 401/);
    await signInAs(page, service, "editor");
    await page.goto(event);
    await page.getByRole("button", { name: "Edit…" }).click();
    const region = page.getByLabel("Region");
    await region.fill("Marlborough");
    const [session] = await context.cookies();
    const own = createApiClient(service.url, session?.value);
    expect((await own.send("POST", "/api/auth/logout")).status).toBeLessThan(300);
    const save = page.getByRole("button", { name: "Save" });
    await save.click();
    const dialog = page.getByRole("dialog", { name: "Your session has ended" });
    const signIn = dialog.getByRole("button", { name: "Sign in" });
    await dialog.getByLabel("Password").fill("not the password");
    await signIn.click();
    await dialog.getByRole("alert").waitFor();
    await dialog.getByLabel("Password").fill(signInOf("editor").password);
    await signIn.click();
    await dialog.waitFor({ state: "detached" });
    expect(await region.inputValue()).toBe("Marlborough");
    await save.click();
    await page.getByRole("heading", { level: 1, name: "Marlborough" }).waitFor();
    const saved = await editor.get(`/api${event}`);
    expect(saved.body).toMatchObject({ event: { region: "Marlborough" } });
    const catalogue = await editor.get(`/api/catalogues/${id}`);
    expect(catalogue.body).toMatchObject({ version: 2 });
  });

  test("that is for those who build the console is not there without its setting", async () => {
    const { page } = await openBrowser(service.url);
    await page.goto("/styleguide");
    await page.getByRole("heading", { name: "There is no such page" }).waitFor();
    await page.getByRole("link", { name: "All catalogues" }).waitFor();
  });

  test("says that the service cannot be reached, and goes on when it can", async () => {
    const { page, context, allow } = await openBrowser(service.url);
    allow(/ERR_INTERNET_DISCONNECTED/);
    await signInAs(page, service, "viewer");
    await page.goto("/");
    await page.getByLabel("Part of the name").waitFor();
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
