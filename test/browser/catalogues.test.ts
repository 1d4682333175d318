import { beforeAll, expect, test } from "vitest";
import { newAccount, PASSWORD } from "../support/api/accounts.ts";
import { createCatalogue } from "../support/api/catalogue.ts";
import { generateEvents } from "../support/generate-catalogue.ts";
import {
  describeConsole,
  ownConsole,
  signInAs,
  signInWith,
  violationsOf,
} from "./support/console.ts";

// Nobody answers there.
const { service, open } = await ownConsole({
  AGENCY_URL: "http://127.0.0.1:9",
  AGENCY_RETRIES: "0",
});

describeConsole("the list of catalogues", () => {
  beforeAll(async () => {
    const editor = await service.loginAs("editor");
    const events = [...generateEvents(1, 20)];
    await createCatalogue(editor, { name: "Taupō", events, is_public: true });
    await createCatalogue(editor, { name: "Kawerau", events, is_public: true });
  });

  test("is shown to guests; a search is in the address and stays after a reload", async () => {
    const { page } = await open("guest", "/");
    await page.getByRole("link", { name: "Taupō" }).waitFor();
    await page.getByLabel("Part of the name").fill("kawe");
    await page.getByRole("button", { name: "Search" }).click();
    await expect.poll(() => page.getByRole("row").count()).toBe(2);
    expect(new URL(page.url()).search).toBe("?search=kawe");
    await page.reload();
    await page.getByRole("link", { name: "Kawerau" }).waitFor();
    expect(await page.getByRole("link", { name: "Taupō" }).count()).toBe(0);
    expect(await page.getByLabel("Part of the name").inputValue()).toBe("kawe");
  });

  test("marks on the map what is pointed at or has the focus in the list, and the other way round", async () => {
    const { page } = await open("guest", "/");
    const row = page.getByRole("row").filter({ hasText: "Kawerau" });
    const box = page.locator(".map-box.marked");
    await page.locator(".map-box").first().waitFor();
    await row.getByRole("link").focus();
    await box.waitFor();
    await page.getByLabel("Part of the name").focus();
    await box.waitFor({ state: "detached" });
    await row.hover();
    await box.waitFor();
    await page.getByRole("heading", { level: 1 }).hover();
    await box.waitFor({ state: "detached" });
    // Both have the same bounds: the upper box is in the way.
    await page.locator(".map-box").first().dispatchEvent("mouseover");
    await page.locator("tr.marked").waitFor();
    await page.locator(".map-box").first().click({ force: true });
    await page.waitForURL(/\/catalogues\/[0-9a-f-]{36}$/);
  });

  test("tells days and moments by the local clock too", async () => {
    const { page } = await open("guest", "/");
    const row = page.getByRole("row").filter({ hasText: "Kawerau" });
    await row.waitFor();
    const titles = await row
      .locator("time")
      .evaluateAll((found) => found.map((one) => one.getAttribute("title")));
    expect(titles).toHaveLength(3);
    for (const title of titles) expect(title).toMatch(/ UTC\n.* GMT\+1[23], local time\n/);
  });

  test("has what could not be made apart, for its maker and administrators alone", async () => {
    const { email, signIn } = await newAccount(service, "editor");
    const { client } = await signIn();
    await client.send("POST", "/api/import/agency", { hours: 1 });
    const { page } = await open("guest");
    const failed = page.getByRole("link", { name: /^GeoNet import/ });
    await page.goto("/");
    await page.getByRole("link", { name: "Taupō", exact: true }).waitFor();
    expect(await failed.count()).toBe(0);
    await signInWith(page, { email, password: PASSWORD });
    await page.goto("/");
    await page.getByRole("heading", { name: "Not complete" }).waitFor();
    expect(await failed.count()).toBe(1);
    expect(await violationsOf(page)).toEqual([]);
    await signInAs(page, service, "editor");
    await page.goto("/");
    await page.getByRole("link", { name: "Taupō", exact: true }).waitFor();
    await page.waitForLoadState("networkidle");
    expect(await failed.count()).toBe(0);
  });
});
