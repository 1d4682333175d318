import { readFile, stat, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { zstdDecompressSync } from "node:zlib";
import { describe, expect, onTestFinished, test } from "vitest";
import type { Logger } from "#infra/logging/logger.ts";
import { newAccount, PASSWORD } from "../api/support/accounts.ts";
import { createCatalogue, seismicEvent } from "../api/support/catalogue.ts";
import { createApiClient, signIn } from "../support/api-client.ts";
import { createTestDatabase } from "../support/database.ts";
import { withClient } from "../support/database-template.ts";
import { startEventStoreServer } from "../support/eventstore/event-store-server.ts";
import { generateEvents } from "../support/generate-catalogue.ts";
import { collectingLogger } from "../support/logger.ts";
import { type TestService, useService } from "../support/service.ts";
import { ADMIN, startTestService } from "../support/start-test-service.ts";
import { createTemporaryDirectory } from "../support/temporary-directory.ts";
import { cli } from "./cli/use-cli.ts";

const service = useService();
const stored = useService({}, { eventLog: "eventstoredb" });

const variablesOf = ({ databaseUrl, log }: TestService) => ({
  DATABASE_URL: databaseUrl,
  ...log.variables,
});

async function temporaryFile(name = "backup"): Promise<string> {
  const directory = await createTemporaryDirectory();
  onTestFinished(() => directory.remove());
  return join(directory.path, name);
}

/** A backup of a service while it runs. */
async function backedUp(of: TestService = service): Promise<string> {
  const file = await temporaryFile();
  const { exitCode, lines } = await cli(variablesOf(of), "backup", file);
  expect([exitCode, lines[0]]).toEqual([
    0,
    expect.stringMatching(/\d+ rows, sha256 [0-9a-f]{64}, read again and found as written$/),
  ]);
  return file;
}

async function emptyDatabase(): Promise<string> {
  const database = await createTestDatabase({ empty: true });
  onTestFinished(database.drop);
  return database.url;
}

/** The service on a database, without making its administrator; stopped after the test. */
async function started(
  variables: Readonly<Record<string, string>> & { readonly DATABASE_URL: string },
  logger?: Logger,
): Promise<string> {
  const own = {
    JWT_SECRET: "a secret of the restored service, 32 long",
    CREATE_ADMIN_USER: "false",
  };
  const { url, stop } = await startTestService({ ...own, ...variables }, logger);
  onTestFinished(() => stop().then(() => undefined));
  return url;
}

const tableNames = (url: string) =>
  withClient(url, async (client) => {
    const { rows } = await client.query(
      `select nspname from pg_namespace
       where nspname !~ '^pg_' and nspname not in ('information_schema', 'public')
       union all select tablename from pg_tables where schemaname = 'public'`,
    );
    return rows;
  });

describe("a backup that was taken while the service runs", () => {
  test("a backup that was taken while the service runs is restored into an empty database as the same catalogues, versions and accounts", async () => {
    const editor = await service.loginAs("editor");
    const created = await createCatalogue(editor, {
      name: "地震 \\N é",
      is_public: true,
      events: [...generateEvents(7, 2_000)],
    });
    const path = `/api/catalogues/${created.id}`;
    await editor.send("POST", `${path}/events`, { events: [seismicEvent()] });
    const account = await newAccount(service, "viewer");
    const file = await backedUp();
    const later = await createCatalogue(editor, { events: [] });
    const exported = (url: string, asOf: number) =>
      createApiClient(url).get(`${path}/events/filtered?asOf=${asOf}&limit=10000`);
    const before = [await exported(service.url, 1), await exported(service.url, 2)];

    const databaseUrl = await emptyDatabase();
    const restored = await cli({ DATABASE_URL: databaseUrl }, "restore", file);
    expect([restored.exitCode, restored.lines.at(-1)]).toEqual([
      0,
      "The backup is restored; start the service.",
    ]);
    const url = await started({ DATABASE_URL: databaseUrl });
    expect(await exported(url, 1)).toMatchObject({ status: 200, body: before[0]?.body });
    expect(await exported(url, 2)).toMatchObject({ status: 200, body: before[1]?.body });
    const guest = createApiClient(url);
    expect((await guest.get(path)).body).toMatchObject({ name: "地震 \\N é", version: 2 });
    expect((await guest.get(`/api/catalogues/${later.id}`)).status).toBe(404);
    const tag = (await guest.get(`${path}/events`)).headers.get("etag");
    expect(tag).toMatch(/^"2-[0-9a-f]+"$/);
    const viewer = await signIn(url, { email: account.email, password: PASSWORD });
    expect((await viewer.get(`${path}/export`)).status).toBe(200);
    const admin = await signIn(url, {
      email: "admin@example.org",
      password: "a long admin password",
    });
    const added = await admin.send("POST", `${path}/events`, { events: [seismicEvent()] });
    expect(added).toMatchObject({ status: 200, body: { version: 3 } });
  });

  test("a backup that was taken while the service runs holds one moment of a database that is written to meanwhile", async () => {
    const editor = await service.loginAs("editor");
    let writing = true;
    const writes = Array.from({ length: 4 }, async () => {
      while (writing) await createCatalogue(editor, { events: [...generateEvents(3, 200)] });
    });
    const file = await backedUp();
    writing = false;
    await Promise.all(writes);
    const { exitCode } = await cli({ DATABASE_URL: await emptyDatabase() }, "restore", file);
    expect(exitCode).toBe(0);
  });

  test("a backup that was taken while the service runs holds no session, no reset link and no address in clear, and only its owner can read it", async () => {
    const { email } = await newAccount(service, "viewer");
    const file = await backedUp();
    const text = zstdDecompressSync(await readFile(file)).toString();
    expect(text).toContain('"table":"vault.user_keys"');
    expect(text).not.toMatch(/vault\.sessions|vault\.reset_tokens|read_model\./);
    expect(text).not.toContain(email);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
  });
});

test("what an earlier backup has left unfinished makes no later one readable for others", async () => {
  const file = await temporaryFile();
  await writeFile(`${file}.partial`, "cut off", { mode: 0o644 });
  expect((await cli(variablesOf(service), "backup", file)).exitCode).toBe(0);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
});

describe("a restore", () => {
  test("a restore is refused into a database that holds anything", async () => {
    const file = await backedUp();
    const database = await createTestDatabase();
    onTestFinished(database.drop);
    const restore = cli({ DATABASE_URL: database.url }, "restore", file);
    await expect(restore).rejects.toThrow(/^the database is not empty: it has the table /);
  });

  test.each([
    ["was cut off", async (file: string) => truncate(file, (await stat(file)).size - 40)],
    [
      "has changed by one bit",
      async (file: string) => {
        const bytes = await readFile(file);
        const at = bytes.length >> 1;
        bytes[at] = (bytes[at] ?? 0) ^ 1;
        await writeFile(file, bytes);
      },
    ],
    ["is of another kind", (file: string) => writeFile(file, "id,time\n1,2\n")],
  ])("a restore of a file that %s is refused and leaves the database empty", async (_, spoil) => {
    const file = await backedUp();
    await spoil(file);
    const databaseUrl = await emptyDatabase();
    const restore = cli({ DATABASE_URL: databaseUrl }, "restore", file);
    await expect(restore).rejects.toThrow(/was cut off|has changed|is not a backup/);
    expect(await tableNames(databaseUrl)).toEqual([]);
  });

  test("a restore that fails on its way, here for another event store, leaves the database empty", async () => {
    const file = await backedUp(stored);
    const databaseUrl = await emptyDatabase();
    const server = await startEventStoreServer();
    onTestFinished(() => server.stop());
    const env = { DATABASE_URL: databaseUrl, EVENTSTORE_URL: server.url };
    await expect(cli(env, "restore", file)).rejects.toThrow(/is another log/);
    expect(await tableNames(databaseUrl)).toEqual([]);
  });

  test("a restore is refused where the log is configured elsewhere than the backup has it", async () => {
    const [inside, beside] = [await backedUp(), await backedUp(stored)];
    const databaseUrl = await emptyDatabase();
    const store = { DATABASE_URL: databaseUrl, EVENTSTORE_URL: "esdb://127.0.0.1:9?tls=false" };
    await expect(cli(store, "restore", inside)).rejects.toThrow("EVENTSTORE_URL must not be set");
    const none = { DATABASE_URL: databaseUrl };
    await expect(cli(none, "restore", beside)).rejects.toThrow("EVENTSTORE_URL must be set");
  });

  test("a restore makes the database of a new DATA_DIR, and is refused where there is one", async () => {
    const file = await backedUp();
    const dataDir = await temporaryFile("data");
    expect((await cli({ DATA_DIR: dataDir }, "restore", file)).exitCode).toBe(0);
    expect((await cli({ DATA_DIR: dataDir }, "verify")).exitCode).toBe(0);
    const again = cli({ DATA_DIR: dataDir }, "restore", file);
    await expect(again).rejects.toThrow("DATA_DIR has a database already");
  });
});

test("a backup does not replace a file", async () => {
  const file = await backedUp();
  await expect(cli(variablesOf(service), "backup", file)).rejects.toThrow(`${file} exists`);
});

test("beside an event store a backup holds what only PostgreSQL has, and is made whole from the log", async () => {
  const editor = await stored.loginAs("editor");
  const created = await createCatalogue(editor, { is_public: true, events: [seismicEvent()] });
  const file = await backedUp(stored);
  const after = await createCatalogue(editor, { is_public: true, events: [seismicEvent()] });
  expect(zstdDecompressSync(await readFile(file)).toString()).toContain('"event_log.events":0');
  const databaseUrl = await emptyDatabase();
  const env = { ...stored.log.variables, DATABASE_URL: databaseUrl };
  expect((await cli(env, "restore", file)).exitCode).toBe(0);
  const names = await withClient(databaseUrl, async (client) => {
    const { rows } = await client.query("select id from read_model.catalogues");
    return rows.map(({ id }) => id);
  });
  expect(names).toEqual(expect.arrayContaining([created.id, after.id]));
});

test("users who registered after the backup are shown inactive, and their address registers again", async () => {
  const file = await backedUp(stored);
  const account = await newAccount(stored, "admin");
  const databaseUrl = await emptyDatabase();
  const env = { ...stored.log.variables, DATABASE_URL: databaseUrl };
  expect((await cli(env, "restore", file)).exitCode).toBe(0);
  const { log, lines } = collectingLogger();
  const url = await started(env, log);
  expect(lines.map((line) => line["msg"])).toContain("1 users of the log have no key");
  const admin = await signIn(url, ADMIN);
  const shown = await admin.get<{ user: object }>(`/api/users/${account.id}`);
  expect(shown.body.user).toMatchObject({ is_active: false, role: "viewer" });
  const form = { name: "again", email: account.email, password: PASSWORD };
  const again = await createApiClient(url).send("POST", "/api/auth/register", form);
  expect(again.status).toBe(201);
  expect((await admin.get(`/api/users/${account.id}`)).status).toBe(404);
  await expect(signIn(url, form)).resolves.toBeDefined();
});
