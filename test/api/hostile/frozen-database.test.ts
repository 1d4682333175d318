import { readdir, readFile } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type EmbeddedPostgres, startEmbeddedPostgres } from "#infra/postgres/embedded/embedded.ts";
import { newAccount, PASSWORD } from "../../support/api/accounts.ts";
import { createCatalogue, seismicEvent } from "../../support/api/catalogue.ts";
import type { Subjects } from "../../support/api/matrix.ts";
import { newSubjects } from "../../support/api/subjects.ts";
import {
  callAll,
  expectAnswered,
  LIMIT_MS,
  lateOf,
  type Timed,
  timed,
} from "../../support/api/timed-answers.ts";
import { createApiClient } from "../../support/api-client.ts";
import { withClient, withDatabase } from "../../support/database-template.ts";
import { serverPid } from "../../support/embedded-server.ts";
import { generateEvents } from "../../support/generate-catalogue.ts";
import { silentLogger } from "../../support/logger.ts";
import { createPreparedDataDir } from "../../support/prepared-data-dir.ts";
import { type TestService, useService } from "../../support/service.ts";
import { startTcpRelay, type TcpRelay } from "../../support/tcp-relay.ts";

/**
 * Stops all processes of a PostgreSQL server as SIGSTOP does: its connections stay open, and nothing
 * answers on them.
 * @param postmaster process number of the server
 * @returns lets it go on
 */
async function freezeServer(postmaster: number): Promise<() => void> {
  // The parent first: it starts no further ones then.
  process.kill(postmaster, "SIGSTOP");
  const children = await childrenOf(postmaster);
  for (const pid of children) process.kill(pid, "SIGSTOP");
  return () => {
    for (const pid of [...children, postmaster]) process.kill(pid, "SIGCONT");
  };
}

async function childrenOf(parent: number): Promise<number[]> {
  const children: number[] = [];
  for (const name of await readdir("/proc")) {
    const status = await readFile(`/proc/${name}/status`, "utf8").catch(() => "");
    if (/^PPid:\t(\d+)$/m.exec(status)?.[1] === String(parent)) children.push(Number(name));
  }
  return children;
}

/** Of these the service has one connection each: a second would be one that it has lost sight of. */
const LONELY = ["event-log listener", "gateway presence", "lease projection catalogues", "watch"];

/** Writes of every kind that take several steps; what they would make is looked for afterwards. */
function writes(
  service: TestService,
  token: string,
  round: string,
  { otherCatalogue, catalogue, user }: Subjects,
): Promise<Timed[]> {
  const [admin, guest] = [createApiClient(service.url, token), createApiClient(service.url)];
  const events = Array.from({ length: 3_000 }, (_, i) => seismicEvent({ source_id: `e${i}` }));
  const config = { timeThreshold: 1, distanceThreshold: 1, mergeStrategy: "quality", priority: "" };
  const sourceCatalogues = [
    { id: catalogue, source: "one" },
    { id: otherCatalogue, source: "other" },
  ];
  const merge = { name: `merge ${round}`, sourceCatalogues, config };
  const email = `${round}@frozen.example.org`;
  return Promise.all([
    timed("small", admin.send("POST", "/api/catalogues", { name: `small ${round}`, events: [] })),
    timed("large", admin.send("POST", "/api/catalogues", { name: `large ${round}`, events })),
    timed("add", admin.send("POST", `/api/catalogues/${catalogue}/events`, { events })),
    timed("merge", admin.send("POST", "/api/merge", merge)),
    timed(
      "keyed",
      admin.send(
        "POST",
        "/api/catalogues",
        { name: `keyed ${round}`, events: [] },
        { "idempotency-key": round },
      ),
    ),
    timed(
      "register",
      guest.send("POST", "/api/auth/register", { name: round, email, password: PASSWORD }),
    ),
    timed("delete", admin.send("DELETE", `/api/users/${user}`)),
  ]);
}

