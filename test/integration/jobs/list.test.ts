import { randomUUID } from "node:crypto";
import fc from "fast-check";
import { type DatabasePool, sql } from "slonik";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { ListedJob } from "#contracts/http/jobs.ts";
import { createDatabase } from "#infra/postgres/pool.ts";
import { createJobStore, type JobStore } from "#infra/stores/jobs.ts";
import { useDatabase } from "../../support/database.ts";
import { runs } from "../../support/runs.ts";

const database = useDatabase();
let pool: DatabasePool;
let store: JobStore;
beforeAll(async () => {
  pool = await createDatabase(database.url, { applicationName: "test" });
  store = createJobStore(pool);
});
afterAll(() => pool.end());

type Place = { readonly id: string; readonly owner: string; readonly second: number };

/** Few seconds, so that many operations began at the same time. */
const places = fc.array(
  fc.record({
    id: fc.uuid(),
    owner: fc.constantFrom("user_1_a", "user_1_b", "user_1_c"),
    second: fc.integer({ min: 0, max: 3 }),
  }),
  { maxLength: 40 },
);

/** Nothing is hidden from an administrator. */
const isHidden = () => sql.fragment`false`;

async function fill(all: readonly Place[]): Promise<void> {
  await pool.query(sql.unsafe`delete from operations.operations`);
  for (const { id, owner, second } of all) {
    await store.insert({ id, kind: "merge", owner, worker: "none", unit: "events" });
    await pool.query(sql.unsafe`
      update operations.operations
      set created_at = '2020-01-01T00:00:00Z'::timestamptz + ${second} * interval '1 second'
      where id = ${id}`);
  }
}

async function walk(owner: string | null, limit: number): Promise<ListedJob[]> {
  const listed: ListedJob[] = [];
  for (let before: string | undefined; ; before = listed.at(-1)?.id) {
    const page = await store.list({
      isHidden,
      owner,
      limit,
      ...(before !== undefined && { before }),
    });
    expect(page.length).toBeLessThanOrEqual(limit);
    listed.push(...page);
    if (page.length < limit) return listed;
  }
}

test("pages of operations of any size make up all, or one owner's, newest first", async () => {
  await fc.assert(
    fc.asyncProperty(places, fc.integer({ min: 1, max: 12 }), async (all, limit) => {
      await fill(all);
      const newestFirst = all.toSorted(
        (a, b) => b.second - a.second || (a.id < b.id ? 1 : a.id > b.id ? -1 : 0),
      );
      for (const owner of [null, "user_1_a"]) {
        expect((await walk(owner, limit)).map((job) => [job.id, job.owner])).toEqual(
          newestFirst
            .filter((job) => owner === null || job.owner === owner)
            .map((job) => [job.id, job.owner]),
        );
      }
    }),
    { numRuns: runs(30) },
  );
});

test("nothing is listed before another owner's operation", async () => {
  const other = randomUUID();
  await fill([
    { id: other, owner: "user_1_b", second: 2 },
    { id: randomUUID(), owner: "user_1_a", second: 1 },
  ]);
  expect(await store.list({ isHidden, owner: "user_1_a", before: other })).toEqual([]);
  expect(await store.list({ isHidden, owner: null, before: other })).toHaveLength(1);
  expect(await store.list({ isHidden, owner: null, before: randomUUID() })).toEqual([]);
});
