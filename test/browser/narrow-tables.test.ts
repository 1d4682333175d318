import { beforeAll, describe, expect, test } from "vitest";
import { hasChromium } from "../support/chromium.ts";
import { useReachableService } from "../support/reachable-service.ts";
import { openBrowser } from "./support/browser.ts";
import { signInAs } from "./support/sign-in.ts";

const service = await useReachableService();

describe.skipIf(!hasChromium)("tables on a telephone", () => {
  let catalogue = "";
  let event = "";

  beforeAll(async () => {
    const admin = await service.loginAs("admin");
    const { body: sample } = await admin.send<{ catalogueId: string }>("POST", "/api/sample", {});
    catalogue = `/catalogues/${sample.catalogueId}`;
    const { body: found } = await admin.get<{ events: readonly { id: string }[] }>(
      `/api${catalogue}/events/filtered?orderBy=magnitude&limit=1`,
    );
    event = `${catalogue}/events/${found.events[0]?.id}`;
    await admin.send("PATCH", `/api${event}`, { depth: 9.5 });
    const decluster = { method: "gardner-knopoff" };
    const later = { prefer: "respond-async" };
    await admin.send("POST", `/api${catalogue}/analytics/decluster`, decluster, later);
  });

  test.each([
    ["Versions", () => `${catalogue}/versions`, "Made"],
    ["Users", () => "/admin/users", "Email"],
    ["Operations", () => "/operations", "Status"],
    ["Nearest events", () => event, "Where"],
  ])(
    "%s have lines for rows, with the columns' names in them, and scroll nowhere",
    async (label, addressOf, column) => {
      const { page } = await openBrowser(service.url, { width: 390, height: 844 });
      await signInAs(page, service, "admin");
      await page.goto(addressOf());
      const area = page.getByRole("region", { name: label, exact: true });
      await area.locator("tbody tr").first().waitFor();
      const [beyond, names] = await area.evaluate((element) => [
        element.scrollWidth - element.clientWidth,
        [...element.querySelectorAll("tbody tr:first-child > *")].map(
          (cell) => getComputedStyle(cell, "::before").content,
        ),
      ]);
      expect(beyond).toBe(0);
      expect(names).toContain(`"${column} "`);
    },
  );

  test("the columns' names are given to the styles once, not at every rendering", async () => {
    const { page } = await openBrowser(service.url, { width: 390, height: 844 });
    await signInAs(page, service, "admin");
    await page.addInitScript(() => {
      const { setProperty } = CSSStyleDeclaration.prototype;
      const written: string[] = [];
      Object.assign(globalThis, { written });
      CSSStyleDeclaration.prototype.setProperty = function (name, value, priority) {
        if (name.startsWith("--head-")) written.push(name);
        setProperty.call(this, name, value, priority);
      };
    });
    await page.goto("/admin/users");
    const search = page.getByRole("searchbox");
    for (const letter of ["e", "d", "i", "t"]) await search.press(letter);
    await page.getByText(/ of \d+ account/).waitFor();
    const columns = [1, 2, 3, 4, 5, 6, 7].map((n) => `--head-${n}`);
    expect(await page.evaluate("written")).toEqual(columns);
  });

  test("the events have all their numbers in view", async () => {
    const { page } = await openBrowser(service.url, { width: 390, height: 844 });
    await signInAs(page, service, "viewer");
    await page.goto(catalogue);
    const cells = page.locator(".event-row").first().getByRole("gridcell");
    await cells.first().waitFor();
    expect(await cells.count()).toBe(5);
    for (const cell of await cells.all()) {
      const box = await cell.boundingBox();
      expect((box?.x ?? 390) + (box?.width ?? 0)).toBeLessThanOrEqual(390 - 16);
    }
  });
});
