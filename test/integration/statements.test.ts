import fc from "fast-check";
import type { Pool } from "pg";
import { type DatabasePool, SchemaValidationError, sql } from "slonik";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { isTransient } from "#infra/postgres/failures.ts";
import {
  createDatabase,
  createPgPool,
  createPreparedStatements,
  type PreparedStatements,
} from "#infra/postgres/pool.ts";
import { literalSql, type Statements, statementsOn } from "#infra/postgres/statements.ts";
import { useDatabase } from "../support/database.ts";
import { runs } from "../support/runs.ts";

const database = useDatabase({ empty: true });
const Count = z.object({ count: z.int() });
const rows = (number: number) =>
  sql.type(Count)`select 1 as count from generate_series(1, ${number}::int)`;
const wrong = sql.type(Count)`select 'x' as count`;

let pool: Pool;
let slonik: DatabasePool;
let statements: Statements;
beforeAll(async () => {
  pool = createPgPool(database.url, { applicationName: "statements" });
  const applicationName = "pool-test";
  slonik = await createDatabase(database.url, { applicationName, maxConnections: 2 });
  statements = statementsOn(pool);
});
afterAll(async () => {
  await slonik.end();
  await pool.end();
});

const unreachable = () => {
  const url = new URL(database.url);
  url.port = "1";
  return url.href;
};

describe("a pool", () => {
  test("gives values of PostgreSQL without loss, both by slonik and by pg, and is known by its name", async () => {
    for (const [expression, expected] of [
      ["9007199254740991::int8", 9_007_199_254_740_991],
      ["1.25::numeric", 1.25],
      ["array[1, 2]::int8[]", [1, 2]],
      ["'2026-01-02'::date", "2026-01-02"],
      ["'2026-01-02 03:04:05.678901'::timestamp", "2026-01-02 03:04:05.678901"],
      ["'2026-01-02 03:04:05.678901+13'::timestamptz", "2026-01-01 14:04:05.678901+00"],
      [`'{"a": [1, null]}'::json`, { a: [1, null] }],
    ] as const) {
      const fragment = { ...sql.fragment``, sql: expression };
      const value = await slonik.oneFirst(sql.unsafe`select ${fragment} as value`);
      expect(value, expression).toEqual(expected);
      const { rows } = await pool.query(`select ${expression} as value`);
      expect(rows, expression).toEqual([{ value: expected }]);
    }
    const tooLarge = sql.unsafe`select 9007199254740992::int8 as value`;
    await expect(slonik.oneFirst(tooLarge)).rejects.toThrow(RangeError);
    const name = sql.unsafe`select current_setting('application_name') as value`;
    expect(await slonik.oneFirst(name)).toBe("pool-test");
  });

  test("validates rows by the schema of their query, and gives what it made of them", async () => {
    const Row = z.object({ value: z.string().transform((text) => text.length) });
    expect(await slonik.one(sql.type(Row)`select 'abc' as value`)).toEqual({ value: 3 });
    const number = slonik.one(sql.type(Row)`select 1 as value`);
    await expect(number).rejects.toThrow(SchemaValidationError);
  });

  test("does not go on without TLS where sslmode wants it, and fails when the database cannot be reached", async () => {
    const connect = (url: string) => createDatabase(url, { applicationName: "tls" });
    for (const mode of ["require", "prefer", "verify-ca", "verify-full"]) {
      await expect(connect(`${database.url}?sslmode=${mode}`), mode).rejects.toThrow(/SSL/);
    }
    await expect(connect(unreachable())).rejects.toThrow(/ECONNREFUSED/);
  });
});

test("a statement gives as many rows as its name says and its schema allows, or fails", async () => {
  const one = { count: 1 };
  expect(await statements.any(rows(2))).toEqual([one, one]);
  expect(await statements.maybeOne(rows(0))).toBeNull();
  expect(await statements.maybeOne(rows(1))).toEqual(one);
  expect(await statements.one(rows(1))).toEqual(one);
  await expect(statements.maybeOne(rows(2))).rejects.toThrow("more than one row");
  await expect(statements.one(rows(0))).rejects.toThrow("no row");
  await expect(statements.any(wrong)).rejects.toThrow(SchemaValidationError);
});

