import { randomUUID } from "node:crypto";
import { type DatabasePool, sql } from "slonik";
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { type EventLog, type Position, START } from "#infra/log/event-log.ts";
import { openSession, type Session } from "#infra/postgres/connection.ts";
import { createDatabase, createPgPool } from "#infra/postgres/pool.ts";
import { projectionStates, waitForPosition } from "#projections/engine/progress.ts";
import type { Projection } from "#projections/engine/projection.ts";
import { runProjection } from "#projections/engine/run.ts";
import { projectionsCheck } from "#services/gateway/health/checks.ts";
import { useDatabase } from "../support/database.ts";
import { createInMemoryEventLog } from "../support/in-memory-event-log.ts";
import { silentLogger } from "../support/logger.ts";

const SECOND = 1_000;
const START_TIME = Date.UTC(2026, 0, 1);

const database = useDatabase();
let pool: DatabasePool;
let holder: Session;
let log: EventLog;
let time: number;

beforeAll(async () => {
  pool = await createDatabase(database.url, { applicationName: "projections-check-test" });
  holder = await openSession(database.url, "holder of leases");
});

afterAll(() => Promise.all([pool.end(), holder.close()]));

beforeEach(async () => {
  await pool.query(sql.unsafe`
    truncate read_model.checkpoints, read_model.parked_events, coordination.leases`);
  for (const projection of ["catalogues", "users"]) await putLease(projection, HOUR);
  log = createInMemoryEventLog();
  time = START_TIME;
  onTestFinished(() => log.close());
});

const now = () => new Date(time);

const HOUR = 3_600;

/** The lease of a projection, whose holder lives, and has it for so many seconds more. */
async function putLease(projection: string, seconds: number): Promise<void> {
  await pool.query(sql.unsafe`
    insert into coordination.leases as l
      (name, holder, number, backend_pid, backend_start, expires_at)
    select ${`projection ${projection}`}, 'one', 1, pid, backend_start,
      clock_timestamp() + ${seconds} * interval '1 s'
    from pg_stat_activity where application_name = 'holder of leases'
    on conflict (name) do update set expires_at = excluded.expires_at`);
}

async function append(type = "UserRegistered"): Promise<Position> {
  const at = now().toISOString();
  const metadata = { schemaVersion: 1, commandId: randomUUID(), actor: "system", at };
  const event = { id: randomUUID(), type, data: {}, metadata };
  return (await log.append(`user-${randomUUID()}`, -1, [event])).position;
}

/** Puts the checkpoint of a projection at `position`, as of now. */
async function moveTo(projection: string, position: Position): Promise<void> {
  await pool.query(sql.unsafe`
    insert into read_model.checkpoints (projection, position, updated_at)
    values (${projection}, ${position}, ${now().toISOString()}::timestamptz)
    on conflict (projection) do update
      set position = excluded.position, updated_at = excluded.updated_at`);
}

async function allMoveTo(position: Position): Promise<void> {
  for (const projection of ["users", "catalogues"]) await moveTo(projection, position);
}

async function park(projection: string, position: string): Promise<void> {
  await pool.query(sql.unsafe`
    insert into read_model.parked_events
      (projection, position, subject, stream, revision, type, error)
    values (${projection}, ${position}, 's', 'user-s', 0, 'UserRegistered', 'boom')`);
}

const healthy = (message: string) => ({ status: "healthy", message });
const unhealthy = (message: string) => ({ status: "unhealthy", message });

test("the state of a projection is its position, when it last moved, and what it has parked", async () => {
  await moveTo("users", "02" as Position);
  time += 1_234;
  await moveTo("catalogues", "01" as Position);
  await park("users", "01");
  await park("users", "02");
  const [first, second] = ["2026-01-01T00:00:01.234Z", "2026-01-01T00:00:00.000Z"];
  expect(await projectionStates(pool)).toEqual([
    { projection: "catalogues", position: "01", updatedAt: first, parked: 0, appliedEvents: 0 },
    { projection: "users", position: "02", updatedAt: second, parked: 2, appliedEvents: 0 },
  ]);
});

/** The check of a process that starts now. */
async function checkOf(projections: readonly string[] = ["catalogues", "users"]) {
  const ordinal = (position: Position) => Number.parseInt(position || "0", 16);
  const startHead = await log.head();
  return projectionsCheck({ pool, log: { ...log, ordinal }, now, projections, startHead });
}

