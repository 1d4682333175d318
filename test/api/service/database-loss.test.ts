import { escapeIdentifier } from "pg";
import { expect, inject, test, vi } from "vitest";
import type { ReadinessReport } from "#contracts/http/service.ts";
import { createCatalogue } from "../../support/api/catalogue.ts";
import { expectRefusal } from "../../support/api/refusal.ts";
import { createApiClient } from "../../support/api-client.ts";
import { withClient } from "../../support/database-template.ts";
import { useService } from "../../support/service.ts";

const service = useService();

/** Longer than the pauses between the service's attempts to connect. */
const RECOVERY_MS = 20_000;

/** Shuts the service's database to everybody, or opens it again. */
async function allowConnections(allowed: boolean): Promise<void> {
  const name = new URL(service.databaseUrl).pathname.slice(1);
  await withClient(inject("databaseUrl"), async (admin) => {
    await admin.query(`alter database ${escapeIdentifier(name)} with allow_connections ${allowed}`);
    if (allowed) return;
    await admin.query("select pg_terminate_backend(pid) from pg_stat_activity where datname = $1", [
      name,
    ]);
  });
}

test("without its database the service is alive but not ready, tells no inside, and comes back", async () => {
  const guest = createApiClient(service.url);
  const editor = await service.loginAs("editor");
  await allowConnections(false);

  const { status, body } = await guest.get<ReadinessReport>("/api/ready");
  expect(status).toBe(503);
  expect(body.status).toBe("not_ready");
  expect(body.checks.slice(0, 3)).toMatchObject([
    { name: "database", status: "unhealthy", message: expect.stringMatching(/\S/) },
    { name: "agency_api", status: "healthy" },
    { name: "memory", status: "healthy" },
  ]);
  expect((await guest.get("/api/health")).status).toBe(200);
  // Also to whoever brings a token, which nobody can look up now.
  expect((await editor.get("/api/health")).status).toBe(200);
  expect((await editor.get("/api/ready")).status).toBe(503);
  expectRefusal(await guest.get("/api/catalogues"), "DATABASE_ERROR");
  const refused = await editor.send("POST", "/api/catalogues", { name: "x", events: [] });
  expectRefusal(refused, "DATABASE_ERROR");
  const form = { name: "a", email: "a@example.org", password: "long enough" };
  const registration = await guest.send("POST", "/api/auth/register", form);
  expect(registration).toMatchObject({ status: 500, body: { error: "Registration failed" } });
  const answers = JSON.stringify([body, refused.body, registration.body]);
  expect(answers).not.toMatch(/ECONN|postgres|select|permission|127\.0\.0\.1/i);

  await allowConnections(true);
  await vi.waitFor(async () => expect((await guest.get("/api/ready")).status).toBe(200), {
    timeout: RECOVERY_MS,
    interval: 100,
  });
  expect((await createCatalogue(editor)).version).toBe(1);
}, 60_000);
