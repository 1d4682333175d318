import { beforeAll, expect, test } from "vitest";
import { createCatalogue } from "../support/api/catalogue.ts";
import type { ApiClient } from "../support/api-client.ts";
import { generateEvents } from "../support/generate-catalogue.ts";
import {
  describeConsole,
  sharedConsole,
  signInAs,
  signOut,
  violationsOf,
} from "./support/console.ts";

const { service, open } = sharedConsole();

describeConsole("the versions of a catalogue", () => {
  let editor: ApiClient;
  let id: string;

  beforeAll(async () => {
    editor = await service.loginAs("editor");
    const events = [...generateEvents(9, 20)];
    ({ id } = await createCatalogue(editor, { name: "Kawerau", events, is_public: true }));
    const { body } = await editor.get<{ events: { id: string }[] }>(
      `/api/catalogues/${id}/events?limit=3`,
    );
    const [first, second] = body.events;
    await editor.send("PATCH", `/api/catalogues/${id}/events/${first?.id}`, { magnitude: 6.25 });
    await editor.send("DELETE", `/api/catalogues/${id}/events/${second?.id}`);
  });

  test("are listed newest first; two are compared on a map and event by event", async () => {
    const { page } = await open("guest", `/catalogues/${id}/versions`);
    await page.getByRole("row").nth(3).waitFor();
    const numbers = page.getByRole("row").locator("td.number");
    expect(await numbers.allTextContents()).toEqual(
      ["3 0 0 1", "2 0 1 0", "1 20 0 0"].flatMap((row) => row.split(" ")),
    );
    await page.getByLabel("From version 1").check();
    await page.getByLabel("To version 2").check();
    await page.getByRole("button", { name: "Compare 1 with 2" }).click();
    await page.getByRole("checkbox", { name: "1 updated" }).waitFor();
    expect(new URL(page.url()).search).toBe("?from=1&to=2");
    const changes = page.getByRole("region", { name: "Changes" }).getByRole("row");
    expect(await changes.count()).toBe(2);
    expect(await changes.nth(1).textContent()).toMatch(/updated.*Magnitude \S+ → 6\.3$/);
    await page.locator("[data-drawn=discs]").waitFor();
    // A single event is shown with its surroundings.
    const scale = await page.locator(".leaflet-control-scale-line").textContent();
    expect(scale).toMatch(/^[1-9]\d+ km$/);
    await page.getByRole("link", { name: "The other way round" }).click();
    await page.getByText(/Magnitude 6\.3 → \S+$/).waitFor();
    await page.getByRole("button", { name: "Compare 2 with 1" }).waitFor();
    await changes.nth(1).getByRole("link").click();
    await page.getByText(", version 1").waitFor();
    await page.getByRole("link", { name: "To the latest" }).click();
    await page.getByRole("heading", { level: 1, name: /^M\w* 6\.3/ }).waitFor();
  });

  test("are compared by the kinds of changes that are switched on, which the address keeps", async () => {
    const { page } = await open("guest", `/catalogues/${id}/versions?from=1&to=3`);
    const changes = page.getByRole("region", { name: "Changes" }).getByRole("row");
    await page.getByRole("checkbox", { name: "1 updated" }).uncheck();
    await expect.poll(() => changes.count()).toBe(2);
    expect(new URL(page.url()).search).toBe("?from=1&to=3&changes=added,removed");
    await page.reload();
    await changes.filter({ hasText: "removed" }).waitFor();
    expect(await changes.count()).toBe(2);
    await page.getByRole("checkbox", { name: "1 removed" }).uncheck();
    await page.getByText("None of these is shown.").waitFor();
    await page.goBack();
    await page.goBack();
    await expect.poll(() => changes.count()).toBe(3);
    // Without a bar that tells of an earlier version.
    const latest = page.getByRole("region", { name: "Versions" }).getByRole("link").first();
    expect(await latest.getAttribute("href")).toBe(`/catalogues/${id}`);
  });

  test("are listed 50 at a time; a number leads to its version", async () => {
    const { page } = await open("guest");
    await page.route(`**/api/catalogues/${id}/versions`, async (route) => {
      const answer = await route.fetch();
      const [first] = (await answer.json()).versions;
      const versions = Array.from({ length: 120 }, (_, n) => ({ ...first, version: 120 - n }));
      await route.fulfill({ response: answer, json: { versions } });
    });
    await page.goto(`/catalogues/${id}/versions`);
    await page.getByText("Versions 120 to 71 of 120").waitFor();
    await page.getByRole("button", { name: "Older" }).click();
    await page.getByText("Versions 70 to 21 of 120").waitFor();
    await page.getByLabel("Version", { exact: true }).fill("121");
    await page.getByRole("button", { name: "Go to it" }).click();
    await page.getByText("A number from 1 to 120").waitFor();
    await page.getByLabel("Version", { exact: true }).fill("30");
    await page.keyboard.press("Enter");
    await page.getByText("Versions 30 to 1 of 120").waitFor();
    expect(new URL(page.url()).search).toBe("?newest=30");
    await page.goBack();
    await page.getByRole("button", { name: "Newer" }).click();
    await page.getByText("Versions 120 to 71 of 120").waitFor();
  });

  test("tell who made them to those who are signed in", async () => {
    const { page } = await open("guest");
    const madeBy = async () =>
      (await page.getByRole("row").allTextContents()).map((row) => /edit\D*/.exec(row)?.[0])[1];
    await page.goto(`/catalogues/${id}/versions`);
    await expect.poll(madeBy).toBe("edit");
    await signInAs(page, service, "editor");
    await page.goto(`/catalogues/${id}/versions`);
    await expect.poll(madeBy).toBe("edit by you");
    await signOut(page);
    await page.getByRole("link", { name: "Sign in" }).waitFor();
    await signInAs(page, service, "admin");
    await page.goto(`/catalogues/${id}/versions`);
    await page.getByRole("link", { name: "editor", exact: true }).first().waitFor();
  });

  test("are cited in every format", async () => {
    const { page, context } = await open("guest");
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.goto(`/catalogues/${id}/versions`);
    await page.getByRole("button", { name: "Cite version 2" }).click();
    const dialog = page.getByRole("dialog", { name: "Cite version 2" });
    const { body } = await editor.get(`/api/catalogues/${id}/versions/2/citation`);
    await expect.poll(() => dialog.locator("pre").textContent()).toBe(String(body).trim());
    // Nothing stands under a format's name before it has come.
    const held = Promise.withResolvers<void>();
    await page.route("**/citation?format=bibtex", async (route) => {
      await held.promise;
      await route.continue();
    });
    await dialog.getByLabel("BibTeX").check();
    await dialog.getByText("Loading…").waitFor({ state: "attached" });
    expect(await dialog.getByRole("button", { name: "Copy" }).count()).toBe(0);
    held.resolve();
    for (const [format, sign] of [
      ["BibTeX", "@"],
      ["RIS", "TY  -"],
      ["DataCite", '"titles"'],
      ["CFF", "cff-version"],
    ] as const) {
      await dialog.getByLabel(format).check();
      await dialog.locator("pre").filter({ hasText: sign }).waitFor();
      await dialog.getByRole("button", { name: "Copy" }).click();
      await dialog.getByText("Copied").waitFor();
      expect(await page.evaluate(() => navigator.clipboard.readText())).toContain(sign);
    }
  });

  test("are restored by editors, who see first what that changes", async () => {
    const { id: own } = await createCatalogue(editor, { events: [...generateEvents(10, 5)] });
    const { body } = await editor.get<{ events: { id: string }[] }>(
      `/api/catalogues/${own}/events?limit=2`,
    );
    await editor.send("DELETE", `/api/catalogues/${own}/events/${body.events[0]?.id}`);
    const { page } = await open("editor", `/catalogues/${own}/versions`, {
      allow: /status of 412|ERR_FAILED/,
    });
    await page.route("**/diff?*", (route) => route.abort());
    await page.getByRole("button", { name: "Restore… version 1" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("The service cannot be reached").waitFor();
    expect(await dialog.getByRole("button", { name: "Restore" }).isDisabled()).toBe(true);
    await page.unroute("**/diff?*");
    await dialog.getByRole("button", { name: "Try again" }).click();
    await dialog.getByText("It adds 1, changes 0 and removes 0 events.").waitFor();
    // Another makes a version meanwhile: what it would change is told anew.
    await editor.send("DELETE", `/api/catalogues/${own}/events/${body.events[1]?.id}`);
    await dialog.getByRole("button", { name: "Restore" }).click();
    await dialog.getByRole("alert").waitFor();
    await dialog.getByText("It adds 2, changes 0 and removes 0 events.").waitFor();
    await dialog.getByRole("button", { name: "Restore" }).click();
    await page.getByText("Restored as version 4").waitFor();
    await page.getByLabel("From version 4").waitFor();
  });

  test("have nothing that axe objects to in light and dark", async () => {
    const { page } = await open("editor", `/catalogues/${id}/versions?from=1&to=3`);
    await page.locator("[data-drawn]").waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await page.getByRole("button", { name: "Restore… version 1" }).click();
    await page.getByRole("dialog").getByText("It adds").waitFor();
    expect(await violationsOf(page)).toEqual([]);
  });
});

describeConsole("two catalogues", () => {
  let a: string;
  let b: string;

  beforeAll(async () => {
    const editor = await service.loginAs("editor");
    const events = [...generateEvents(31, 400)];
    const others = events
      .slice(0, 300)
      .map((event) => ({ ...event, magnitude: 0.3 + 0.9 * Number(event["magnitude"]) }));
    ({ id: a } = await createCatalogue(editor, { name: "First", events, is_public: true }));
    ({ id: b } = await createCatalogue(editor, {
      name: "Second",
      events: others,
      is_public: true,
    }));
  });

  test("are compared by whoever may read both, from the analytics of one", async () => {
    const { page } = await open("guest", `/catalogues/${a}/analytics`);
    await page.getByRole("link", { name: "Compare…" }).click();
    await page.getByLabel("Second catalogue, b").selectOption(b);
    await page.getByRole("button", { name: "Compare" }).click();
    const result = page.getByRole("complementary", { name: "Result" });
    await result.waitFor();
    const guest = await service.loginAs("guest");
    const { body } = await guest.send<{ estimate: { matched: number; unmatched: { a: number } } }>(
      "POST",
      "/api/compare",
      { a, b, timeThreshold: 10, distanceThreshold: 50 },
    );
    const { matched, unmatched } = body.estimate;
    expect(await result.textContent()).toContain(`In both${matched}In a alone${unmatched.a}`);
    await page.getByRole("img", { name: /^Magnitudes of b/ }).waitFor();
    await page.reload();
    const lines = page.getByRole("region", { name: "Regression lines" });
    await lines.getByText("General orthogonal").waitFor();
    expect(await lines.getByRole("row").nth(1).textContent()).toContain("0.9");
  });

  test("show editors the pairs, without a fault in light and dark", async () => {
    const { page } = await open(
      "editor",
      `/compare?a=${a}&b=${b}&timeThreshold=10&distanceThreshold=50`,
      { width: 390 },
    );
    await page.getByText("Pairs of events").waitFor();
    expect(await violationsOf(page)).toEqual([]);
    const over = await page.evaluate(() => {
      const { clientWidth, scrollWidth } = document.documentElement;
      return scrollWidth - clientWidth;
    });
    expect(over).toBeLessThanOrEqual(0);
  });
});
