import type { Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { parkedNotification } from "../support/api/notifications.ts";
import { newSchedule } from "../support/api/schedules.ts";
import {
  accountMenu,
  describeConsole,
  ownConsole,
  signInAs,
  violationsOf,
} from "./support/console.ts";

const { service, open } = await ownConsole({ CONSOLE_STYLEGUIDE: "true" });

type Routes = { readonly routes: readonly { readonly path: string }[] };

/** The console is a program for browsers, with types of its own: it is not imported by its name. */
const CONSOLE = new URL("../../services/console/routes.ts", import.meta.url).href;

const WIDTHS = [390, 2_560] as const;
const HEIGHT = 844;

let catalogue = "";
let addresses: readonly string[] = [];

/** Every page's address: of the sample, of its largest event, of a schedule and of some work in the background. */
async function addressesOfAll(): Promise<readonly string[]> {
  const admin = await service.loginAs("admin");
  const { body: sample } = await admin.send<{ catalogueId: string }>("POST", "/api/sample", {});
  catalogue = sample.catalogueId;
  const { body: found } = await admin.get<{ events: readonly { id: string }[] }>(
    `/api/catalogues/${catalogue}/events/filtered?orderBy=magnitude&limit=1`,
  );
  const { body: accepted } = await admin.send<{ operationId: string }>(
    "POST",
    `/api/catalogues/${catalogue}/analytics/decluster`,
    { method: "gardner-knopoff" },
    { prefer: "respond-async" },
  );
  await parkedNotification(service.databaseUrl);
  const schedule = await newSchedule(admin, catalogue);
  const ring = [
    [174, -41],
    [176, -41],
    [175, -39],
    [174, -41],
  ];
  const { body: saved } = await admin.send<{ region: { id: string } }>("POST", "/api/regions", {
    name: "Triangle",
    geometry: { type: "Polygon", coordinates: [ring] },
  });
  const { routes }: Routes = await import(CONSOLE);
  return [...routes.map(({ path }) => path), "/styleguide", "/no-such-page"].map((path) =>
    path
      .replace("/operations/:id", `/operations/${accepted.operationId}`)
      .replace("/regions/:id", `/regions/${saved.region.id}`)
      .replace(":id", catalogue)
      .replace(":scheduleId", schedule)
      .replace(":eventId", found.events[0]?.id ?? ""),
  );
}

/** Until nothing is awaited any more. */
async function settled(page: Page): Promise<void> {
  await page.getByRole("heading", { level: 1 }).first().waitFor();
  await expect.poll(() => page.getByText("Loading…").count()).toBe(0);
}

/** The widths of the window at which the page itself has to be moved sideways. */
async function overflowsOf(page: Page): Promise<readonly string[]> {
  const found: string[] = [];
  const before = page.viewportSize() ?? { width: 1_280, height: HEIGHT };
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: HEIGHT });
    // Once it is drawn: maps and plots take their size from the frame before.
    const beyond = await page.evaluate<number>(`new Promise((resolve) =>
      requestAnimationFrame(() => requestAnimationFrame(() =>
        resolve(document.scrollingElement.scrollWidth - innerWidth))))`);
    if (beyond > 0) found.push(`${beyond} px wider than ${width}`);
  }
  await page.setViewportSize(before);
  return found;
}

describeConsole("every page", () => {
  beforeAll(async () => {
    addresses = await addressesOfAll();
  });

  test("has nothing that axe objects to, in light and dark, and is never wider than its window", async () => {
    const { page } = await open("admin");
    const faults: string[] = [];
    for (const address of addresses) {
      await page.goto(address);
      await settled(page);
      const all = [...(await violationsOf(page)), ...(await overflowsOf(page))];
      faults.push(...all.map((fault) => `${address}: ${fault}`));
    }
    expect(faults).toEqual([]);
  }, 180_000);

  test("is in the style guide by its parts", async () => {
    const { page } = await open("guest", "/styleguide");
    await page.getByRole("heading", { name: "Style guide" }).waitFor();
  });

  test("that is for another role says so without fault", async () => {
    const { page } = await open("viewer", "/upload");
    await page.getByRole("heading", { name: "Not for your role" }).waitFor();
    expect([...(await violationsOf(page)), ...(await overflowsOf(page))]).toEqual([]);
  });

  test("has no fault with a window over it or a menu open, also where it is narrow", async () => {
    const { page } = await open("guest");
    await service.loginAs("viewer");
    await signInAs(page, service, "admin");
    const faults: string[] = [];
    const check = async (what: string) => {
      const all = [...(await violationsOf(page)), ...(await overflowsOf(page))];
      faults.push(...all.map((fault) => `${what}: ${fault}`));
    };
    const checkWindow = async (title: string | RegExp) => {
      const dialog = page.getByRole("dialog", { name: title });
      await dialog.waitFor();
      await check(String(title));
      await page.keyboard.press("Escape");
      await dialog.waitFor({ state: "detached" });
    };
    await page.goto("/admin/users?search=viewer");
    await page.getByRole("combobox", { name: "Role of viewer" }).selectOption("admin");
    await checkWindow("Make viewer an administrator");
    await page.getByRole("button", { name: "Delete viewer…" }).click();
    await checkWindow("Delete the account of viewer");
    await page.keyboard.press("?");
    await checkWindow("Keys");
    await page.getByRole("button", { name: "Administration" }).click();
    await page.getByRole("link", { name: "Role requests" }).waitFor();
    await check("a menu");
    await page.goto(`/catalogues/${catalogue}/shares`);
    await page.getByRole("button", { name: "Make the share" }).click();
    await page.getByRole("button", { name: "End…" }).click();
    await checkWindow("End the share");
    await page.goto(`/catalogues/${catalogue}`);
    for (const [entry, title] of [
      ["Rename…", /^Rename/],
      ["Delete…", /^Delete/],
    ] as const) {
      await page.getByRole("button", { name: "Edit", exact: true }).click();
      await page.getByRole("button", { name: entry }).click();
      await checkWindow(title);
    }
    await page.setViewportSize({ width: 390, height: HEIGHT });
    await page.getByRole("button", { name: "Menu" }).click();
    await accountMenu(page).click();
    await page.getByRole("button", { name: "Sign out" }).waitFor();
    await check("the header's entries");
    expect(faults).toEqual([]);
  });
});
