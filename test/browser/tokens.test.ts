import { beforeAll, describe, expect, test } from "vitest";
import { createCatalogue } from "../api/support/catalogue.ts";
import { hasChromium } from "../support/chromium.ts";
import { useReachableService } from "../support/reachable-service.ts";
import { violationsOf } from "./support/axe.ts";
import { openBrowser } from "./support/browser.ts";
import { signInAs } from "./support/sign-in.ts";

const service = await useReachableService();
let id = "";

describe.skipIf(!hasChromium)("access tokens", () => {
  beforeAll(async () => {
    ({ id } = await createCatalogue(await service.loginAs("editor"), { name: "Swarm" }));
  });

  test("are made with lines that work, shown once, and ended", async () => {
    const { page } = await openBrowser(service.url);
    await signInAs(page, service, "editor");
    await page.goto("/profile");
    await page.getByRole("link", { name: "Access tokens" }).click();
    await page.getByText("You have no access tokens yet.").waitFor();
    await page.getByRole("button", { name: "New token" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name", { exact: true }).fill("Nightly plots");
    expect(await dialog.getByLabel("What it may do").locator("option").allInnerTexts()).toEqual([
      "read",
      "read and change",
    ]);
    expect(await violationsOf(page)).toEqual([]);
    await dialog.getByLabel("Only for certain catalogues").check();
    await dialog.getByLabel("Swarm").check();
    await dialog.getByRole("button", { name: "Make the token" }).click();
    const made = page.getByRole("region", { name: "Nightly plots" });
    const secret = await made.getByLabel("Secret").inputValue();
    expect(secret).toMatch(/^eqc_/);
    const base = `${service.url}/api/catalogues/${id}`;
    const linesFor = async (program: string) => {
      await made.getByLabel("Program").selectOption(program);
      return made.locator("pre").innerText();
    };
    for (const program of ["GDAL", "pandas", "ObsPy", "curl"]) {
      const lines = await linesFor(program);
      expect(lines).toContain(secret);
      expect(lines).toContain(base);
    }
    const curl = await linesFor("curl");
    const [, header = "", address = ""] = /-H "Authorization: (.+?)" "(.+)"/.exec(curl) ?? [];
    const read = () => fetch(address, { headers: { authorization: header } });
    expect((await read()).status).toBe(200);
    expect(await violationsOf(page)).toEqual([]);
    await made.getByRole("button", { name: "I have copied the secret" }).click();
    expect(await page.content()).not.toContain(secret);
    await page.reload();
    const row = page.getByRole("row").filter({ hasText: "Nightly plots" });
    await row.getByRole("link", { name: "Swarm" }).waitFor();
    await row.getByText("in 89 days").waitFor();
    await row.getByText("just now").last().waitFor();
    await row.getByRole("button", { name: "End Nightly plots…" }).click();
    await dialog.getByRole("button", { name: "End it" }).click();
    await page.getByText("You have no access tokens yet.").waitFor();
    expect((await read()).status).toBe(401);
  });

  test("say at the field what is wrong with it, and are made once where the answer is lost", async () => {
    const { page, allow } = await openBrowser(service.url);
    allow(/status of 4|ERR_/);
    await signInAs(page, service, "viewer");
    await page.goto("/tokens");
    await page.getByRole("button", { name: "New token" }).click();
    await page.getByLabel("Name", { exact: true }).fill("Lost");
    const days = page.getByLabel("Ends after");
    await days.fill("4000");
    const make = page.getByRole("button", { name: "Make the token" });
    await make.click();
    await expect.poll(() => days.getAttribute("aria-invalid")).toBe("true");
    await days.fill("5");
    await page.route(
      "**/api/tokens",
      async (route) => {
        await route.fetch();
        await route.abort();
      },
      { times: 1 },
    );
    await make.click();
    await page.getByText("The service cannot be reached.", { exact: true }).waitFor();
    await make.click();
    await page.getByText("the answer with its secret was lost").waitFor();
    await page.keyboard.press("Escape");
    await expect.poll(() => page.getByRole("row").filter({ hasText: "Lost" }).count()).toBe(1);
  });

  test("of others are seen and ended by administrators", async () => {
    const editor = await service.loginAs("editor");
    await editor.send("POST", "/api/tokens", { name: "Of the editor", scopes: ["write"] });
    const { page } = await openBrowser(service.url);
    await signInAs(page, service, "admin");
    await page.goto("/admin/users?search=editor");
    await page.getByRole("link", { name: "Access tokens of editor" }).click();
    await page.getByRole("heading", { name: "Access tokens of editor" }).waitFor();
    await page.getByText("read and change").waitFor();
    await page.getByRole("button", { name: "End Of the editor…" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "End it" }).click();
    await page.getByText("editor has no access tokens.").waitFor();
  });
});
