import { escapeIdentifier } from "pg";
import { describe, expect, inject, test } from "vitest";
import { freePort } from "#infra/postgres/embedded/server.ts";
import { withClient } from "../support/database-template.ts";
import { useService } from "../support/service.ts";
import { openBrowser } from "./support/browser.ts";
import { hasChromium } from "./support/chromium.ts";

const port = await freePort();
const service = useService({
  ROLES: "gateway",
  PORT: String(port),
  PUBLIC_BASE_URL: `http://127.0.0.1:${port}`,
});

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

describe.skipIf(!hasChromium)("the status", () => {
  test("turns red by itself, with its reason, and green again", async () => {
    const { page, allow } = await openBrowser(service.url);
    allow(/status of 503/);
    await page.goto("/status");
    const database = page.getByRole("row").filter({ hasText: "database" });
    await database.getByText("healthy", { exact: true }).waitFor();
    await setReadOnly(true);
    await database.getByText("unhealthy").waitFor();
    await page.getByText("The database is read-only: no change can be stored").waitFor();
    await setReadOnly(false);
    await expect
      .poll(async () => {
        await page.getByRole("button", { name: "Check now" }).click();
        return database.getByText("healthy", { exact: true }).count();
      })
      .toBe(1);
  });
});