test("values as parameters and as literals are the same to PostgreSQL", async () => {
  const text = fc.string({ unit: "grapheme" }).filter((t) => !t.includes("\0"));
  const values = fc.tuple(
    fc.option(text),
    fc.array(text),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.boolean(),
    fc.uint8Array(),
  );
  await fc.assert(
    fc.asyncProperty(values, async ([some, list, number, flag, bytes]) => {
      const query = sql.unsafe`
        select ${some}::text as some, ${sql.array(list, "text")} as list,
          ${number}::double precision as number, ${flag}::boolean as flag,
          ${sql.binary(Buffer.from(bytes))}::bytea as bytes`;
      const row = await statements.one(query);
      expect(row).toEqual({ some, list, number: number + 0, flag, bytes: Buffer.from(bytes) });
      expect((await pool.query(literalSql(query))).rows).toEqual([row]);
    }),
    { numRuns: runs(60) },
  );
});

describe("prepared statements", () => {
  const MAX = 3;
  let reads: PreparedStatements;
  beforeAll(() => {
    const applicationName = "prepared reads";
    reads = createPreparedStatements(database.url, { applicationName, maxConnections: MAX });
  });
  afterAll(() => reads.close());

  /** The numbers in an interval, with nothing beside each. */
  const numbers = (from: number, to: number) =>
    reads.any(sql.unsafe`select i, null as none from generate_series(${from}::int, ${to}::int) i`);

  async function connections(): Promise<number[]> {
    const { rows } = await pool.query(
      "select pid from pg_stat_activity where application_name = 'prepared reads'",
    );
    return rows.map(({ pid }) => pid);
  }

  test("look a row up and validate it; none is null, and two are a fault", async () => {
    expect(await reads.maybeOne(rows(1))).toEqual({ count: 1 });
    expect(await reads.maybeOne(rows(0))).toBeNull();
    await expect(reads.maybeOne(rows(2))).rejects.toThrow("more than one row");
    await expect(reads.maybeOne(wrong)).rejects.toThrow(SchemaValidationError);
  });

  test("what is asked at once is answered to whoever asked, over a few connections", async () => {
    const asked = Array.from({ length: 200 }, (_, i) => numbers(i, i + (i % 5)));
    expect(reads.inUse()).toEqual({ active: MAX, idle: 0, waiting: 200 - MAX });
    for (const [i, rows] of (await Promise.all(asked)).entries()) {
      expect(rows).toEqual(
        Array.from({ length: (i % 5) + 1 }, (_, n) => ({ i: i + n, none: null })),
      );
    }
    expect((await connections()).length).toBeLessThanOrEqual(MAX);
  });

  test("a statement that fails leaves those before and behind it alone", async () => {
    const divided = (by: number) => reads.any(sql.unsafe`select 10 / ${by}::int as quotient`);
    const outcomes = await Promise.allSettled([5, 0, 2, 0, 1].map(divided));
    const failed = outcomes.map(({ status }) => status === "rejected");
    expect(failed).toEqual([false, true, false, true, false]);
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
        const { rows } = await pool.query(
          "select from pg_stat_activity where application_name = 'prepared reads' and wait_event = 'PgSleep'",
        );
        return rows.length;
      })
      .toBe(1);
    await pool.query("select pg_terminate_backend(pid) from unnest($1::int[]) pid", [lost]);
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
    const gone = createPreparedStatements(unreachable(), { applicationName: "nobody" });
    for (let i = 0; i < 2; i += 1) {
      await expect(gone.maybeOne(rows(1))).rejects.toSatisfy(isTransient);
    }
    await gone.close();
  });
});