describe("the readiness check of the projections", () => {
  test("is healthy on an empty log or where all is applied, and not where no projection has run", async () => {
    const upToDate = healthy("catalogues: up to date; users: up to date");
    expect(await (await checkOf())()).toEqual(upToDate);
    const head = await append();
    expect(await (await checkOf())()).toEqual(unhealthy("catalogues: 0 %; users: 0 %"));
    await allMoveTo(head);
    expect(await (await checkOf())()).toEqual(upToDate);
  });

  test("is unhealthy until each projection has reached the head of the start, and tells progress", async () => {
    const positions: Position[] = [];
    for (let count = 0; count < 100; count += 1) positions.push(await append());
    await moveTo("users", positions[99] as Position);
    await moveTo("catalogues", positions[19] as Position);
    const check = await checkOf();
    expect(await check()).toEqual(unhealthy("catalogues: 20 %; users: up to date"));
    await moveTo("catalogues", positions[59] as Position);
    await pool.query(sql.unsafe`
      update read_model.checkpoints set applied_events = 120000 where projection = 'catalogues'`);
    time += 40 * SECOND;
    const message = "catalogues: 60 %, 3,000 events/s, about 40 s; users: up to date";
    expect(await check()).toEqual(unhealthy(message));
    await moveTo("catalogues", positions[99] as Position);
    expect(await check()).toEqual(healthy("catalogues: up to date; users: up to date"));
  });

  test("says that no projector works once none has for ten seconds, and stays healthy", async () => {
    const head = await append();
    await allMoveTo(head);
    const check = await checkOf();
    await putLease("catalogues", 0);
    await putLease("users", -5);
    const { status, message } = await check();
    expect(status).toBe("healthy");
    expect(message).toMatch(/^catalogues: up to date, no projector has worked for 1\d s; users: /);
    await append();
    time += 20 * SECOND;
    expect((await check()).message).toMatch(
      /users: behind, last moved 20 s ago, no projector has worked for \d+ s$/,
    );
  });

  test("stays healthy when events are parked, and says how many of which projection", async () => {
    const head = await append();
    await allMoveTo(head);
    const check = await checkOf();
    for (const [position, parked] of [
      ["01", "1 event parked"],
      ["02", "2 events parked"],
    ] as const) {
      await park("catalogues", position);
      const message = `catalogues: up to date, ${parked}; users: up to date`;
      expect(await check()).toEqual(healthy(message));
    }
  });

  test("stays healthy when a projection falls behind later, and says since when it stands", async () => {
    await moveTo("users", await append());
    const check = await checkOf(["users"]);
    await append();
    time += 3_600 * SECOND;
    expect(await check()).toEqual(healthy("users: behind, last moved 3600 s ago"));
  });

  test("finds a projection up to date whose last events are of other types", async () => {
    const pgPool = createPgPool(database.url, { applicationName: "projections-check-test" });
    const stop = new AbortController();
    const projection: Projection = {
      name: "users",
      types: ["UserRegistered"],
      tables: [],
      subject: ({ stream }) => stream,
      apply: async () => undefined,
    };
    await append("UserRegistered");
    const running = runProjection(
      { log, pool: pgPool, logger: silentLogger() },
      projection,
      stop.signal,
    );
    onTestFinished(async () => {
      stop.abort();
      await running;
      await pgPool.end();
    });
    await waitForPosition(pool, "users", await append("CatalogueCreated"), 10_000);
    const check = await checkOf(["users"]);
    expect(await check()).toEqual(healthy("users: up to date"));
  });

  test("is unhealthy, without telling the cause, when the log or the database does not answer", async () => {
    const closed = await createDatabase(database.url, {
      applicationName: "projections-check-test",
    });
    await closed.end();
    const ordinal = () => 0;
    const failing = { head: () => Promise.reject(new Error("password=secret")), ordinal };
    const deps = { now, projections: [], startHead: START };
    const unknown = unhealthy("The state of the projections cannot be read");
    expect(await projectionsCheck({ ...deps, pool: closed, log: { ...log, ordinal } })()).toEqual(
      unknown,
    );
    expect(await projectionsCheck({ ...deps, pool, log: failing })()).toEqual(unknown);
  });
});
