import { escapeIdentifier } from "pg";
import { expect, inject, test, vi } from "vitest";
import type { ReadinessReport } from "#contracts/http/service.ts";
import { createApiClient } from "../../support/api-client.ts";
import { withClient } from "../../support/database-template.ts";
import { useService } from "../../support/service.ts";

const service = useService({ ROLES: "gateway" });

/** Longer than the pauses between the service's attempts to connect. */
const RECOVERY = { timeout: 20_000, interval: 100 };

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

test("a service whose database takes no change is not ready, and says so", async () => {
  const guest = createApiClient(service.url);
  const database = async () =>
    (await guest.get<ReadinessReport>("/api/ready")).body.checks.find(
      ({ name }) => name === "database",
    );
  await setReadOnly(true);
  await vi.waitFor(
    async () =>
      expect(await database()).toMatchObject({
        status: "unhealthy",
        message: "The database is read-only: no change can be stored",
      }),
    RECOVERY,
  );
  expect((await guest.get("/api/catalogues")).status).toBe(200);
  await setReadOnly(false);
  await vi.waitFor(
    async () => expect(await database()).toMatchObject({ status: "healthy" }),
    RECOVERY,
  );
});
