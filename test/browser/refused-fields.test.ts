import type { Page } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";
import { createCatalogue } from "../api/support/catalogue.ts";
import { hasChromium } from "../support/chromium.ts";
import { generateEvents } from "../support/generate-catalogue.ts";
import { useReachableService } from "../support/reachable-service.ts";
import { openBrowser } from "./support/browser.ts";
import { signInAs } from "./support/sign-in.ts";

const service = await useReachableService();
const COUNT = 50;

/** A window of an administrator, on a page of which the service refuses something. */
async function openRefused(address: string): Promise<Page> {
  const { page, allow } = await openBrowser(service.url);
  allow(/status of 400/);
  await signInAs(page, service, "admin");
  await page.goto(address);
  return page;
}

/** That a field is marked, and described by what is wrong with it. */
async function expectProblem(page: Page, label: string | RegExp, text: RegExp): Promise<void> {
  const field = page.getByLabel(label, { exact: true });
  await expect.poll(() => field.getAttribute("aria-invalid")).toBe("true");
  const below = await field.getAttribute("aria-describedby");
  expect(await page.locator(`[id="${below}"]`).textContent()).toMatch(text);
}

describe.skipIf(!hasChromium)("what is refused is told at its field", () => {
  let id: string;

  beforeAll(async () => {
    const editor = await service.loginAs("editor");
    const events = [...generateEvents(71, COUNT)];
    ({ id } = await createCatalogue(editor, { name: "Refused", events }));
  });

  test("of a circle that is not whole, until it is", async () => {
    const page = await openRefused(`/catalogues/${id}?latitude=10`);
    await expectProblem(page, "longitude °", /a circle needs latitude and longitude/);
    await page.getByLabel("longitude °", { exact: true }).fill("20");
    await expectProblem(page, "to km", /a circle needs maxRadiusKm or minRadiusKm/);
    await page.getByLabel("to km", { exact: true }).fill("20020");
    await page.locator(".shown").getByText(`${COUNT} of ${COUNT} events`).waitFor();
    expect(await page.locator("[aria-invalid]").count()).toBe(0);
  });

  test("of a box whose south is above its north, which is not asked for", async () => {
    const page = await openRefused(`/catalogues/${id}?maxLatitude=5`);
    await page.getByLabel("Latitude from °").fill("10");
    await expectProblem(page, "Latitude from °", /Above the end of the range/);
    expect(new URL(page.url()).search).toBe("?maxLatitude=5");
  });

  test("of the times of the audit", async () => {
    const page = await openRefused("/audit?to=yesterday");
    await expectProblem(page, "To UTC", /not an ISO 8601 time/);
    await page.getByLabel("From UTC").fill("soon");
    await page.getByLabel("From UTC").press("Enter");
    await expectProblem(page, "From UTC", /not an ISO 8601 time/);
  });

  test("of a catalogue’s new name", async () => {
    const page = await openRefused(`/catalogues/${id}`);
    await page.getByRole("button", { name: "Edit", exact: true }).click();
    await page.getByRole("button", { name: "Rename…" }).click();
    await page.getByLabel("Name", { exact: true }).fill("x".repeat(256));
    await page.getByRole("button", { name: "Rename", exact: true }).click();
    await expectProblem(page, "Name", /longer than 255 characters/);
  });

  test("of a comparison, also which of its versions is not understood", async () => {
    const page = await openRefused(
      `/compare?a=${id}&b=${id}&asOfB=soon&timeThreshold=10&distanceThreshold=50`,
    );
    await expectProblem(page, "Version of b", /neither a version number nor a time/);
    expect(await page.getByLabel("Version of a").getAttribute("aria-invalid")).toBeNull();
    await page.goto(`/compare?a=${id}&b=${id}&timeThreshold=4000&distanceThreshold=50`);
    await expectProblem(page, "Time s", /at most 3600/);
  });
});
