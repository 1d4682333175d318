import { type DatabasePool, sql } from "slonik";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Position } from "#infra/log/event-log.ts";
import { createDatabase } from "#infra/postgres/pool.ts";
import type { Lookups } from "#infra/postgres/statements.ts";
import { createPositionWaits, NotVisibleYet } from "#projections/engine/progress.ts";
import { useDatabase } from "../../support/database.ts";

const database = useDatabase();
let pool: DatabasePool;
beforeAll(async () => {
  pool = await createDatabase(database.url, { applicationName: "position waits" });
});
afterAll(() => pool.end());

const at = (n: number) => `000${n}` as Position;

async function moveTo(projection: string, position: Position): Promise<void> {
  await pool.query(sql.unsafe`
    insert into read_model.checkpoints (projection, position) values (${projection}, ${position})
    on conflict (projection) do update set position = excluded.position`);
}

/** The pool, and how often it was asked. */
function counted(): { lookups: Lookups; looks: () => number } {
  let looks = 0;
  const maybeOne: Lookups["maybeOne"] = (query) => {
    looks += 1;
    return pool.maybeOne(query);
  };
  return { lookups: { maybeOne }, looks: () => looks };
}

test("who waits is told when the projection has come so far, and not before", async () => {
  const waits = createPositionWaits(pool);
  const reached: number[] = [];
  const waiting = [3, 1, 2].map(async (n) => {
    await waits.until("in order", at(n), 10_000);
    reached.push(n);
  });
  for (const n of [1, 2, 3]) {
    await moveTo("in order", at(n));
    await expect.poll(() => reached.toSorted()).toEqual([1, 2, 3].slice(0, n));
  }
  await Promise.all(waiting);
  await waits.until("in order", at(2), 0);
});

test("all that wait share their looks, and what the projector tells needs none", async () => {
  const { lookups, looks } = counted();
  const waits = createPositionWaits(lookups);
  await moveTo("shared", at(5));
  await Promise.all(Array.from({ length: 50 }, () => waits.until("shared", at(5), 10_000)));
  expect(looks()).toBe(1);
  waits.applied("told", at(1));
  const told = waits.until("told", at(2), 10_000);
  waits.applied("told", at(2));
  await told;
  await waits.until("told", at(1), 10_000);
  expect(looks()).toBe(1);
  // What another process applies is seen all the same.
  waits.applied("moved over", at(1));
  const waiting = waits.until("moved over", at(2), 10_000);
  await moveTo("moved over", at(2));
  await waiting;
  expect(looks()).toBeGreaterThan(1);
});

test("a projection that does not come so far in time is told, without holding up the others", async () => {
  const waits = createPositionWaits(pool);
  await moveTo("late", at(1));
  const late = waits.until("late", at(9), 30);
  await expect(late).rejects.toThrow(NotVisibleYet);
  const waiting = waits.until("late", at(2), 10_000);
  await moveTo("late", at(2));
  await waiting;
});

test("where no projector lives one waits no longer than for another to take over, and longer while one does", async () => {
  const lease = (projection: string) => sql.unsafe`
    insert into coordination.leases
      (name, holder, number, backend_pid, backend_start, expires_at)
    select ${`projection ${projection}`}, 'one', 1, pid, backend_start,
      clock_timestamp() + interval '1 hour'
    from pg_stat_activity where pid = pg_backend_pid()`;
  await pool.connect(async (living) => {
    await living.query(lease("held"));
    const { lookups, looks } = counted();
    const waits = createPositionWaits(lookups, 30);
    await expect(waits.until("unheld", at(2), 600_000)).rejects.toThrow(NotVisibleYet);
    const before = looks();
    const waiting = waits.until("held", at(2), 600_000);
    // Among them one for the projector.
    await expect.poll(looks, { timeout: 10_000 }).toBeGreaterThan(before + 20);
    await moveTo("held", at(2));
    await waiting;
  });
});

test("who waits longer than the time goes on while the projection comes further", async () => {
  const waits = createPositionWaits(pool);
  const place = (n: number) => String(n).padStart(8, "0") as Position;
  const timeoutMs = 300;
  const waiting = waits.until("slow", place(99_999_999), timeoutMs);
  const end = performance.now() + 2 * timeoutMs;
  for (let n = 1; performance.now() < end; n += 1) await moveTo("slow", place(n));
  await moveTo("slow", place(99_999_999));
  await waiting;
});

test("a failure of the database is told to all that wait, and later ones look again", async () => {
  let fails = true;
  const maybeOne: Lookups["maybeOne"] = (query) =>
    fails ? pool.maybeOne({ ...query, sql: "select * from nowhere" }) : pool.maybeOne(query);
  const waits = createPositionWaits({ maybeOne });
  await moveTo("failing", at(1));
  const waiting = [1, 1].map(() => waits.until("failing", at(1), 10_000));
  for (const { status } of await Promise.allSettled(waiting)) expect(status).toBe("rejected");
  fails = false;
  await waits.until("failing", at(1), 10_000);
});
