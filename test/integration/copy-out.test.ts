import fc from "fast-check";
import type { Pool, PoolClient } from "pg";
import { type FragmentSqlToken, sql } from "slonik";
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { copyBytes, copyRows, eachCopiedRow } from "#infra/postgres/copy/copy-out.ts";
import { readTextRow, type TextRow } from "#infra/postgres/copy/text-copy.ts";
import { createPgPool } from "#infra/postgres/pool.ts";
import { useDatabase } from "../support/database.ts";
import { runs } from "../support/runs.ts";
import { startTcpRelay } from "../support/tcp-relay.ts";

const database = useDatabase();
let pool: Pool;
beforeAll(() => {
  pool = createPgPool(database.url, { applicationName: "copy out", maxConnections: 1 });
});
afterAll(() => pool.end());

/** As both ways give them, which must be the same. */
async function rowsOf(query: FragmentSqlToken): Promise<TextRow[]> {
  const rows: TextRow[] = [];
  await eachCopiedRow(await pool.connect(), query, (line) => {
    rows.push(readTextRow(line.toString("utf8", 0, line.length - 1)));
  });
  expect(await batchedRowsOf(query)).toEqual(rows);
  return rows;
}

async function batchedRowsOf(query: FragmentSqlToken): Promise<TextRow[]> {
  const client = await pool.connect();
  try {
    const rows: TextRow[] = [];
    for await (const batch of copyRows(client, query)) rows.push(...batch);
    return rows;
  } finally {
    client.release(true);
  }
}

const text = fc.string({ unit: "grapheme" }).filter((t) => !t.includes("\0"));

test("COPY out gives every text back as it is stored", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(text, fc.option(text)), { minLength: 1 }), async (rows) => {
      const values = rows.map(([a, b]) => sql.fragment`(${a}::text, ${b}::text)`);
      const query = sql.fragment`select * from (values ${sql.join(values, sql.fragment`, `)}) v`;
      expect(await rowsOf(query)).toEqual(rows);
    }),
    { numRuns: runs(60) },
  );
});

test("COPY out gives numbers as texts of the very same numbers", async () => {
  await fc.assert(
    fc.asyncProperty(fc.double({ noNaN: true, noDefaultInfinity: true }), async (value) => {
      const number = value + 0;
      const [row] = await rowsOf(sql.fragment`select ${number}::double precision`);
      expect(Number(row?.[0])).toBe(number);
    }),
    { numRuns: runs(60) },
  );
});

test("COPY out puts values into a query as literals, whatever they hold", async () => {
  const hostile = [
    "'; drop table x; --",
    "\\",
    "\\N",
    "\\\\N",
    '"',
    "{}",
    "a,b",
    "$slonik_1",
    "null",
    "",
  ];
  const query = sql.fragment`
    select u from unnest(${sql.array(hostile, "text")}) with ordinality t(u, n)
    where u <> ${"nothing"} and ${true} and u is distinct from ${null} order by n`;
  expect(await rowsOf(query)).toEqual(hostile.map((h) => [h]));
});

test("COPY out reads rows larger than any piece that comes over the wire", async () => {
  const long = "long\t\\ ".repeat(100_000);
  expect(await rowsOf(sql.fragment`select repeat(${"long\t\\ "}, 100000), 1`)).toEqual([
    [long, "1"],
  ]);
});

test("COPY out gives no rows for none", async () => {
  expect(await rowsOf(sql.fragment`select 1 where false`)).toEqual([]);
});

test("COPY out closes its connection when it is given up, and the pool goes on", async () => {
  const all = sql.fragment`select n, repeat('x', 1000) from generate_series(1, 1000000) n`;
  for await (const bytes of copyBytes(await pool.connect(), all)) {
    expect(bytes.length).toBeGreaterThan(0);
    break;
  }
  expect(await rowsOf(sql.fragment`select 1`)).toEqual([["1"]]);
});

test("COPY out gives its connection up when it is told to, also while the server is silent", async () => {
  const url = database.url;
  const settings = { client_connection_check_interval: "100ms" };
  const own = createPgPool(url, { applicationName: "given up", maxConnections: 1, settings });
  onTestFinished(() => own.end());
  const ending = new AbortController();
  const pieces = copyBytes(await own.connect(), sql.fragment`select pg_sleep(600)`, ending.signal);
  const failed = expect(pieces.next()).rejects.toThrow("no longer wanted");
  ending.abort(new Error("no longer wanted"));
  await failed;
  expect((await own.query("select 1 as one")).rows).toEqual([{ one: 1 }]);
  await vi.waitFor(async () => {
    const { rows } = await own.query(
      "select from pg_stat_activity where application_name = 'given up' and query like 'copy%'",
    );
    expect(rows).toEqual([]);
  }, 30_000);
});

test("COPY out takes nothing up when it was told to give up before it began", async () => {
  const client = await pool.connect();
  const pieces = copyBytes(
    client,
    sql.fragment`select 1`,
    AbortSignal.abort(new Error("too late")),
  );
  await expect(pieces.next()).rejects.toThrow("too late");
  expect(await rowsOf(sql.fragment`select 1`)).toEqual([["1"]]);
});

test("COPY out throws what the database says, at the beginning and in the midst", async () => {
  const fails = sql.fragment`select 1 / (n - 5000) from generate_series(1, 10000) n`;
  for (const rows of [rowsOf, batchedRowsOf]) {
    await expect(rows(sql.fragment`select * from nowhere`)).rejects.toThrow("nowhere");
    await expect(rows(fails)).rejects.toThrow("division by zero");
  }
  expect(await rowsOf(sql.fragment`select 1`)).toEqual([["1"]]);
});

test("COPY out fails when its connection is lost, and the pool goes on", async () => {
  const url = new URL(database.url);
  const port = Number(url.port);
  const relay = await startTcpRelay(() => port);
  onTestFinished(relay.close);
  url.port = String(relay.port);
  const relayed = createPgPool(url.href, { applicationName: "relayed", maxConnections: 1 });
  onTestFinished(() => relayed.end());
  const silent = sql.fragment`select pg_sleep(60)`;
  const inBytes = (client: PoolClient) => copyBytes(client, silent).next();
  const inRows = (client: PoolClient) => eachCopiedRow(client, silent, () => undefined);
  for (const read of [inBytes, inRows]) {
    const client = await relayed.connect();
    const failed = expect(read(client)).rejects.toThrow(/ECONNRESET|terminated/);
    relay.drop();
    await failed;
    expect((await relayed.query("select 1 as one")).rows).toEqual([{ one: 1 }]);
  }
});
