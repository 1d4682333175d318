import { beforeAll, describe, expect, test } from "vitest";
import { createCatalogue } from "../api/support/catalogue.ts";
import { hasChromium } from "../support/chromium.ts";
import { useReachableService } from "../support/reachable-service.ts";
import { openBrowser } from "./support/browser.ts";
import { signInAs } from "./support/sign-in.ts";

const service = await useReachableService();
let id = "";

describe.skipIf(!hasChromium)("shares of a catalogue", () => {
  beforeAll(async () => {
    ({ id } = await createCatalogue(await service.loginAs("editor"), { name: "Private" }));
  });

  test("are made with an address that works until they are ended", async () => {
    const { page } = await openBrowser(service.url);
    await signInAs(page, service, "editor");
    await page.goto(`/catalogues/${id}/shares`);
    await page.getByLabel("Label").fill("For a colleague");
    await page.getByRole("button", { name: "Make the share" }).click();
    const address = await page.getByLabel("Events as JSON").inputValue();
    expect((await fetch(address)).status).toBe(200);
    expect((await fetch(await page.getByLabel("Events as a file").inputValue())).status).toBe(200);
    const row = page.getByRole("row").filter({ hasText: "For a colleague" });
    await row.getByRole("button", { name: "End…" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "End it" }).click();
    await page.getByText("This catalogue is not shared.").waitFor();
    expect((await fetch(address)).status).toBe(404);
  });

  test("say at the field what is wrong with it", async () => {
    const { page, allow } = await openBrowser(service.url);
    allow(/status of 400/);
    await signInAs(page, service, "editor");
    await page.goto(`/catalogues/${id}/shares`);
    await page.getByLabel("Ends after").fill("4000");
    await page.getByRole("button", { name: "Make the share" }).click();
    await expect
      .poll(() => page.getByLabel("Ends after").getAttribute("aria-invalid"))
      .toBe("true");
  });

  test("are made once where the answer is lost, and say that its address is lost", async () => {
    const { page, allow } = await openBrowser(service.url);
    allow(/ERR_|status of 409/);
    await signInAs(page, service, "editor");
    await page.goto(`/catalogues/${id}/shares`);
    await page.getByLabel("Label").fill("Lost");
    await page.route(
      "**/shares",
      async (route) => {
        await route.fetch();
        await route.abort();
      },
      { times: 1 },
    );
    await page.getByRole("button", { name: "Make the share" }).click();
    await page.getByText("The service cannot be reached.", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Make the share" }).click();
    await page.getByText("the answer with its address was lost").waitFor();
    await expect.poll(() => page.getByRole("row").filter({ hasText: "Lost" }).count()).toBe(1);
  });
});
