import { randomUUID } from "node:crypto";
import type { DatabasePool } from "slonik";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { NOBODY } from "#infra/kernel/fair-queue.ts";
import { createPresence, type Presence } from "#infra/postgres/coordination.ts";
import { createDatabase } from "#infra/postgres/pool.ts";
import { createJobStore, type JobStore } from "#infra/stores/jobs.ts";
import { isNoFault } from "#services/errors.ts";
import { failAbandonedJobs } from "#services/gateway/start.ts";
import { createJobRunner, type Run } from "#services/works.ts";
import { useDatabase } from "../../support/database.ts";
import { silentLogger } from "../../support/logger.ts";

const MERGE = { kind: "merge", owner: "user_1_tester", unit: "events" } as const;
const DAY_MS = 24 * 60 * 60 * 1000;

const database = useDatabase();
let pool: DatabasePool;
let store: JobStore;
let presence: Presence;
beforeAll(async () => {
  pool = await createDatabase(database.url, { applicationName: "test" });
  presence = await createPresence(database.url);
  store = createJobStore(pool);
});
afterAll(async () => {
  await presence.close();
  await pool.end();
});

const newRunner = () =>
  createJobRunner({
    isNoFault,
    store,
    worker: presence.key,
    newId: randomUUID,
    describe: (error) => ({ error: error instanceof Error ? error.message : "unknown" }),
    logger: silentLogger(),
  });

const find = async (id: string) => (await store.find(id))?.job;
const untilStatus = (id: string, status: string) =>
  expect.poll(() => find(id), { timeout: 20_000 }).toMatchObject({ status });

/** Work that ends when it is told to, or as soon as its signal aborts. */
function heldWork() {
  const held = Promise.withResolvers<Record<string, unknown>>();
  const work = ({ signal }: Run) => {
    signal.addEventListener("abort", () => held.reject(signal.reason), { once: true });
    return held.promise;
  };
  return { ...held, work };
}

describe("an operation", () => {
  test("an operation is cancelled in the process that runs it, whichever process was asked", async () => {
    const runner = newRunner();
    const id = await runner.start(MERGE, NOBODY, heldWork().work);
    expect(await store.requestCancel(id)).toBe(true);
    await untilStatus(id, "cancelled");
    expect(await store.requestCancel(id)).toBe(false);
    await runner.close();
  });

  test("an operation does not change once it has ended", async () => {
    const runner = newRunner();
    const id = await runner.start(MERGE, NOBODY, async () => ({ answer: 1 }));
    await untilStatus(id, "succeeded");
    const ended = await find(id);
    await store.finish(id, { status: "cancelled" });
    expect(await store.report(id, { done: 9, total: 9 })).toBe(false);
    expect(await find(id)).toEqual(ended);
    await runner.close();
  });
});

describe("a runner that closes", () => {
  test("a runner that closes waits for what ends soon", async () => {
    const runner = newRunner();
    const { work, resolve } = heldWork();
    const id = await runner.start(MERGE, NOBODY, work);
    const attended = heldWork();
    const answer = runner.attend(NOBODY, attended.work);
    const closed = runner.close();
    resolve({});
    attended.resolve({ answer: 7 });
    await closed;
    expect(await answer).toEqual({ answer: 7 });
    expect(await find(id)).toMatchObject({ status: "succeeded" });
  });

  test("a runner that closes aborts what does not, which then has failed", async () => {
    const runner = newRunner();
    const id = await runner.start(MERGE, NOBODY, heldWork().work);
    await runner.close();
    expect(await find(id)).toMatchObject({
      status: "failed",
      error: { error: "the service is stopping" },
    });
  });
});

describe("the sweep", () => {
  const sweep = (runner: Parameters<typeof failAbandonedJobs>[0]["runner"], now: Date) =>
    failAbandonedJobs({ store, presence, runner }, now);

  test("the sweep ends as failed what a dead process ran, and nothing of a living one", async () => {
    const runner = newRunner();
    const other = await createPresence(database.url);
    const { work, resolve } = heldWork();
    const own = await runner.start(MERGE, NOBODY, work);
    const [others, lost] = [randomUUID(), randomUUID()];
    await store.insert({ ...MERGE, id: others, worker: other.key });
    await store.insert({ ...MERGE, id: lost, worker: presence.key });
    expect(await sweep(runner, new Date())).toBe(1);
    expect(await find(lost)).toMatchObject({ status: "failed", error: { code: "UNAVAILABLE" } });
    expect(await find(others)).toMatchObject({ status: "running" });
    await other.close();
    await expect.poll(() => presence.isAlive(other.key)).toBe(false);
    expect(await sweep(runner, new Date())).toBe(1);
    expect(await find(others)).toMatchObject({ status: "failed" });
    expect(await find(own)).toMatchObject({ status: "running" });
    resolve({});
    await runner.close();
  });

  test("the sweep forgets what ended more than seven days ago", async () => {
    const runner = newRunner();
    const id = await runner.start(MERGE, NOBODY, async () => ({}));
    await untilStatus(id, "succeeded");
    await runner.close();
    await sweep(runner, new Date(Date.now() + 6.9 * DAY_MS));
    expect(await find(id)).toBeDefined();
    await sweep(runner, new Date(Date.now() + 7.1 * DAY_MS));
    expect(await find(id)).toBeUndefined();
  });
});
