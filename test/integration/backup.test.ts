import { readFile, stat, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { zstdDecompressSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import type { ReadinessReport } from "#contracts/http/service.ts";
import type { VersionRecord } from "#contracts/http/versions.ts";
import type { Logger } from "#infra/process/logger.ts";
import { newAccount, PASSWORD } from "../support/api/accounts.ts";
import { createCatalogue, seismicEvent } from "../support/api/catalogue.ts";
import { type ApiClient, createApiClient, signIn } from "../support/api-client.ts";
import { smallBulletin } from "../support/bulletins/small-bulletin.ts";
import { tangledBulletin } from "../support/bulletins/tangled-bulletin.ts";
import { cli } from "../support/cli.ts";
import { createTestDatabase } from "../support/database.ts";
import { withClient } from "../support/database-template.ts";
import { startEventStoreServer } from "../support/eventstore/event-store-server.ts";
import { generateEvents } from "../support/generate-catalogue.ts";
import { collectingLogger } from "../support/logger.ts";
import { everyMember } from "../support/quakeml/every-member.ts";
import { type TestService, useService } from "../support/service.ts";
import { ADMIN, startTestService } from "../support/start-test-service.ts";
import { createTemporaryDirectory } from "../support/temporary-directory.ts";

const BULLETINS = [smallBulletin(), tangledBulletin(), everyMember()];

/** A running service with a catalogue of two versions and an account, and a backup of it. */
function useBackup(eventLog: "postgres" | "eventstoredb", events: number) {
  const service = useService({}, { eventLog });
  let directory: Awaited<ReturnType<typeof createTemporaryDirectory>>;
  let made: { readonly path: string; readonly email: string; readonly file: string };
  beforeAll(async () => {
    directory = await createTemporaryDirectory();
    const editor = await service.loginAs("editor");
    const { id } = await createCatalogue(editor, {
      name: "地震 \\N é",
      is_public: true,
      events: [...BULLETINS.map((bulletin) => ({ bulletin })), ...generateEvents(7, events)],
    });
    const path = `/api/catalogues/${id}`;
    const added = { events: [seismicEvent({ region: "地震 é" })] };
    expect((await editor.send("POST", `${path}/events`, added)).status).toBe(200);
    const { email } = await newAccount(service, "viewer");
    const file = join(directory.path, "backup");
    const { exitCode, lines } = await cli(variablesOf(service), "backup", file);
    expect([exitCode, lines[0]]).toEqual([
      0,
      expect.stringMatching(/\d+ rows, sha256 [0-9a-f]{64}, read again and found as written$/),
    ]);
    made = { path, email, file };
  });
  afterAll(() => directory.remove());
  return { service, made: () => made };
}

const inDatabase = useBackup("postgres", 300);
const inStore = useBackup("eventstoredb", 50);

const variablesOf = ({ databaseUrl, log }: TestService) => ({
  DATABASE_URL: databaseUrl,
  ...log.variables,
});

async function temporaryFile(name: string): Promise<string> {
  const directory = await createTemporaryDirectory();
  onTestFinished(() => directory.remove());
  return join(directory.path, name);
}

async function emptyDatabase(): Promise<string> {
  const database = await createTestDatabase({ empty: true });
  onTestFinished(database.drop);
  return database.url;
}

/** The service on a restored database, stopped after the test. */
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

/** All that is to be the same in a restored service. */
async function stateOf(client: ApiClient, path: string) {
  const queries = ["json&include=bulletin&asOf=1", "json&include=bulletin&asOf=2", "isf"];
  const exports = queries.map(async (query) => {
    const answer = await client.stream(`${path}/export?format=${query}`);
    expect(answer.status).toBe(200);
    return answer.text();
  });
  const hashes = [1, 2].map(async (version) => {
    const { body } = await client.get<{ version: VersionRecord }>(`${path}/versions/${version}`);
    return body.version.sha256;
  });
  return { exports: await Promise.all(exports), hashes: await Promise.all(hashes) };
}

/** The hashes of versions are reckoned anew. */
const forgetHashes = (databaseUrl: string) =>
  withClient(databaseUrl, (client) => client.query("delete from operations.version_hashes"));

/** A backup restored into an empty database, of which the command says that it holds. */
async function restored({ service, made }: typeof inStore) {
  const env = { ...service.log.variables, DATABASE_URL: await emptyDatabase() };
  const { exitCode, lines } = await cli(env, "restore", made().file);
  expect([exitCode, lines.at(-1)]).toEqual([0, "The backup is restored; start the service."]);
  expect((await cli(env, "verify", "catalogues")).exitCode).toBe(0);
  await forgetHashes(env.DATABASE_URL);
  return env;
}

/** Catalogue, versions, hashes, bulletins and account are there as they were. */
async function expectSame(url: string, { made }: typeof inStore, before: object): Promise<void> {
  const { path, email } = made();
  expect(await stateOf(await signIn(url, ADMIN), path)).toEqual(before);
  const guest = createApiClient(url);
  expect((await guest.get(path)).body).toMatchObject({ name: "地震 \\N é", version: 2 });
  expect((await guest.get(`${path}/events`)).headers.get("etag")).toMatch(/^"2-[0-9a-f]+"$/);
  const viewer = await signIn(url, { email, password: PASSWORD });
  expect((await viewer.get(`${path}/export`)).status).toBe(200);
}

async function stateBefore({ service, made }: typeof inStore) {
  const before = await stateOf(await service.loginAs("admin"), made().path);
  expect(before.exports[0]?.match(/"bulletin":/g)).toHaveLength(3);
  expect(new Set(before.hashes).size).toBe(2);
  return before;
}

test("a backup is restored into an empty database as the same catalogues, versions, hashes, bulletins and accounts, and goes on", async () => {
  const before = await stateBefore(inDatabase);
  const url = await started(await restored(inDatabase));
  await expectSame(url, inDatabase, before);
  const admin = await signIn(url, ADMIN);
  const further = { events: [seismicEvent()] };
  const added = await admin.send("POST", `${inDatabase.made().path}/events`, further);
  expect(added).toMatchObject({ status: 200, body: { version: 3 } });
});

describe("a backup", () => {
  test("a backup holds one moment of a database that is written to meanwhile", async () => {
    const { service } = inDatabase;
    const editor = await service.loginAs("editor");
    let writing = true;
    const ids: string[][] = [[], [], [], []];
    const writes = ids.map(async (own) => {
      const events = [...generateEvents(3, 20)];
      while (writing) own.push((await createCatalogue(editor, { events })).id);
    });
    const file = await temporaryFile("meanwhile");
    const { exitCode } = await cli(variablesOf(service), "backup", file);
    writing = false;
    await Promise.all(writes);
    expect(exitCode).toBe(0);
    const DATABASE_URL = await emptyDatabase();
    expect((await cli({ DATABASE_URL }, "restore", file)).exitCode).toBe(0);
    const { rows } = await withClient(DATABASE_URL, (client) =>
      client.query<{ id: string }>("select id from read_model.catalogues"),
    );
    const held = new Set(rows.map(({ id }) => id));
    // Of each writer the first ones, since each makes one after the other.
    for (const own of ids) {
      const there = own.filter((id) => held.has(id));
      expect(there).toEqual(own.slice(0, there.length));
    }
  });

  test("a backup holds no session, no reset link and no address in clear, only its owner can read it, and it replaces no file", async () => {
    const { service, made } = inDatabase;
    const { email, file } = made();
    const text = zstdDecompressSync(await readFile(file)).toString();
    expect(text).toContain('"table":"vault.user_keys"');
    expect(text).not.toMatch(/vault\.sessions|vault\.reset_tokens|read_model\./);
    expect(text).not.toContain(email);
    const again = cli(variablesOf(service), "backup", file);
    await expect(again).rejects.toThrow(`${file} exists`);
    // What an earlier one has left unfinished makes no later one readable for others.
    const second = await temporaryFile("second");
    await writeFile(`${second}.partial`, "cut off", { mode: 0o644 });
    expect((await cli(variablesOf(service), "backup", second)).exitCode).toBe(0);
    for (const one of [file, second]) expect((await stat(one)).mode & 0o777).toBe(0o600);
  });
});

describe("a restore", () => {
  const tableNames = (url: string) =>
    withClient(url, async (client) => {
      const { rows } = await client.query(
        `select nspname from pg_namespace
         where nspname !~ '^pg_' and nspname not in ('information_schema', 'public')
         union all select tablename from pg_tables where schemaname = 'public'`,
      );
      return rows;
    });

  test("a restore of a file that is spoilt, or that fails on its way, leaves the database empty", async () => {
    const whole = await readFile(inDatabase.made().file);
    const flipped = Buffer.from(whole);
    flipped[whole.length >> 1] = (whole[whole.length >> 1] ?? 0) ^ 1;
    const file = await temporaryFile("spoilt");
    const DATABASE_URL = await emptyDatabase();
    for (const bytes of [whole, flipped, "id,time\n1,2\n"]) {
      await writeFile(file, bytes);
      if (bytes === whole) await truncate(file, whole.length - 40);
      const restore = cli({ DATABASE_URL }, "restore", file);
      await expect(restore).rejects.toThrow(/was cut off|has changed|is not a backup/);
      expect(await tableNames(DATABASE_URL)).toEqual([]);
    }
    const other = await startEventStoreServer();
    onTestFinished(() => other.stop());
    const env = { DATABASE_URL, EVENTSTORE_URL: other.url };
    const elsewhere = cli(env, "restore", inStore.made().file);
    await expect(elsewhere).rejects.toThrow(/is another log/);
    expect(await tableNames(DATABASE_URL)).toEqual([]);
  });

  test("a restore is refused where something is, and where the log is configured elsewhere than the backup has it", async () => {
    const [{ file }, { file: beside }] = [inDatabase.made(), inStore.made()];
    const database = await createTestDatabase();
    onTestFinished(database.drop);
    const there = cli({ DATABASE_URL: database.url }, "restore", file);
    await expect(there).rejects.toThrow(/^the database is not empty: it has the table /);
    const none = { DATABASE_URL: await emptyDatabase() };
    const store = { ...none, EVENTSTORE_URL: "esdb://127.0.0.1:9?tls=false" };
    await expect(cli(store, "restore", file)).rejects.toThrow("EVENTSTORE_URL must not be set");
    await expect(cli(none, "restore", beside)).rejects.toThrow("EVENTSTORE_URL must be set");
  });

  test("a restore makes the database of a new DATA_DIR, and is refused where there is one", async () => {
    const { file } = inDatabase.made();
    const env = { DATA_DIR: await temporaryFile("data") };
    expect((await cli(env, "restore", file)).exitCode).toBe(0);
    expect((await cli(env, "verify", "users")).exitCode).toBe(0);
    const again = cli(env, "restore", file);
    await expect(again).rejects.toThrow("DATA_DIR has a database already");
  });
});

describe("beside an event store", () => {
  const { service, made } = inStore;

  test("beside an event store a backup is made whole from the log; users who registered after it are shown inactive, and their address registers again", async () => {
    const text = zstdDecompressSync(await readFile(made().file)).toString();
    expect(text).toContain('"event_log.events":0');
    const before = await stateBefore(inStore);
    const editor = await service.loginAs("editor");
    const after = await createCatalogue(editor, { is_public: true, events: [seismicEvent()] });
    const account = await newAccount(service, "admin");
    const { log, lines } = collectingLogger();
    const url = await started(await restored(inStore), log);
    await expectSame(url, inStore, before);
    expect(lines.map((line) => line["msg"])).toContain("1 users of the log have no key");
    const admin = await signIn(url, ADMIN);
    expect((await admin.get(`/api/catalogues/${after.id}`)).status).toBe(200);
    const shown = await admin.get<{ user: object }>(`/api/users/${account.id}`);
    expect(shown.body.user).toMatchObject({ is_active: false, role: "viewer" });
    const form = { name: "again", email: account.email, password: PASSWORD };
    const again = await createApiClient(url).send("POST", "/api/auth/register", form);
    expect(again.status).toBe(201);
    expect((await admin.get(`/api/users/${account.id}`)).status).toBe(404);
    await expect(signIn(url, form)).resolves.toBeDefined();
  });

  /** All of test/api runs on this log by `npm run test:eventstoredb`; here is some of it. */
  test("a service with its log in an event store reports it, changes accounts and catalogues at once, and leaves nothing in the database's own log", async () => {
    const guest = createApiClient(service.url);
    const readiness = () => guest.get<ReadinessReport>("/api/ready");
    await expect.poll(async () => (await readiness()).status).toBe(200);
    const { checks } = (await readiness()).body;
    expect(checks.map(({ name }) => name).join()).toBe(
      "database,agency_api,memory,event_store,projections,notifications,alerts,pressure",
    );
    expect(checks[3]).toMatchObject({ status: "healthy", responseTime: expect.any(Number) });
    const { id, signIn: newSession } = await newAccount(service, "viewer");
    const { client } = await newSession();
    const form = { name: "x", events: [] };
    const create = () => client.send<{ id: string }>("POST", "/api/catalogues", form);
    expect((await create()).status).toBe(403);
    const admin = await service.loginAs("admin");
    await admin.send("PATCH", `/api/users/${id}`, { role: "editor" });
    const { status, body } = await create();
    expect(status).toBe(201);
    const path = `/api/catalogues/${body.id}`;
    const total = async (query = "") =>
      (await client.get<{ total: number }>(`${path}/events?pageSize=1${query}`)).body.total;
    await client.send("POST", `${path}/events`, { events: [seismicEvent()] });
    expect([await total(), await total("&asOf=1")]).toEqual([1, 0]);
    expect((await client.send("DELETE", path)).status).toBe(200);
    expect((await client.get(path)).status).toBe(404);
    await admin.send("DELETE", `/api/users/${id}`);
    expect((await create()).status).toBe(401);
    const events = "select from event_log.events";
    const { rowCount } = await withClient(service.databaseUrl, (db) => db.query(events));
    expect(rowCount).toBe(0);
    expect(await service.log.count()).toBeGreaterThan(0);
  });
});
