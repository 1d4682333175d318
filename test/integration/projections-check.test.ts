import { randomUUID } from "node:crypto";
import { type DatabasePool, sql } from "slonik";
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import type { EventLog, Position } from "#infra/event-log/event-log.ts";
import { createDatabase, createPgPool } from "#infra/postgres/pool.ts";
import type { Projection } from "#projections/projection.ts";
import { projectionStates } from "#projections/queries/projection-lag.ts";
import { runProjection } from "#projections/run-projection.ts";
import { waitForPosition } from "#projections/wait-for-position.ts";
import { projectionsCheck } from "#services/gateway/projections-check.ts";
import { useDatabase } from "../support/database.ts";
import { createInMemoryEventLog } from "../support/in-memory-event-log.ts";
import { silentLogger } from "../support/logger.ts";

const SECOND = 1_000;
const START_TIME = Date.UTC(2026, 0, 1);

const database = useDatabase();
let pool: DatabasePool;
let log: EventLog;
let time: number;

beforeAll(async () => {
  pool = await createDatabase(database.url, { applicationName: "projections-check-test" });
});

afterAll(() => pool.end());

beforeEach(async () => {
  await pool.query(sql.unsafe`truncate read_model.checkpoints, read_model.parked_events`);
  log = createInMemoryEventLog();
  time = START_TIME;
  onTestFinished(() => log.close());
});

const now = () => new Date(time);

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
  expect(await projectionStates(pool)).toEqual([
    {
      projection: "catalogues",
      position: "01",
      updatedAt: "2026-01-01T00:00:01.234Z",
      parked: 0,
    },
    { projection: "users", position: "02", updatedAt: "2026-01-01T00:00:00.000Z", parked: 2 },
  ]);
});

describe("the readiness check of the projections", () => {
  test("is healthy when every projection has reached the head of the log", async () => {
    const head = await append();
    await moveTo("users", head);
    await moveTo("catalogues", head);
    const check = projectionsCheck({ pool, log, now });
    expect(await check()).toEqual(healthy("catalogues: up to date; users: up to date"));
  });

  test("is healthy on an empty log before any projection has run", async () => {
    const check = projectionsCheck({ pool, log, now });
    expect(await check()).toEqual(healthy("no projection has run yet"));
  });

  test("stays healthy when events are parked, and says how many of which projection", async () => {
    const head = await append();
    await moveTo("users", head);
    await moveTo("catalogues", head);
    await park("catalogues", "01");
    const check = projectionsCheck({ pool, log, now });
    expect(await check()).toEqual(
      healthy("catalogues: up to date, 1 event parked; users: up to date"),
    );
    await park("catalogues", "02");
    expect(await check()).toEqual(
      healthy("catalogues: up to date, 2 events parked; users: up to date"),
    );
  });

  test("is healthy while a projection that is behind has moved in the last 60 s", async () => {
    await moveTo("users", await append());
    await append();
    time += 60 * SECOND - 1;
    expect(await projectionsCheck({ pool, log, now })()).toEqual(healthy("users: behind"));
  });

  test("is unhealthy when a projection that is behind has not moved for 60 s", async () => {
    const first = await append();
    await moveTo("users", first);
    await moveTo("catalogues", await append());
    time += 60 * SECOND;
    const check = projectionsCheck({ pool, log, now });
    const stalled = unhealthy("catalogues: up to date; users: behind, unmoved for 60 s");
    expect(await check()).toEqual(stalled);
    await moveTo("users", await log.head());
    expect(await check()).toEqual(healthy("catalogues: up to date; users: up to date"));
  });

  test("stays healthy while a projection moves without ever reaching the head", async () => {
    const check = projectionsCheck({ pool, log, now });
    for (let last = await append(), round = 0; round < 5; round += 1) {
      await moveTo("users", last);
      last = await append();
      time += 59 * SECOND;
      expect(await check()).toEqual(healthy("users: behind"));
    }
  });

  test("stays healthy at the first event after a quiet time, and waits 60 s from then", async () => {
    await moveTo("users", await append());
    const check = projectionsCheck({ pool, log, now });
    time += 3_600 * SECOND;
    expect(await check()).toEqual(healthy("users: up to date"));
    await append();
    time += 59 * SECOND;
    expect(await check()).toEqual(healthy("users: behind"));
    time += SECOND;
    expect(await check()).toEqual(unhealthy("users: behind, unmoved for 60 s"));
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
    const check = projectionsCheck({ pool, log, now });
    expect(await check()).toEqual(healthy("users: up to date"));
  });

  test("is unhealthy, without telling the cause, when the log or the database does not answer", async () => {
    const closed = await createDatabase(database.url, {
      applicationName: "projections-check-test",
    });
    await closed.end();
    const failing = { head: () => Promise.reject(new Error("password=secret")) };
    const unknown = unhealthy("The state of the projections cannot be read");
    expect(await projectionsCheck({ pool: closed, log, now })()).toEqual(unknown);
    expect(await projectionsCheck({ pool, log: failing, now })()).toEqual(unknown);
  });
});
