import { beforeAll, describe, expect, test } from "vitest";
import { createCatalogue } from "../api/support/catalogue.ts";
import { useReachableService } from "../clients/support/reachable-service.ts";
import type { ApiClient } from "../support/api-client.ts";
import { generateEvents } from "../support/generate-catalogue.ts";
import { violationsOf } from "./support/axe.ts";
import { openBrowser } from "./support/browser.ts";
import { hasChromium } from "./support/chromium.ts";
import { signInAs } from "./support/sign-in.ts";

const service = await useReachableService();

describe.skipIf(!hasChromium)("the analytics of a catalogue", () => {
  let editor: ApiClient;
  let id: string;

  beforeAll(async () => {
    editor = await service.loginAs("editor");
    const events = [...generateEvents(21, 3_000)];
    ({ id } = await createCatalogue(editor, { name: "Taupō", events, is_public: true }));
  });

  test("tell Mc and b with its error as the service does, of the events that pass the filters", async () => {
    const { page } = await openBrowser(service.url);
    await page.goto(`/catalogues/${id}?maxDepth=40`);
    await page.getByRole("link", { name: "Analytics" }).click();
    const result = page.getByRole("complementary", { name: "Result" });
    await result.waitFor();
    type Answer = { estimate: { b: number; sigma: number; mc: number }; reference: string };
    const { body } = await editor.get<Answer>(
      `/api/catalogues/${id}/analytics/b-value?maxDepth=40`,
    );
    const { b, sigma, mc } = body.estimate;
    const four = (value: number) => String(Number(value.toPrecision(4)));
    const text = (await result.textContent()) ?? "";
    expect(text).toContain(`Mc${four(mc)}`);
    expect(text).toContain(`b${four(b)} ± ${four(sigma)}`);
    expect(text).toContain(body.reference);
    const plot = page.getByRole("img", { name: /^Magnitude–frequency: Mc/ });
    await expect
      .poll(() => plot.evaluate((image: HTMLImageElement) => image.naturalWidth))
      .toBeGreaterThan(100);
    await page.getByLabel("Mc by").selectOption("gft");
    await expect.poll(() => page.url()).toContain("mcMethod=gft");
  });

  test("of every kind are drawn, and can be taken along", async () => {
    const { page } = await openBrowser(service.url);
    for (const tab of ["completeness", "rates", "time", "depths", "density", "clusters"]) {
      await page.goto(`/catalogues/${id}/analytics?tab=${tab}`);
      await page.getByRole("complementary", { name: "Result" }).waitFor();
      const plot = page.locator("img.plot");
      await expect
        .poll(() => plot.evaluate((image: HTMLImageElement) => image.naturalWidth))
        .toBeGreaterThan(100);
    }
    await page.goto(`/catalogues/${id}/analytics?tab=rates`);
    const saving = page.waitForEvent("download");
    await page.getByRole("button", { name: "as CSV" }).click();
    expect((await saving).suggestedFilename()).toBe("rates.csv");
    for (const format of ["SVG", "PNG"]) {
      const address = await page.getByRole("link", { name: `as ${format}` }).getAttribute("href");
      expect((await editor.get(address ?? "")).status).toBe(200);
    }
  });

  test("over time and as a depth section are drawn by the page", async () => {
    const { page } = await openBrowser(service.url);
    await page.goto(`/catalogues/${id}/analytics?tab=over-time`);
    await page.getByRole("region", { name: "Periods" }).getByRole("row").nth(2).waitFor();
    await page.locator(".periods-plot canvas").waitFor();
    await page.goto(`/catalogues/${id}/analytics?tab=section`);
    await page.getByRole("img", { name: "Depths of 3000 events along longitude" }).waitFor();
    await page.getByLabel("latitude").check();
    await page.getByRole("img", { name: "Depths of 3000 events along latitude" }).waitFor();
  });

  test("say why there is no estimate", async () => {
    const { page } = await openBrowser(service.url);
    await page.goto(`/catalogues/${id}/analytics?minMagnitude=5.5`);
    const { body } = await editor.get<{ reason: string }>(
      `/api/catalogues/${id}/analytics/b-value?minMagnitude=5.5`,
    );
    await page.getByRole("complementary", { name: "Result" }).getByText(body.reason).waitFor();
  });

  test("find main events, of which editors make a catalogue", async () => {
    const { page } = await openBrowser(service.url);
    await signInAs(page, service, "editor");
    await page.goto(`/catalogues/${id}/analytics?tab=decluster`);
    await page.getByRole("button", { name: "Decluster" }).click();
    await page.getByText("Main events", { exact: true }).waitFor();
    await page.getByLabel("Name").fill("Taupō, main events of a test");
    await page.getByRole("button", { name: "Make it" }).click();
    await page.getByRole("heading", { name: "Taupō, main events of a test" }).waitFor();
  });

  test.each(["light", "dark"] as const)(
    "have nothing that axe objects to when %s",
    async (theme) => {
      const { page } = await openBrowser(service.url, { theme });
      await signInAs(page, service, "editor");
      for (const tab of ["magnitudes", "over-time", "section", "decluster"]) {
        await page.goto(`/catalogues/${id}/analytics?tab=${tab}`);
        await page.getByRole("navigation", { name: "Analyses" }).waitFor();
        if (tab === "magnitudes") await page.getByRole("complementary").waitFor();
        expect(await violationsOf(page)).toEqual([]);
      }
    },
  );
});
