import { escapeIdentifier } from "pg";
import { expect, inject, test } from "vitest";
import { freePort } from "#infra/postgres/embedded/embedded.ts";
import { withClient } from "../support/database-template.ts";
import { useService } from "../support/service.ts";
import { consoleOf, describeConsole } from "./support/console.ts";

const port = await freePort();
const { service, open } = consoleOf(
  useService({
    ROLES: "gateway",
    PORT: String(port),
    PUBLIC_BASE_URL: `http://127.0.0.1:${port}`,
  }),
);

/** Between two questions of the page. */
const EVERY_MS = 10_000;

/** As a server that has become a standby: new sessions, and there are only such, may only read. */
async function setReadOnly(readOnly: boolean): Promise<void> {
  const name = new URL(service.databaseUrl).pathname.slice(1);
  await withClient(inject("databaseUrl"), async (admin) => {
    const database = escapeIdentifier(name);
    await admin.query(
      `alter database ${database} set default_transaction_read_only = ${readOnly ? "on" : "off"}`,
    );
    await admin.query("select pg_terminate_backend(pid) from pg_stat_activity where datname = $1", [
      name,
    ]);
  });
}

describeConsole("the status", () => {
  test("turns red by itself, with its reason, and green again", async () => {
    const { page } = await open("guest", null, { allow: /status of 503/ });
    await page.clock.install();
    await page.goto("/status");
    const database = page.getByRole("row").filter({ hasText: "Database" });
    await database.getByText("working", { exact: true }).waitFor();
    await setReadOnly(true);
    await expect
      .poll(async () => {
        await page.clock.runFor(EVERY_MS);
        return database.getByText("not working").count();
      })
      .toBe(1);
    await page.getByText("The database is read-only: no change can be stored").waitFor();
    await setReadOnly(false);
    await expect
      .poll(async () => {
        await page.getByRole("button", { name: "Check now" }).click();
        return database.getByText("working", { exact: true }).count();
      })
      .toBe(1);
  });

  test("is not asked while nobody sees the page, and at once when it is seen again", async () => {
    const { page } = await open("guest", null, { allow: /status of 503/ });
    let asked = 0;
    page.on("request", (request) => {
      if (request.url().endsWith("/api/ready")) asked += 1;
    });
    await page.clock.install();
    await page.goto("/status");
    await page.getByText("As of").waitFor();
    await page.clock.runFor(EVERY_MS);
    await expect.poll(() => asked).toBe(2);
    await page.evaluate(becoming("hidden"));
    await page.clock.runFor(10 * EVERY_MS);
    expect(asked).toBe(2);
    await page.evaluate(becoming("visible"));
    await expect.poll(() => asked).toBe(3);
    await page.clock.runFor(EVERY_MS);
    await expect.poll(() => asked).toBe(4);
  });
});

/** What a browser does when its window is covered or shown. */
function becoming(state: "hidden" | "visible"): string {
  return `Object.defineProperty(document, "hidden", { configurable: true, value: ${state === "hidden"} });
    document.dispatchEvent(new Event("visibilitychange"));`;
}
