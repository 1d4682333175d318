import { once } from "node:events";
import { describe, expect, it, onTestFinished } from "vitest";
import { openSession } from "#infra/postgres/connection.ts";
import {
  createPresence,
  type Presence,
  unheldSeconds,
  withLease,
} from "#infra/postgres/coordination.ts";
import { statementsOn } from "#infra/postgres/statements.ts";
import { useDatabase } from "../support/database.ts";
import { withClient } from "../support/database-template.ts";

const RETRY_MS = 10;

const database = useDatabase();

type Worker = { readonly stop: () => Promise<void>; readonly runs: () => number };

function startWorker(
  name: string,
  active: Set<Worker>,
  settings: { readonly ttlMs?: number } = {},
): Worker {
  const stopping = new AbortController();
  let runs = 0;
  const worker: Worker = {
    runs: () => runs,
    async stop() {
      stopping.abort();
      await running;
    },
  };
  const options = { signal: stopping.signal, retryMs: RETRY_MS, ...settings };
  const running = withLease(database.url, name, options, async ({ signal }) => {
    runs += 1;
    active.add(worker);
    if (!signal.aborted) await once(signal, "abort");
    active.delete(worker);
  });
  onTestFinished(() => worker.stop());
  return worker;
}

/** Makes another, which is alive and does not renew it, the holder until `ms` from now. */
async function giveToFrozen(name: string, holder: string, ms: number): Promise<void> {
  const frozen = await openSession(database.url, `projector ${holder}`);
  onTestFinished(() => frozen.close());
  await frozen.client.query(
    `insert into coordination.leases
       (name, holder, number, backend_pid, backend_start, expires_at)
     select $1, $2, 7, pid, backend_start, clock_timestamp() + $3 * interval '1 ms'
     from pg_stat_activity where pid = pg_backend_pid()`,
    [name, holder, ms],
  );
}

