import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { setImmediate } from "node:timers/promises";
import fc from "fast-check";
import { Client, type Pool, type PoolClient } from "pg";
import { from as copyFrom } from "pg-copy-streams";
import { type FragmentSqlToken, sql } from "slonik";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { microsToTime, postgresMicros } from "#contracts/seismic-event/time.ts";
import {
  binaryCopyStream,
  type CopyBlock,
  type CopyField,
  countedUuidField,
  createCopyBuffer,
  float8Field,
  int2Field,
  int4Field,
  jsonField,
  nullField,
  sameInEveryRow,
  textField,
  timestamptzField,
  uuidField,
} from "#infra/postgres/copy/binary-copy.ts";
import { readTextRow, type TextRow } from "#infra/postgres/copy/copied.ts";
import { copyBytes, copyRows, eachCopiedRow } from "#infra/postgres/copy/copy-out.ts";
import { createPgPool } from "#infra/postgres/pool.ts";
import { useDatabase } from "../support/database.ts";
import { runs } from "../support/runs.ts";
import { relayTo } from "../support/tcp-relay.ts";

const database = useDatabase({ empty: true });
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
  const texts = ["'; drop table x; --", "\\", "\\N", "\\\\N", '"', "{}", "a,b"];
  const hostile = [...texts, "$slonik_1", "null", ""];
  const query = sql.fragment`
    select u from unnest(${sql.array(hostile, "text")}) with ordinality t(u, n)
    where u <> ${"nothing"} and ${true} and u is distinct from ${null} order by n`;
  expect(await rowsOf(query)).toEqual(hostile.map((h) => [h]));
});

test("COPY out reads rows larger than any piece that comes over the wire, and none", async () => {
  const long = "long\t\\ ".repeat(100_000);
  const query = sql.fragment`select repeat(${"long\t\\ "}, 100000), 1`;
  expect(await rowsOf(query)).toEqual([[long, "1"]]);
  expect(await rowsOf(sql.fragment`select 1 where false`)).toEqual([]);
});

