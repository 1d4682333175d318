import { beforeAll, describe, expect, test } from "vitest";
import { createCatalogue, seismicEvent } from "../api/support/catalogue.ts";
import { hasChromium } from "../support/chromium.ts";
import { useReachableService } from "../support/reachable-service.ts";
import { violationsOf } from "./support/axe.ts";
import { openBrowser } from "./support/browser.ts";
import { signInAs } from "./support/sign-in.ts";

const service = await useReachableService();

/** An earthquake of a day, which both agencies call by the same number. */
const quake = (day: number, seconds: number, isc: string) =>
  seismicEvent({
    source_id: `${isc}-${seconds}`,
    time: `2016-11-${day}T11:02:${seconds}Z`,
    isc_event_id: isc,
  });

describe.skipIf(!hasChromium)("thresholds of a merge", () => {
  beforeAll(async () => {
    const editor = await service.loginAs("editor");
    const events = (late: number) => [
      quake(13, 10 + late, "i13"),
      quake(14, 10 + late * 4, "i14"),
      quake(15, 10 + late, late === 0 ? "i15" : "i16"),
    ];
    await createCatalogue(editor, { name: "North", events: events(0) });
    await createCatalogue(editor, { name: "South", events: events(5) });
  });

  test("are tried on events whose earthquake is known, and go into the merge", async () => {
    const { page } = await openBrowser(service.url);
    await signInAs(page, service, "editor");
    await page.goto("/merge");
    await page.getByLabel("North", { exact: true }).check();
    await page.getByLabel("South", { exact: true }).check();
    await page.getByRole("link", { name: "evaluate thresholds" }).click();
    await page.getByLabel("What names the earthquake").fill("isc_event_id");
    await page.getByLabel("Times to try, s").fill("2, 10, 30");
    await page.getByLabel("Distances to try, km").fill("10, 50");
    await page.getByRole("button", { name: "Evaluate" }).click();
    const evaluation = page.getByRole("region", { name: "Evaluation" });
    await evaluation.getByText("best balance").waitFor();
    const row = evaluation.getByRole("row").filter({ hasText: "30 s" });
    await row.getByText("66.7 %").first().waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await row.getByRole("button").last().click();
    await evaluation.getByText("The worst pairs with 30 s and 50 km").waitFor();
    await evaluation.getByText("Wrong: they become one, and are two earthquakes.").waitFor();
    await evaluation.getByRole("link", { name: "Merge with 30 s and 50 km" }).click();
    await expect.poll(() => page.getByLabel("Time").inputValue()).toBe("30");
  });
});
