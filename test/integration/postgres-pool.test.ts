import type { Pool } from "pg";
import { type DatabasePool, SchemaValidationError, sql } from "slonik";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { createDatabase, createPgPool } from "#infra/postgres/pool.ts";
import { useDatabase } from "../support/database.ts";

const server = useDatabase({ empty: true });

describe("a slonik pool", () => {
  let database: DatabasePool;

  beforeAll(async () => {
    database = await createDatabase(server.url, {
      applicationName: "pool-test",
      maxConnections: 2,
    });
  });
  afterAll(() => database.end());

  it.each([
    ["int8 as a number", "9007199254740991::int8", 9_007_199_254_740_991],
    ["numeric as a number", "1.25::numeric", 1.25],
    ["an array of int8 as numbers", "array[1, 2]::int8[]", [1, 2]],
    ["date as text", "'2026-01-02'::date", "2026-01-02"],
    ["timestamp as text", "'2026-01-02 03:04:05.678901'::timestamp", "2026-01-02 03:04:05.678901"],
    [
      "timestamptz as text in UTC with all its digits",
      "'2026-01-02 03:04:05.678901+13'::timestamptz",
      "2026-01-01 14:04:05.678901+00",
    ],
    ["json parsed", `'{"a": [1, null]}'::json`, { a: [1, null] }],
  ])("gives %s", async (_, expression, expected) => {
    const fragment = { ...sql.fragment``, sql: expression };
    expect(await database.oneFirst(sql.unsafe`select ${fragment} as value`)).toEqual(expected);
  });

  it("refuses an int8 that a number cannot hold, rather than change it", async () => {
    const query = sql.unsafe`select 9007199254740992::int8 as value`;
    await expect(database.oneFirst(query)).rejects.toThrow(RangeError);
  });

  it("validates rows by the schema of their query, and gives what it made of them", async () => {
    const Row = z.object({ value: z.string().transform((text) => text.length) });
    expect(await database.one(sql.type(Row)`select 'abc' as value`)).toEqual({ value: 3 });
    await expect(database.one(sql.type(Row)`select 1 as value`)).rejects.toThrow(
      SchemaValidationError,
    );
  });

  it("is known to the server by its application's name", async () => {
    const query = sql.unsafe`select current_setting('application_name') as value`;
    expect(await database.oneFirst(query)).toBe("pool-test");
  });

  it.each(["require", "prefer", "verify-ca", "verify-full"])(
    "does not go on without TLS where sslmode is %s",
    async (mode) => {
      const connecting = createDatabase(`${server.url}?sslmode=${mode}`, {
        applicationName: "tls",
      });
      await expect(connecting).rejects.toThrow(/SSL/);
    },
  );

  it("fails when the database cannot be reached", async () => {
    const url = new URL(server.url);
    url.port = "1";
    await expect(createDatabase(url.href, { applicationName: "pool-test" })).rejects.toThrow(
      /ECONNREFUSED/,
    );
  });
});

describe("a pg pool", () => {
  let pool: Pool;

  beforeAll(() => {
    pool = createPgPool(server.url, { applicationName: "pg-pool-test" });
  });
  afterAll(() => pool.end());

  it("gives values as the slonik pool does", async () => {
    const { rows } = await pool.query(`select 42::int8 as whole, 1.5::numeric as decimal,
      '2026-01-02 03:04:05.678901+13'::timestamptz as at, current_setting('application_name') as name`);
    expect(rows).toEqual([
      { whole: 42, decimal: 1.5, at: "2026-01-01 14:04:05.678901+00", name: "pg-pool-test" },
    ]);
  });
});