/** @param lose takes the database away; its answer gives it back */
function answersInTime(service: TestService, lose: () => Promise<() => void>): void {
  const isWell = async () => {
    const { status } = await createApiClient(service.url).get("/api/ready");
    return status;
  };
  const lonelySessions = () =>
    withClient(service.databaseUrl, async (client) => {
      const { rows } = await client.query<{ name: string; sessions: number }>(
        `select application_name as name, count(*)::int as sessions from pg_stat_activity
         where datname = current_database() and application_name = any($1)
         group by 1 order by application_name collate "C"`,
        [LONELY],
      );
      return rows.map(({ name, sessions }) => [name, sessions]);
    });
  const openRevisions = () =>
    withClient(service.databaseUrl, async (client) => {
      const { rows } = await client.query<{ count: number }>(
        "select count(*)::int as count from read_model.catalogues where open_revision is not null",
      );
      return rows[0]?.count;
    });

  test("a service that has lost its database answers every request within 10 s, at its beginning and later, and is well afterwards", async () => {
    const subjects = await newSubjects(service);
    const account = await newAccount(service, "admin");
    const { token } = await account.signIn();
    // Connections are open: they are what hangs.
    await createApiClient(service.url, token).get(`/api/catalogues/${subjects.catalogue}/events`);
    const goOn = await lose();
    try {
      expectAnswered(await callAll(service, token, subjects));
      expectAnswered(await callAll(service, token, subjects));
    } finally {
      goOn();
      await expect.poll(isWell, { timeout: 20_000 }).toBe(200);
    }
    await expect.poll(lonelySessions, { timeout: 20_000 }).toEqual(LONELY.map((name) => [name, 1]));
    const admin = await service.loginAs("admin");
    const { id } = await createCatalogue(admin);
    expect((await admin.get(`/api/catalogues/${id}/export`)).status).toBe(200);
    expect((await admin.get<{ users: [] }>("/api/users")).status).toBe(200);
  });

  test("a service that has lost its database cuts off within 10 s what it has begun to send", async () => {
    const editor = await service.loginAs("editor");
    // More than what lies between the database and a client that does not read.
    const { id } = await createCatalogue(editor, { events: [...generateEvents(1, 100_000)] });
    const answer = await editor.stream(`/api/catalogues/${id}/export?format=json`);
    expect(answer.status).toBe(200);
    const goOn = await lose();
    const begun = performance.now();
    try {
      await expect(answer.text()).rejects.toThrow("terminated");
    } finally {
      goOn();
    }
    expect(performance.now() - begun).toBeLessThan(LIMIT_MS);
    await expect.poll(isWell, { timeout: 20_000 }).toBe(200);
  });

  test.each([5, 40, 150])(
    "a service that has lost its database leaves no write half done that it met %d ms after its beginning",
    async (ms) => {
      const subjects = await newSubjects(service);
      const account = await newAccount(service, "admin");
      const { token } = await account.signIn();
      const round = `${ms}-${Date.now()}`;
      const writing = writes(service, token, round, subjects);
      await delay(ms);
      const goOn = await lose();
      const answers = await writing.finally(goOn);
      expect(lateOf(answers)).toEqual([]);
      await expect.poll(isWell, { timeout: 20_000 }).toBe(200);
      // What was under way is taken back within moments.
      await expect.poll(openRevisions, { timeout: 20_000 }).toBe(0);
      await expectWholeCatalogues(service, answers, round);
      await expectWholeAccount(service, `${round}@frozen.example.org`);
      await expectDeletable(service, subjects.user);
    },
  );
}

/** Each is there once or not at all; one that was answered as made is there. */
async function expectWholeCatalogues(
  service: TestService,
  answers: readonly Timed[],
  round: string,
): Promise<void> {
  const admin = await service.loginAs("admin");
  const { body } = await admin.get<{ catalogues: { name: string; status: string }[] }>(
    `/api/catalogues?search=${round}&pageSize=100`,
  );
  for (const name of ["small", "large", "keyed", "merge"]) {
    const statuses = body.catalogues
      .filter((catalogue) => catalogue.name === `${name} ${round}`)
      .map(({ status }) => status);
    const answer = answers.find((each) => each.name === name)?.answer;
    const isMade = answer !== undefined && answer.status < 300;
    if (isMade) expect(statuses).toEqual(["active"]);
    else expect([[], ["active"], ["error"]]).toContainEqual(statuses);
  }
  const form = { name: `keyed ${round}`, events: [] };
  const again = await admin.send("POST", "/api/catalogues", form, { "idempotency-key": round });
  expect(again.status).toBe(201);
}

/** A deletion that was not done can be done. */
async function expectDeletable(service: TestService, user: string): Promise<void> {
  const admin = await service.loginAs("admin");
  expect([200, 404]).toContain((await admin.send("DELETE", `/api/users/${user}`)).status);
  expect((await admin.get(`/api/users/${user}`)).status).toBe(404);
}

/** Whoever could not register can try again, and can then sign in. */
async function expectWholeAccount(service: TestService, email: string): Promise<void> {
  const guest = createApiClient(service.url);
  const form = { name: "again", email, password: PASSWORD };
  const again = await guest.send("POST", "/api/auth/register", form);
  expect([201, 409]).toContain(again.status);
  expect((await guest.send("POST", "/api/auth/login", form)).status).toBe(200);
}

let server: EmbeddedPostgres;
let pid: number;
let directory: Awaited<ReturnType<typeof createPreparedDataDir>>;
let relay: TcpRelay;
/** Of the services whose connections go through the relay. */
const SWALLOWED = "swallowed";
const STOPPED = "stopped";

beforeAll(async () => {
  directory = await createPreparedDataDir();
  server = await startEmbeddedPostgres({ dataDir: directory.path, log: silentLogger() });
  pid = await serverPid(directory.path);
  await withClient(server.url, async (client) => {
    for (const name of [SWALLOWED, STOPPED]) await client.query(`create database ${name}`);
  });
  relay = await startTcpRelay(() => Number(new URL(server.url).port));
});
afterAll(async () => {
  await relay.close();
  await server.stop();
  await directory.remove();
});

describe("with all processes of PostgreSQL frozen", () => {
  answersInTime(useService({}, { databaseUrl: () => server.url }), () => freezeServer(pid));
});

function throughRelay(name: string): TestService {
  const databaseUrl = () => {
    const url = new URL(withDatabase(server.url, name));
    url.port = String(relay.port);
    return url.href;
  };
  return useService({}, { databaseUrl });
}

describe("with a network that swallows everything", () => {
  answersInTime(throughRelay(SWALLOWED), async () => relay.stall());
});

describe("with a PostgreSQL that is stopped", () => {
  answersInTime(throughRelay(STOPPED), async () => relay.refuse());
});
