import type { Locator, Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { createCatalogue, seismicEvent } from "../support/api/catalogue.ts";
import { type ApiClient, createApiClient } from "../support/api-client.ts";
import { generateEvents } from "../support/generate-catalogue.ts";
import {
  describeConsole,
  openBrowser,
  sharedConsole,
  signInAs,
  violationsOf,
} from "./support/console.ts";

const { service, open } = sharedConsole();

describeConsole("every page", () => {
  test("lists its keys at ?, goes to the catalogues at g c, to the search at /", async () => {
    const { page } = await open("guest", "/login");
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
    const { page } = await open("guest", "/register");
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
    const { page } = await open("guest", "/register", { height: 200 });
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
    const { page } = await open("guest");
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
    const { page } = await open("guest", "/", { width: 390 });
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
    const { page } = await open("guest", `/catalogues/${id}?minMagnitude=1`, {
      allow: /status of 401/,
    });
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    await service.loginAs("viewer");
    const { email, password } = service.signInOf("viewer");
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
    const { page, context } = await openBrowser(service.url, { allow: /status of 401/ });
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
    await dialog.getByLabel("Password").fill(service.signInOf("editor").password);
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
    const { page } = await open("guest", "/styleguide");
    await page.getByRole("heading", { name: "There is no such page" }).waitFor();
    await page.getByRole("link", { name: "All catalogues" }).waitFor();
  });

  test("says that the service cannot be reached, and goes on when it can", async () => {
    const { page, context } = await open("viewer", "/", { allow: /ERR_INTERNET_DISCONNECTED/ });
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

/** Presses Tab until the element has the focus, as somebody without a mouse does. */
async function tabTo(page: Page, element: Locator): Promise<void> {
  await element.waitFor();
  for (let n = 0; n < 80; n++) {
    if (await element.evaluate((one) => one === document.activeElement)) return;
    await page.keyboard.press("Tab");
  }
  throw new Error("the element cannot be reached by Tab");
}

describeConsole("without a mouse", () => {
  test("one signs in, filters, chooses an event, and exports what passes", async () => {
    const editor = await service.loginAs("editor");
    const { id } = await createCatalogue(editor, { events: [...generateEvents(31, 50)] });
    const { email, password } = service.signInOf("editor");
    const { page } = await open("guest", `/login?next=/catalogues/${id}`);
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
    const { page } = await open("guest", "/");
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
    const { page } = await open("editor", "/status");
    await page.getByRole("heading", { name: "Status" }).waitFor();
    const field = page.getByRole("combobox", { name: "Page, catalogue or action" });
    const find = async (text: string) => {
      await page.keyboard.press("Control+k");
      await field.waitFor();
      await page.keyboard.type(text);
    };
    await find("taupō swa");
    const option = page.getByRole("option", { name: /Taupō swarm/ });
    await option.waitFor();
    expect(await option.getAttribute("aria-selected")).toBe("true");
    await page.keyboard.press("Enter");
    await expect.poll(() => new URL(page.url()).pathname).toBe(`/catalogues/${id}`);
    await page.getByRole("heading", { name: "Taupō swarm" }).waitFor();
    await find("this catalogue version");
    await page.keyboard.press("Enter");
    await expect.poll(() => new URL(page.url()).pathname).toBe(`/catalogues/${id}/versions`);
    await find("dark");
    expect(await violationsOf(page)).toEqual([]);
    await page.keyboard.press("Enter");
    await expect
      .poll(() => page.evaluate(() => document.documentElement.dataset["theme"]))
      .toBe("dark");
    await find("no such thing at all");
    await page.getByText("Nothing has these words.").waitFor();
    await page.keyboard.press("Escape");
    await field.waitFor({ state: "detached" });
    // Where the header's parts are folded away, too.
    await page.setViewportSize({ width: 390, height: 844 });
    await find("operations");
    await page.keyboard.press("Enter");
    await expect.poll(() => new URL(page.url()).pathname).toBe("/operations");
  });
});

describeConsole("a viewer", () => {
  test("sees nothing of what editors do, and is told at an editor's page whom it is for", async () => {
    const editor = await service.loginAs("editor");
    const events = [...generateEvents(32, 5)];
    const { id } = await createCatalogue(editor, { name: "To be read", events });
    await editor.send("POST", `/api/catalogues/${id}/events`, { events: [seismicEvent()] });
    const { body } = await editor.get<{ events: { id: string }[] }>(`/api/catalogues/${id}/events`);
    const event = `/catalogues/${id}/events/${body.events[0]?.id}`;
    const { page } = await open("guest");
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

const NOBODYS = "3b241101-e2bb-4255-8caf-4136c566a962";
const ASYNC = { prefer: "respond-async" };
let editor: ApiClient;

describeConsole("work in the background", () => {
  beforeAll(async () => {
    editor = await service.loginAs("editor");
    const { id: a } = await createCatalogue(editor, { name: "A" });
    const { id: b } = await createCatalogue(editor, { name: "B" });
    const config = { timeThreshold: 10, distanceThreshold: 50 };
    await editor.send("POST", "/api/compare", { a, b, ...config }, ASYNC);
    const sourceCatalogues = [{ id: a }, { id: b }];
    // It decides on events that no source has, which is only found when it runs.
    const events = [a, b].map(() => ({ catalogue_id: NOBODYS, event_id: crypto.randomUUID() }));
    const decisions = [{ type: "same", events }];
    const ofMerge = { ...config, mergeStrategy: "newest", decisions };
    const merge = { name: "M", sourceCatalogues, config: ofMerge };
    await editor.send("POST", "/api/merge", merge, ASYNC);
  });

  test("is listed newest first, with what came of it", async () => {
    const { page } = await open("editor", "/");
    await page.getByRole("link", { name: "Operations" }).click();
    const row = (n: number) => page.getByRole("row").nth(n).textContent();
    await expect.poll(() => row(1)).toMatch(/^Mergefailed/);
    await expect.poll(() => row(2)).toMatch(/^Comparisonsucceeded/);
    await page.getByRole("link", { name: "Comparison" }).click();
    const json = page.getByRole("link", { name: "The answer as JSON" });
    expect(await json.getAttribute("href")).toMatch(/^\/api\/operations\//);
    await page.goBack();
    await page.getByRole("link", { name: "Merge" }).click();
    await page.getByRole("alert").waitFor();
  });

  test("of all is seen by administrators, with its owners", async () => {
    const { page } = await open("admin", "/operations");
    await page.getByRole("link", { name: "editor" }).first().waitFor();
    expect(await violationsOf(page)).toEqual([]);
  });

  test("that is another's or none is not found", async () => {
    const { page } = await open("editor", `/operations/${NOBODYS}`, { allow: /status of 404/ });
    await page.getByText("There is no such operation.").waitFor();
  });

  test("ends on its page also where its stream is refused", async () => {
    const { page } = await open("editor", null, { allow: /status of 503/ });
    const { body } = await editor.get<{ operations: { id: string }[] }>("/api/operations");
    const id = body.operations.at(-1)?.id ?? "";
    // As if it were running when the page asks for the first time.
    let asked = 0;
    await page.route(`**/api/operations/${id}`, async (route) => {
      asked += 1;
      const response = await route.fetch();
      const { operation } = (await response.json()) as { operation: object };
      const running = { ...operation, status: "running", result: undefined };
      await route.fulfill({ json: { operation: asked === 1 ? running : operation } });
    });
    await page.route("**/stream", (route) => route.fulfill({ status: 503 }));
    await page.goto(`/operations/${id}`);
    await page.getByText("running", { exact: true }).waitFor();
    await page.getByText("succeeded", { exact: true }).waitFor();
    await page.getByText(/^took /).waitFor();
    expect(asked).toBeGreaterThan(1);
    await page.getByRole("link", { name: "The second catalogue" }).click();
    await page.getByRole("heading", { name: "B", exact: true }).waitFor();
  });

  test("that has not been is explained by what one may do", async () => {
    const { page } = await open("viewer", "/operations", { width: 390 });
    await page.getByText("They are started by editors").waitFor();
    await page.getByRole("main").getByRole("link", { name: "profile" }).waitFor();
    expect(await violationsOf(page)).toEqual([]);
  });
});
