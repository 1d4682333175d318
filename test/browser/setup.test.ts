import { expect, test } from "vitest";
import { freePort } from "#infra/postgres/embedded/embedded.ts";
import { useService } from "../support/service.ts";
import { consoleOf, describeConsole, violationsOf } from "./support/console.ts";
import { inkOf } from "./support/on-map.ts";

const port = await freePort();
const CODE = "a-code-of-the-start";
const { open } = consoleOf(
  useService(
    {
      PORT: String(port),
      PUBLIC_BASE_URL: `http://127.0.0.1:${port}`,
      CREATE_ADMIN_USER: "false",
    },
    { setupCode: CODE },
  ),
);

describeConsole("the page for setting up", () => {
  test("loads the sample and makes the first administrator, with the link alone", async () => {
    const { page } = await open("guest", "/setup", { allow: /status of 40[0349]/ });
    await page.getByText("Open the whole link").waitFor();
    await page.goto("/setup?code=wrong");
    await page.getByRole("button", { name: "Load the sample" }).click();
    await page.getByText("Each start of the service makes a new link").waitFor();

    await page.goto(`/setup?code=${CODE}`);
    await page.getByRole("heading", { level: 1 }).waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await page.getByRole("button", { name: "Load the sample" }).click();
    // The other step stays.
    await page.getByText("The sample is loaded.").waitFor();
    await page.getByRole("button", { name: "Make the administrator" }).waitFor();
    await page.getByRole("link", { name: "Open the sample" }).click();
    await page.waitForURL(/\/catalogues\/[0-9a-f-]{36}$/);
    await page.locator("[data-drawn]").waitFor();
    const sample = await page.request.get(`/api${new URL(page.url()).pathname}`);
    const { event_count } = await sample.json();
    expect(await inkOf(page)).toBeGreaterThan(event_count);
    expect(await page.getByRole("grid").getAttribute("aria-rowcount")).toBe(
      String(event_count + 1),
    );
    await page.locator(".event-row").first().waitFor();
    await page.goto("/");
    await page.getByRole("link", { name: "Sample: a made-up sequence near Taupō" }).waitFor();

    await page.goto(`/setup?code=${CODE}`);
    await page.getByLabel("Name").fill("First");
    await page.getByLabel("Email").fill("first@example.org");
    await page.getByLabel("Password").fill("too short");
    await page.getByLabel("The same again").fill("too short");
    const make = page.getByRole("button", { name: "Make the administrator" });
    await make.click();
    await page.getByText("at least 12 characters", { exact: false }).last().waitFor();
    await page.getByLabel("Password").fill("twelve letters");
    await page.getByLabel("The same again").fill("twelve letters");
    await make.click();
    await page.getByText("You are the first administrator, and signed in.").waitFor();
    await page.getByRole("button", { name: "Administration" }).waitFor();
    // Editors find the sample here; it is there already.
    await page.getByRole("button", { name: "Sample" }).click();
    await page.getByText("The sample is there already").waitFor();

    await page.goto(`/setup?code=${CODE}`);
    await page.getByRole("button", { name: "Load the sample" }).click();
    await page.getByText("The service is set up.", { exact: false }).first().waitFor();
  });
});