test("COPY out closes its connection when it is given up, also before it began, and the pool goes on", async () => {
  const all = sql.fragment`select n, repeat('x', 1000) from generate_series(1, 1000000) n`;
  for await (const bytes of copyBytes(await pool.connect(), all)) {
    expect(bytes.length).toBeGreaterThan(0);
    break;
  }
  expect(await rowsOf(sql.fragment`select 1`)).toEqual([["1"]]);
  const tooLate = AbortSignal.abort(new Error("too late"));
  const pieces = copyBytes(await pool.connect(), sql.fragment`select 1`, tooLate);
  await expect(pieces.next()).rejects.toThrow("too late");
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

test("COPY out throws what the database says, at the beginning and in the midst", async () => {
  const fails = sql.fragment`select 1 / (n - 5000) from generate_series(1, 10000) n`;
  for (const rows of [rowsOf, batchedRowsOf]) {
    await expect(rows(sql.fragment`select * from nowhere`)).rejects.toThrow("nowhere");
    await expect(rows(fails)).rejects.toThrow("division by zero");
  }
  expect(await rowsOf(sql.fragment`select 1`)).toEqual([["1"]]);
});

test("COPY out fails when its connection is lost, and the pool goes on", async () => {
  const relay = await relayTo(database.url);
  onTestFinished(relay.close);
  const relayed = createPgPool(relay.url, { applicationName: "relayed", maxConnections: 1 });
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

test("COPY out gives other work its turn while many rows are copied, of which none is lost", async () => {
  const ROWS = 60_000;
  const query = sql.fragment`select i, repeat('x', 200) from generate_series(1, ${ROWS}) as i`;
  let rows = 0;
  let sum = 0;
  let mostAtOnce = 0;
  let atOnce = 0;
  let copying = true;
  const turns = (async () => {
    while (copying) {
      mostAtOnce = Math.max(mostAtOnce, atOnce);
      atOnce = 0;
      await setImmediate();
    }
  })();
  await eachCopiedRow(await pool.connect(), query, (line) => {
    rows += 1;
    atOnce += 1;
    sum += Number.parseInt(line.toString("latin1"), 10);
    // Each row costs what writing an event costs.
    for (const until = performance.now() + 0.005; performance.now() < until; );
  });
  copying = false;
  await turns;
  expect(rows).toBe(ROWS);
  expect(sum).toBe((ROWS * (ROWS + 1)) / 2);
  // A read of a socket brings up to 64 KB; without pauses 32 of them would follow each other.
  expect(mostAtOnce).toBeLessThan(2_000);
});

describe("a binary COPY", () => {
  type Row = readonly [
    n: number,
    i2: number | null,
    f8: number | null,
    t: string | null,
    j: fc.JsonValue,
    u: string | null,
    tz: bigint | null,
  ];
  /** Place of the column in the table. */
  const UUID = 5;
  const ID = "7f3e1b52-9c4d-8a86-8000-0005";
  let client: Client;

  beforeAll(async () => {
    client = new Client({ connectionString: database.url });
    await client.connect();
    await client.query("set time zone 'UTC'; set datestyle to 'ISO, YMD'");
    await client.query(`create temporary table copied (
      n int4, i2 int2, f8 float8, t text, j json, u uuid, tz timestamptz)`);
  });
  afterAll(() => client.end());

  function blockOf(rows: readonly Row[]): CopyBlock {
    const fields = [
      int4Field(rows.map(([n]) => n)),
      int2Field(rows.map(([, i2]) => i2)),
      float8Field(rows.map(([, , f8]) => f8)),
      textField(rows.map(([, , , t]) => t)),
      jsonField(rows.map(([, , , , j]) => j)),
      uuidField(rows.map(([, , , , , u]) => u)),
      timestamptzField(rows.map(([, , , , , , tz]) => tz)),
    ];
    return { length: rows.length, fields };
  }

  /** What the table holds, as PostgreSQL tells it back, once it has taken these blocks alone. */
  async function copied(...blocks: readonly CopyBlock[]): Promise<unknown[][]> {
    await client.query("truncate copied");
    const source = Readable.from(binaryCopyStream(blocks));
    await pipeline(source, client.query(copyFrom("copy copied from stdin (format binary)")));
    const { rows } = await client.query({
      text: `select n, i2, f8, t, j::text, u::text,
        (extract(epoch from tz) * 1000000)::bigint::text from copied order by n`,
      rowMode: "array",
    });
    return rows;
  }

  function told([n, i2, f8, t, j, u, tz]: Row): unknown[] {
    const unixMicros = tz === null ? null : String(tz + 946_684_800_000_000n);
    return [n, i2, f8, t, j === null ? null : JSON.stringify(j), u, unixMicros];
  }

  test("stores exactly the values given", async () => {
    const anyText = fc.string({ unit: "binary", maxLength: 60 });
    const micros = fc.bigInt({ min: -30_610_224_000_000_000n, max: 4_102_444_800_000_000n });
    const values = fc.tuple(
      fc.option(fc.integer({ min: -32_768, max: 32_767 })),
      fc.option(fc.double()),
      fc.option(anyText.map((some) => some.replaceAll("\0", ""))),
      fc.option(fc.jsonValue()),
      fc.option(fc.uuid()),
      fc.option(micros.map((at) => postgresMicros(microsToTime(at, 6)))),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(values, { maxLength: 100 })), async (given) => {
        let n = 0;
        const blocks = given.map((rows) => rows.map((row): Row => [n++, ...row]));
        expect(await copied(...blocks.map(blockOf))).toEqual(blocks.flat().map(told));
      }),
      { numRuns: runs(30) },
    );
  });

  test("grows beyond its buffer, within a row and over many, and stores nothing of no rows", async () => {
    const long = "é".repeat(400_000);
    const rows = Array.from({ length: 5000 }, (_, n): Row => {
      return [n, 1, 0.1, n === 7 ? long : "short", {}, `${ID}000000ff`, 0n];
    });
    expect(await copied(blockOf(rows))).toEqual(rows.map(told));
    expect(await copied()).toEqual([]);
    expect(await copied(blockOf([]))).toEqual([]);
  });

  test("reads the time of an event as PostgreSQL does", async () => {
    const times = ["1000-01-01T00:00:00Z", "1969-12-31T23:59:59.999999Z", "2024-02-29T12:00:00.5Z"];
    const rows = times.map((time, n): Row => {
      return [n, null, null, null, null, null, postgresMicros(time)];
    });
    await copied(blockOf(rows));
    const { rows: found } = await client.query(
      "select to_char(tz, 'YYYY-MM-DD HH24:MI:SS.US') as at from copied order by n",
    );
    expect(found.map(({ at }) => at)).toEqual([
      "1000-01-01 00:00:00.000000",
      "1969-12-31 23:59:59.999999",
      "2024-02-29 12:00:00.500000",
    ]);
  });

  test("repeats a value and counts ids on, beyond 31 bits too", async () => {
    const ids = [`${ID}7fffffff`, `${ID}80000000`];
    const fields = [sameInEveryRow(int4Field([5])), ...Array.from({ length: 6 }, () => nullField)];
    fields[UUID] = countedUuidField(ids[0] ?? "");
    const rows = ids.map((id) => told([5, null, null, null, null, id, null]));
    expect(await copied({ length: 2, fields })).toEqual(rows);
  });

  test("refuses numbers and ids that its fields do not hold", () => {
    const write = (field: CopyField, row = 0) => field(createCopyBuffer(64), row);
    const wrong = [int2Field([32_768]), int4Field([2 ** 31]), int4Field([0.5])];
    const noIds = [uuidField([`${ID}000000fg`]), uuidField(["7f3e"])];
    for (const field of [...wrong, ...noIds]) expect(() => write(field)).toThrow(RangeError);
    const last = countedUuidField(`${ID}ffffffff`);
    expect(() => write(last)).not.toThrow();
    expect(() => write(last, 1)).toThrow(RangeError);
  });
});
