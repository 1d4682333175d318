import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type EmbeddedPostgres, startEmbeddedPostgres } from "#infra/postgres/embedded/embedded.ts";
import { newAccount } from "../../support/api/accounts.ts";
import { createCatalogue } from "../../support/api/catalogue.ts";
import { newSubjects } from "../../support/api/subjects.ts";
import { callAll, lateOf, type Timed, timed } from "../../support/api/timed-answers.ts";
import { createApiClient } from "../../support/api-client.ts";
import { withClient, withDatabase } from "../../support/database-template.ts";
import { serverPid } from "../../support/embedded-server.ts";
import { silentLogger } from "../../support/logger.ts";
import { createPreparedDataDir } from "../../support/prepared-data-dir.ts";
import { useService } from "../../support/service.ts";

let server: EmbeddedPostgres;
let directory: Awaited<ReturnType<typeof createPreparedDataDir>>;

beforeAll(async () => {
  directory = await createPreparedDataDir();
  server = await startEmbeddedPostgres({ dataDir: directory.path, log: silentLogger() });
  await withClient(server.url, (client) => client.query("create database lonely"));
});
afterAll(async () => {
  await server.stop();
  await directory.remove();
});

/** Stops processes as SIGSTOP does while `use` runs. */
async function whileFrozen(pids: readonly number[], use: () => Promise<void>): Promise<void> {
  for (const pid of pids) process.kill(pid, "SIGSTOP");
  try {
    await use();
  } finally {
    for (const pid of pids) process.kill(pid, "SIGCONT");
  }
}

function expectInTime(all: readonly Timed[]): void {
  expect(lateOf(all)).toEqual([]);
  expect(all.filter(({ answer }) => answer.status === 0)).toEqual([]);
}

describe("with a postmaster that is frozen while connections go on", () => {
  const service = useService({}, { databaseUrl: () => server.url });

  test("every request is answered within 10 s, and the service is well afterwards", async () => {
    const subjects = await newSubjects(service);
    const account = await newAccount(service, "admin");
    const { token } = await account.signIn();
    await whileFrozen([await serverPid(directory.path)], async () => {
      expectInTime(await callAll(service, token, subjects));
      expectInTime(await callAll(service, token, subjects));
    });
    const isWell = async () => (await createApiClient(service.url).get("/api/ready")).status;
    await expect.poll(isWell, { timeout: 20_000 }).toBe(200);
    const admin = await service.loginAs("admin");
    await expect.poll(async () => (await admin.get("/api/users")).status).toBe(200);
  });
});

describe("with one process of PostgreSQL that is frozen", () => {
  const service = useService({}, { databaseUrl: () => withDatabase(server.url, "lonely") });

  test.each(["lookups", "vault", "event-log reads"])(
    "requests are answered within 10 s where it is of the connections named %s, and again soon",
    async (name) => {
      const admin = await service.loginAs("admin");
      const { id } = await createCatalogue(admin);
      const paths = ["/versions", "/versions/1", "/events", "/events/filtered", "/events/columns"];
      const askAll = () =>
        Promise.all(paths.map((path) => timed(path, admin.get(`/api/catalogues/${id}${path}`))));
      await askAll();
      const pids = await withClient(service.databaseUrl, async (client) => {
        const { rows } = await client.query<{ pid: number }>(
          `select pid from pg_stat_activity
           where datname = current_database() and application_name = $1`,
          [name],
        );
        return rows.map(({ pid }) => pid);
      });
      expect(pids.length).toBeGreaterThan(0);
      await whileFrozen(pids, async () => {
        expectInTime(await askAll());
        const again = await askAll();
        expectInTime(again);
        expect(again.map(({ answer }) => answer.status)).toEqual(paths.map(() => 200));
      });
    },
  );
});
