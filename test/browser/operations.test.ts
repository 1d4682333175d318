import { beforeAll, describe, expect, test } from "vitest";
import { createCatalogue } from "../api/support/catalogue.ts";
import type { ApiClient } from "../support/api-client.ts";
import { hasChromium } from "../support/chromium.ts";
import { useReachableService } from "../support/reachable-service.ts";
import { violationsOf } from "./support/axe.ts";
import { openBrowser } from "./support/browser.ts";
import { signInAs } from "./support/sign-in.ts";

const service = await useReachableService();
const NOBODYS = "3b241101-e2bb-4255-8caf-4136c566a962";
const ASYNC = { prefer: "respond-async" };
let editor: ApiClient;

describe.skipIf(!hasChromium)("work in the background", () => {
  beforeAll(async () => {
    editor = await service.loginAs("editor");
    const { id: a } = await createCatalogue(editor, { name: "A" });
    const { id: b } = await createCatalogue(editor, { name: "B" });
    const config = { timeThreshold: 10, distanceThreshold: 50 };
    await editor.send("POST", "/api/compare", { a, b, ...config }, ASYNC);
    // The source is not there, which is only found when the merge runs.
    const sourceCatalogues = [{ id: a }, { id: NOBODYS }];
    const merge = { name: "M", sourceCatalogues, config: { ...config, mergeStrategy: "newest" } };
    await editor.send("POST", "/api/merge", merge, ASYNC);
  });

  test("is listed newest first, with what came of it", async () => {
    const { page } = await openBrowser(service.url);
    await signInAs(page, service, "editor");
    await page.goto("/");
    await page.getByRole("link", { name: "Operations" }).click();
    const row = (n: number) => page.getByRole("row").nth(n).textContent();
    await expect.poll(() => row(1)).toMatch(/^Mergefailed/);
    await expect.poll(() => row(2)).toMatch(/^Comparisonsucceeded/);
    await page.getByRole("link", { name: "Comparison" }).click();
    const json = page.getByRole("link", { name: "The answer as JSON" });
    expect(await json.getAttribute("href")).toMatch(/^\/api\/operations\//);
    await page.goBack();
    await page.getByRole("link", { name: "Merge" }).click();
    await page.getByRole("alert").waitFor();
  });

  test("of all is seen by administrators, with its owners", async () => {
    const { page } = await openBrowser(service.url);
    await signInAs(page, service, "admin");
    await page.goto("/operations");
    await page.getByRole("link", { name: "editor" }).first().waitFor();
    expect(await violationsOf(page)).toEqual([]);
  });

  test("that is another's or none is not found", async () => {
    const { page, allow } = await openBrowser(service.url);
    allow(/status of 404/);
    await signInAs(page, service, "editor");
    await page.goto(`/operations/${NOBODYS}`);
    await page.getByText("There is no such operation.").waitFor();
  });

  test("ends on its page also where its stream is refused", async () => {
    const { page, allow } = await openBrowser(service.url);
    allow(/status of 503/);
    await signInAs(page, service, "editor");
    const { body } = await editor.get<{ operations: { id: string }[] }>("/api/operations");
    const id = body.operations.at(-1)?.id ?? "";
    // As if it were running when the page asks for the first time.
    let asked = 0;
    await page.route(`**/api/operations/${id}`, async (route) => {
      asked += 1;
      const response = await route.fetch();
      const { operation } = (await response.json()) as { operation: object };
      const running = { ...operation, status: "running", result: undefined };
      await route.fulfill({ json: { operation: asked === 1 ? running : operation } });
    });
    await page.route("**/stream", (route) => route.fulfill({ status: 503 }));
    await page.goto(`/operations/${id}`);
    await page.getByText("running", { exact: true }).waitFor();
    await page.getByText("succeeded", { exact: true }).waitFor();
    await page.getByText(/^took /).waitFor();
    expect(asked).toBeGreaterThan(1);
    await page.getByRole("link", { name: "The second catalogue" }).click();
    await page.getByRole("heading", { name: "B", exact: true }).waitFor();
  });

  test("that has not been is explained by what one may do", async () => {
    const { page } = await openBrowser(service.url, { width: 390 });
    await signInAs(page, service, "viewer");
    await page.goto("/operations");
    await page.getByText("They are started by editors").waitFor();
    await page.getByRole("main").getByRole("link", { name: "profile" }).waitFor();
    expect(await violationsOf(page)).toEqual([]);
  });
});
