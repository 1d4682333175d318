import { describe, expect, test } from "vitest";
import { createCatalogue, seismicEvent } from "../api/support/catalogue.ts";
import { hasChromium } from "../support/chromium.ts";
import { useReachableService } from "../support/reachable-service.ts";
import { violationsOf } from "./support/axe.ts";
import { openBrowser } from "./support/browser.ts";
import { signInAs } from "./support/sign-in.ts";

const service = await useReachableService();

const quake = (n: number, magnitude: number, magnitude_type: string) =>
  seismicEvent({ source_id: `e${n}`, time: `2016-11-1${n}T11:02:00Z`, magnitude, magnitude_type });

describe.skipIf(!hasChromium)("magnitudes of a catalogue", () => {
  test("are converted by a relation of one's own, where filters and range let them", async () => {
    const editor = await service.loginAs("editor");
    const { id } = await createCatalogue(editor, {
      events: [quake(1, 4, "ML"), quake(2, 6.8, "ML"), quake(3, 4, "mb"), quake(4, 2, "ML")],
    });
    const { page } = await openBrowser(service.url);
    await signInAs(page, service, "editor");
    await page.goto(`/catalogues/${id}?minMagnitude=3`);
    await page.getByRole("button", { name: "Edit", exact: true }).click();
    await page.getByRole("link", { name: "Convert magnitudes…" }).click();
    await page.getByText("Only events that pass the filters are looked at").waitFor();
    await page.getByRole("button", { name: "Add a relation of your own" }).click();
    for (const [label, value] of [
      ["Name", "ML of ours"],
      ["From type", "ML"],
      ["Slope", "0.5"],
      ["Intercept", "2.5"],
      ["Standard deviation", "0.2"],
      ["Holds from", "1"],
      ["Holds to", "6"],
      ["Where it comes from", "fitted by hand"],
    ] as const) {
      await page.getByLabel(label, { exact: true }).fill(value);
    }
    expect(await violationsOf(page)).toEqual([]);
    await page.getByRole("button", { name: "Convert", exact: true }).click();
    const result = page.getByRole("region", { name: "Result" });
    await result.getByText("1 magnitude converted.").waitFor();
    await result.getByText("1 magnitude outside of every range").waitFor();
    await result.getByRole("link", { name: "What it changed" }).click();
    await page.getByText(/Magnitude .*4.* → 4\.5/).waitFor();
  });
});
