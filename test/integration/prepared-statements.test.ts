import { SchemaValidationError, sql } from "slonik";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { isTransient } from "#infra/postgres/failures.ts";
import { createPgPool } from "#infra/postgres/pool.ts";
import {
  createPreparedStatements,
  type PreparedStatements,
} from "#infra/postgres/prepared-statements.ts";
import { useDatabase } from "../support/database.ts";

const database = useDatabase({ empty: true });
const MAX = 3;
const Count = z.object({ count: z.int() });

let reads: PreparedStatements;
let observer: ReturnType<typeof createPgPool>;
beforeAll(() => {
  const applicationName = "prepared reads";
  reads = createPreparedStatements(database.url, { applicationName, maxConnections: MAX });
  observer = createPgPool(database.url, { applicationName: "observer" });
});
afterAll(async () => {
  await reads.close();
  await observer.end();
});

/** The numbers in an interval, with nothing beside each. */
const numbers = (from: number, to: number) =>
  reads.any(sql.unsafe`select i, null as none from generate_series(${from}::int, ${to}::int) i`);

async function connections(): Promise<number[]> {
  const { rows } = await observer.query(
    "select pid from pg_stat_activity where application_name = 'prepared reads'",
  );
  return rows.map(({ pid }) => pid);
}

test("a row is looked up and validated; none is null, and two are a fault", async () => {
  const count = (n: number) =>
    reads.maybeOne(sql.type(Count)`select 1 as count from generate_series(1, ${n}::int)`);
  expect(await count(1)).toEqual({ count: 1 });
  expect(await count(0)).toBeNull();
  await expect(count(2)).rejects.toThrow("more than one row");
  const wrong = reads.maybeOne(sql.type(Count)`select 'x' as count`);
  await expect(wrong).rejects.toThrow(SchemaValidationError);
});

test("what is asked at once is answered to whoever asked, over a few connections", async () => {
  const asked = Array.from({ length: 200 }, (_, i) => numbers(i, i + (i % 5)));
  expect(reads.inUse()).toEqual({ active: MAX, idle: 0, waiting: 200 - MAX });
  for (const [i, rows] of (await Promise.all(asked)).entries()) {
    expect(rows).toEqual(Array.from({ length: (i % 5) + 1 }, (_, n) => ({ i: i + n, none: null })));
  }
  expect((await connections()).length).toBeLessThanOrEqual(MAX);
});

test("a statement that fails leaves those before and behind it alone", async () => {
  const divided = (by: number) => reads.any(sql.unsafe`select 10 / ${by}::int as quotient`);
  const outcomes = await Promise.allSettled([5, 0, 2, 0, 1].map(divided));
  expect(outcomes.map(({ status }) => status)).toEqual([
    "fulfilled",
    "rejected",
    "fulfilled",
    "rejected",
    "fulfilled",
  ]);
  expect(await divided(10)).toEqual([{ quotient: 1 }]);
});

test("a statement is planned once for a connection, whatever its values", async () => {
  for (let i = 0; i < 12; i += 1) await numbers(i, 2 * i);
  const plans = sql.unsafe`
    select custom_plans, generic_plans > 0 as generic from pg_prepared_statements
    where statement like '%generate_series($1::int, $2::int) i'`;
  expect(await reads.any(plans)).toEqual([{ custom_plans: 0, generic: true }]);
});

test("after its connections were lost it has others", async () => {
  await numbers(1, 1);
  const lost = await connections();
  const waiting = reads.any(sql.unsafe`select pg_sleep(60)`);
  const failure = expect(waiting).rejects.toSatisfy(isTransient);
  await expect
    .poll(async () => {
      const { rows } = await observer.query(
        "select from pg_stat_activity where application_name = 'prepared reads' and wait_event = 'PgSleep'",
      );
      return rows.length;
    })
    .toBe(1);
  await observer.query("select pg_terminate_backend(pid) from unnest($1::int[]) pid", [lost]);
  await failure;
  await expect
    .poll(async () => numbers(1, 2).catch(() => null))
    .toEqual([
      { i: 1, none: null },
      { i: 2, none: null },
    ]);
  for (const pid of await connections()) expect(lost).not.toContain(pid);
});

test("a server that cannot be reached is a passing fault, asked again each time", async () => {
  const url = new URL(database.url);
  url.port = "1";
  const unreachable = createPreparedStatements(url.href, { applicationName: "nobody" });
  for (let i = 0; i < 2; i += 1) {
    const read = unreachable.maybeOne(sql.type(Count)`select 1 as count`);
    await expect(read).rejects.toSatisfy(isTransient);
  }
  await unreachable.close();
});