async function breakLease(name: string): Promise<void> {
  await withClient(database.url, (client) =>
    client.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and application_name = $1`,
      [`lease ${name}`],
    ),
  );
}

it("lets one of several workers run beside one of another name, and the next when it stops", async () => {
  const active = new Set<Worker>();
  const others = new Set<Worker>();
  startWorker("another", others);
  await expect.poll(() => others.size).toBe(1);
  const workers = Array.from({ length: 3 }, () => startWorker("one-of-several", active));
  for (let left = workers.length; left > 0; left -= 1) {
    await expect.poll(() => active.size).toBe(1);
    const [holder] = active;
    expect(workers.filter((worker) => worker.runs() > 0)).toHaveLength(workers.length - left + 1);
    await holder?.stop();
  }
  expect([active.size, others.size]).toEqual([0, 1]);
});

it("aborts the work when the connection breaks, and seeks the lease again", async () => {
  const active = new Set<Worker>();
  const worker = startWorker("breaking", active);
  await expect.poll(() => active.size).toBe(1);
  await breakLease("breaking");
  await expect.poll(() => worker.runs()).toBe(2);
  expect(active.size).toBe(1);
});

it("leaves the lease free when the work is done or throws, and does none where its signal has aborted before", async () => {
  const options = { signal: new AbortController().signal, retryMs: RETRY_MS };
  let done = 0;
  const work = async () => {
    done += 1;
  };
  await withLease(database.url, "brief", options, work);
  const failing = withLease(database.url, "brief", options, () => {
    return Promise.reject(new Error("the work failed"));
  });
  await expect(failing).rejects.toThrow("the work failed");
  await withLease(database.url, "brief", options, work);
  await withLease(database.url, "brief", { signal: AbortSignal.abort() }, work);
  expect(done).toBe(2);
});

it("takes over from a holder that does not renew, with a higher number, and ends its connections", async () => {
  await giveToFrozen("frozen", "a-frozen-process", 500);
  const options = { signal: new AbortController().signal, retryMs: RETRY_MS };
  await withLease(database.url, "frozen", options, async ({ number }) => {
    expect(number).toBe("8");
    const left = await withClient(database.url, async (client) => {
      const { rows } = await client.query(
        "select from pg_stat_activity where application_name = 'projector a-frozen-process'",
      );
      return rows.length;
    });
    expect(left).toBe(0);
  });
});

it("is held beyond its time while it is renewed", async () => {
  const active = new Set<Worker>();
  const ttl = { ttlMs: 200 };
  const first = startWorker("renewed", active, ttl);
  await expect.poll(() => active.size).toBe(1);
  const second = startWorker("renewed", active, ttl);
  const expiries = async () =>
    withClient(database.url, async (client) => {
      const { rows } = await client.query(
        "select expires_at::text as at from coordination.leases where name = 'renewed'",
      );
      return rows[0]?.at;
    });
  const seen = new Set<string>();
  await expect
    .poll(async () => seen.add(await expiries()).size, { timeout: 20_000 })
    .toBeGreaterThan(3);
  expect([first.runs(), second.runs()]).toEqual([1, 0]);
});

it("aborts the work when another process has taken it over", async () => {
  const active = new Set<Worker>();
  const worker = startWorker("superseded", active, { ttlMs: 300 });
  await expect.poll(() => active.size).toBe(1);
  await withClient(database.url, (client) =>
    client.query("update coordination.leases set number = number + 1 where name = 'superseded'"),
  );
  await expect.poll(() => worker.runs()).toBe(2);
});

it("tells how long no living process has held a lease", async () => {
  const unheld = (name: string) =>
    withClient(database.url, (client) => unheldSeconds(statementsOn(client), name));
  expect(await unheld("never held")).toBe(Number.POSITIVE_INFINITY);
  await giveToFrozen("with a living holder", "holder", 60_000);
  expect(await unheld("with a living holder")).toBeNull();
  await giveToFrozen("not renewed", "holder", -50_000);
  expect(await unheld("not renewed")).toBeGreaterThanOrEqual(60);
  const active = new Set<Worker>();
  const worker = startWorker("given back", active);
  await expect.poll(() => active.size, { timeout: 10_000 }).toBe(1);
  expect(await unheld("given back")).toBeNull();
  await worker.stop();
  expect(await unheld("given back")).toBeGreaterThanOrEqual(0);
});

describe("a presence", () => {
  async function openPresence(applicationName = "presence"): Promise<Presence> {
    const presence = await createPresence(database.url, { applicationName });
    onTestFinished(() => presence.close());
    return presence;
  }

  const endConnections = (applicationName: string) =>
    withClient(database.url, (client) =>
      client.query(
        `select pg_terminate_backend(pid, 5000) from pg_stat_activity
         where datname = current_database() and application_name = $1`,
        [applicationName],
      ),
    );

  it("shows a process to the others while it is there, under a key of its own, a positive 63-bit number", async () => {
    const [one, two] = [await openPresence(), await createPresence(database.url)];
    expect(await one.alive([one.key, two.key, "1"])).toEqual(new Set([one.key, two.key]));
    expect(await one.alive([])).toEqual(new Set());
    for (const { key } of [one, two]) {
      expect(await one.isAlive(key)).toBe(true);
      expect(key).toMatch(/^\d{1,19}$/);
      expect(BigInt(key) < 1n << 63n).toBe(true);
    }
    expect(one.key).not.toBe(two.key);
    await two.close();
    await expect.poll(() => one.isAlive(two.key)).toBe(false);
  });

  it("comes back under the same key when its connection was lost, and closes while it is lost", async () => {
    const [one, watcher] = [await openPresence("doomed"), await openPresence()];
    await endConnections("doomed");
    await expect.poll(() => watcher.isAlive(one.key)).toBe(true);
    await expect.poll(() => one.isAlive(watcher.key).catch(() => false)).toBe(true);
    await endConnections("doomed");
    await one.close();
    expect(await watcher.isAlive(one.key)).toBe(false);
  });
});
