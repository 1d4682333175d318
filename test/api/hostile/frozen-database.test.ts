import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type EmbeddedPostgres, startEmbeddedPostgres } from "#infra/postgres/embedded/embedded.ts";
import { type ApiAnswer, createApiClient } from "../../support/api-client.ts";
import { withClient, withDatabase } from "../../support/database-template.ts";
import { serverPid } from "../../support/embedded-server.ts";
import { freezeServer } from "../../support/freeze-server.ts";
import { silentLogger } from "../../support/logger.ts";
import { createPreparedDataDir } from "../../support/prepared-data-dir.ts";
import { type TestService, useService } from "../../support/service.ts";
import { startTcpRelay, type TcpRelay } from "../../support/tcp-relay.ts";
import { MATRIX, type Subjects } from "../access/matrix.ts";
import { call, newSubjects } from "../access/subjects.ts";
import { newAccount, PASSWORD } from "../support/accounts.ts";
import { createCatalogue, seismicEvent } from "../support/catalogue.ts";

const LIMIT_MS = 10_000;

/** What is answered without a look into the database: a guest has no session to look for. */
const WITHOUT_DATABASE: ReadonlySet<string> = new Set([
  "getHealth",
  "getHealth of a guest",
  "getOpenApi of a guest",
  "getMetrics of a guest",
  "getSession of a guest",
  "logout of a guest",
  "getOgcLanding of a guest",
  "getOgcDefinition of a guest",
  "getOgcConformance of a guest",
]);

/** Of these the service has one connection each: a second would be one that it has lost sight of. */
const LONELY = ["event-log listener", "gateway presence", "lease projection catalogues", "watch"];

/** It asks for no upgrade. */
const REFUSED_AT_ONCE = "followCataloguesBySocket of a guest";

type Timed = { readonly name: string; readonly ms: number; readonly answer: ApiAnswer };

const NO_ANSWER: ApiAnswer = { status: 0, headers: new Headers(), body: null };

async function timed(name: string, asked: Promise<ApiAnswer>): Promise<Timed> {
  const begun = performance.now();
  const late = delay(1.5 * LIMIT_MS, NO_ANSWER, { ref: false });
  const answer = await Promise.race([asked.catch(() => NO_ANSWER), late]);
  return { name, ms: performance.now() - begun, answer };
}

/** Every operation of the table, as an administrator and, where guests may call it, as a guest. */
function callAll(service: TestService, token: string, subjects: Subjects): Promise<Timed[]> {
  const [admin, guest] = [createApiClient(service.url, token), createApiClient(service.url)];
  const calls = Object.entries(MATRIX).flatMap(([name, { level, request }]) => [
    timed(name, call(admin, request(subjects))),
    ...(level === "public" ? [timed(`${name} of a guest`, call(guest, request(subjects)))] : []),
  ]);
  return Promise.all(calls);
}

function lateOf(all: readonly Timed[]): string[] {
  return all.filter(({ ms }) => ms >= LIMIT_MS).map(({ name, ms }) => `${name}: ${ms} ms`);
}

/** By 500 `DATABASE_ERROR`, also as text, by registration's own sentence, or by 503, within 10 s. */
function expectAnswered(all: readonly Timed[]): void {
  expect(lateOf(all)).toEqual([]);
  const others = all.filter(({ name, answer }) => {
    if (WITHOUT_DATABASE.has(name)) return answer.status !== 200;
    if (name === REFUSED_AT_ONCE) return answer.status !== 400;
    if (answer.status === 503) return false;
    if (typeof answer.body === "string") {
      return !/^Error 500: .*\n\nA database error occurred\n/.test(answer.body);
    }
    const { code, error } = answer.body as { code?: string; error?: string };
    const isRegistration = name.startsWith("register") && error === "Registration failed";
    return answer.status !== 500 || (code !== "DATABASE_ERROR" && !isRegistration);
  });
  expect(others.map(({ name, answer: { status, body } }) => [name, status, body])).toEqual([]);
}

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

/** @param freeze lets the database stand still; its answer lets it go on */
function answersInTime(service: TestService, freeze: () => Promise<() => void>): void {
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

  test("a service whose database is frozen answers every request within 10 s, at its beginning and later, and is well afterwards", async () => {
    const subjects = await newSubjects(service);
    const account = await newAccount(service, "admin");
    const { token } = await account.signIn();
    // Connections are open: they are what hangs.
    await createApiClient(service.url, token).get(`/api/catalogues/${subjects.catalogue}/events`);
    const goOn = await freeze();
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

  test.each([5, 40, 150])(
    "a service whose database is frozen leaves no write half done that it met %d ms after its beginning",
    async (ms) => {
      const subjects = await newSubjects(service);
      const account = await newAccount(service, "admin");
      const { token } = await account.signIn();
      const round = `${ms}-${Date.now()}`;
      const writing = writes(service, token, round, subjects);
      await delay(ms);
      const goOn = await freeze();
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
const OTHER_DATABASE = "through_relay";

beforeAll(async () => {
  directory = await createPreparedDataDir();
  server = await startEmbeddedPostgres({ dataDir: directory.path, log: silentLogger() });
  pid = await serverPid(directory.path);
  await withClient(server.url, (client) => client.query(`create database ${OTHER_DATABASE}`));
  relay = await startTcpRelay(() => Number(new URL(server.url).port));
});
afterAll(async () => {
  await relay.close();
  await server.stop();
  await directory.remove();
});

describe("with all processes of PostgreSQL stopped", () => {
  answersInTime(useService({}, { databaseUrl: () => server.url }), () => freezeServer(pid));
});

describe("with a network that swallows everything", () => {
  const throughRelay = () => {
    const url = new URL(withDatabase(server.url, OTHER_DATABASE));
    url.port = String(relay.port);
    return url.href;
  };
  answersInTime(useService({}, { databaseUrl: throughRelay }), async () => relay.stall());
});
