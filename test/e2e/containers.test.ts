import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Client } from "pg";
import { describe, expect, onTestFinished, test } from "vitest";
import { openNatsSession } from "#infra/brokers/nats.ts";
import { loadConfig } from "#infra/config/config.ts";
import { freePort } from "#infra/postgres/embedded/embedded.ts";
import { createLifecycle } from "#infra/process/lifecycle.ts";
import { startService } from "#services/start-service.ts";
import { createApiClient } from "../support/api-client.ts";
import { withClient } from "../support/database-template.ts";
import { startForTest } from "../support/embedded-server.ts";
import { silentLogger } from "../support/logger.ts";
import { startNatsServer } from "../support/nats-server.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";

const ROOT = join(import.meta.dirname, "../..");
const PASSWORD = "2024";

describe("the role that create-database.sql makes", () => {
  test("the role that create-database.sql makes is an ordinary one, and all that the service needs", async () => {
    const dataDir = await temporaryDirectory();
    const url = new URL((await startForTest(dataDir)).url);
    const superuser = new URL(url);
    superuser.username = "postgres";
    superuser.pathname = "/postgres";
    await withClient(superuser.href, makeDatabase);
    url.password = PASSWORD;
    await withClient(url.href, async (client) => {
      const { rows } = await client.query(
        `select rolsuper or rolcreaterole or rolcreatedb or rolreplication or rolbypassrls as more
         from pg_roles where rolname = current_user`,
      );
      expect(rows).toEqual([{ more: false }]);
    });
    const lifecycle = createLifecycle({ log: silentLogger(), timeoutMs: 10_000 });
    onTestFinished(async () => void (await lifecycle.stop()));
    const service = await startService({
      config: loadConfig({
        DATABASE_URL: url.href,
        JWT_SECRET: "a secret of this test alone, 32 long",
        PUBLIC_BASE_URL: "http://localhost",
        PORT: "0",
      }),
      databaseUrl: url.href,
      lifecycle,
      logger: silentLogger(),
      onFatal: () => {},
    });
    const guest = createApiClient(service.url ?? "");
    expect((await guest.get("/api/catalogues")).status).toBe(200);
    await expect.poll(async () => (await guest.get("/api/ready")).status).toBe(200);
  });
});

/** Runs the script as psql does; the embedded cluster's own role and database make way for it. */
async function makeDatabase(client: Client): Promise<void> {
  const script = await readFile(join(ROOT, "infra/docker/create-database.sql"), "utf8");
  const statements = script
    .replace(/^\\getenv password SERVICE_PASSWORD$/m, "")
    .replaceAll(":'password'", client.escapeLiteral(PASSWORD))
    .split(/(?<=;)\n/);
  await client.query("drop database earthquakes");
  await client.query("drop role earthquakes");
  for (const statement of statements) await client.query(statement);
}

describe("the broker of nats.conf", () => {
  test("the broker of nats.conf lets in who has the password, digits alone too, and nobody else", async () => {
    const config = join(ROOT, "infra/docker/nats.conf");
    const monitoring = await freePort();
    const broker = await startNatsServer(["--config", config, "--http_port", `${monitoring}`], {
      NATS_PASSWORD: `"${PASSWORD}"`,
    });
    onTestFinished(broker.stop);
    const port = new URL(broker.url).port;
    const open = (user: string) => openNatsSession(`nats://${user}127.0.0.1:${port}`, "test");
    const session = await open(`earthquakes:${PASSWORD}@`);
    const { memory } = await (await session.connection.jetstreamManager()).getAccountInfo();
    expect(memory).toBe(0);
    await session.close();
    await expect(open("")).rejects.toThrow("Authorization Violation");
    await expect(open("earthquakes:2025@")).rejects.toThrow("Authorization Violation");
  });
});
