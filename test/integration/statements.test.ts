import fc from "fast-check";
import type { Pool } from "pg";
import { SchemaValidationError, sql } from "slonik";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { createPgPool } from "#infra/postgres/pool.ts";
import { literalSql, type Statements, statementsOn } from "#infra/postgres/statements.ts";
import { useDatabase } from "../support/database.ts";
import { runs } from "../support/runs.ts";

const database = useDatabase({ empty: true });
let pool: Pool;
let statements: Statements;
beforeAll(() => {
  pool = createPgPool(database.url, { applicationName: "statements" });
  statements = statementsOn(pool);
});
afterAll(() => pool.end());

const numbers = (count: number) =>
  sql.type(z.object({ n: z.int() }))`select n from generate_series(1, ${count}::int) n`;

test("a statement gives as many rows as its name says, or fails", async () => {
  expect(await statements.any(numbers(2))).toEqual([{ n: 1 }, { n: 2 }]);
  expect(await statements.maybeOne(numbers(0))).toBeNull();
  expect(await statements.maybeOne(numbers(1))).toEqual({ n: 1 });
  expect(await statements.one(numbers(1))).toEqual({ n: 1 });
  await expect(statements.maybeOne(numbers(2))).rejects.toThrow("more than one row");
  await expect(statements.one(numbers(0))).rejects.toThrow("no row");
});

test("a row that is not as its schema says is a fault", async () => {
  const wrong = sql.type(z.object({ n: z.int() }))`select 'x' as n`;
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
