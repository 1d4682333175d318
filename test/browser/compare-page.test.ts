import { beforeAll, describe, expect, test } from "vitest";
import { createCatalogue } from "../api/support/catalogue.ts";
import { hasChromium } from "../support/chromium.ts";
import { generateEvents } from "../support/generate-catalogue.ts";
import { useReachableService } from "../support/reachable-service.ts";
import { violationsOf } from "./support/axe.ts";
import { openBrowser } from "./support/browser.ts";
import { signInAs } from "./support/sign-in.ts";

const service = await useReachableService();

describe.skipIf(!hasChromium)("two catalogues", () => {
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
    const { page } = await openBrowser(service.url);
    await page.goto(`/catalogues/${a}/analytics`);
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
    const { page } = await openBrowser(service.url, { width: 390 });
    await signInAs(page, service, "editor");
    await page.goto(`/compare?a=${a}&b=${b}&timeThreshold=10&distanceThreshold=50`);
    await page.getByText("Pairs of events").waitFor();
    expect(await violationsOf(page)).toEqual([]);
    const over = await page.evaluate(() => {
      const { clientWidth, scrollWidth } = document.documentElement;
      return scrollWidth - clientWidth;
    });
    expect(over).toBeLessThanOrEqual(0);
  });
});
