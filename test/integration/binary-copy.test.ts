import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import fc from "fast-check";
import { Client } from "pg";
import { from as copyFrom } from "pg-copy-streams";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { microsToTime, postgresMicros } from "#contracts/seismic-event/origin-time.ts";
import { binaryCopyStream, type CopyRow, createBinaryCopy } from "#infra/postgres/binary-copy.ts";
import { useDatabase } from "../support/database.ts";

const TYPES = [
  "int4",
  "bool",
  "int2",
  "int8",
  "float8",
  "text",
  "json",
  "uuid",
  "timestamptz",
] as const;
type Row = CopyRow<typeof TYPES>;

const database = useDatabase({ empty: true });
let client: Client;

beforeAll(async () => {
  client = new Client({ connectionString: database.url });
  await client.connect();
  await client.query("set time zone 'UTC'; set datestyle to 'ISO, YMD'");
  await client.query(`create temporary table copied (
    n int4, b bool, i2 int2, i8 int8, f8 float8, t text, j json, u uuid, tz timestamptz)`);
});
afterAll(() => client.end());
beforeEach(() => client.query("truncate copied"));

async function copy(rows: Iterable<Row>): Promise<void> {
  const source = Readable.from(binaryCopyStream(TYPES, rows));
  await pipeline(source, client.query(copyFrom("copy copied from stdin (format binary)")));
}

async function stored(): Promise<unknown[][]> {
  const { rows } = await client.query({
    text: `select n, b, i2, i8::text, f8, t, j::text, u::text,
      (extract(epoch from tz) * 1000000)::bigint::text from copied order by n`,
    rowMode: "array",
  });
  return rows;
}

/** A row as PostgreSQL tells it back. */
function told([n, b, i2, i8, f8, t, j, u, tz]: Row): unknown[] {
  const unixMicros = tz === null ? null : String(tz + 946_684_800_000_000n);
  return [n, b, i2, i8 === null ? null : String(i8), f8, t, j, u, unixMicros];
}

const text = fc.string({ unit: "binary", maxLength: 60 }).map((t) => t.replaceAll("\0", ""));
const micros = fc.bigInt({ min: -30_610_224_000_000_000n, max: 4_102_444_800_000_000n });
const values = fc.tuple(
  fc.option(fc.boolean()),
  fc.option(fc.integer({ min: -32_768, max: 32_767 })),
  fc.option(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })),
  fc.option(fc.double()),
  fc.option(text),
  fc.option(fc.jsonValue().map((value) => JSON.stringify(value))),
  fc.option(fc.uuid()),
  fc.option(micros.map((at) => postgresMicros(microsToTime(at, 6)))),
);

describe("a binary COPY", () => {
  test("stores exactly the values given", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(values, { maxLength: 50 }), async (given) => {
        const rows = given.map((row, n): Row => [n, ...row]);
        await client.query("truncate copied");
        await copy(rows);
        expect(await stored()).toEqual(rows.map(told));
      }),
      { numRuns: 30 },
    );
  });

  test("grows beyond its buffer, within a row and over many", async () => {
    const long = "é".repeat(400_000);
    const rows = Array.from(
      { length: 5000 },
      (_, n): Row => [
        n,
        true,
        1,
        2n,
        0.1,
        n === 7 ? long : "short",
        "{}",
        "7f3e1b52-9c4d-8a86-8000-0005000000ff",
        0n,
      ],
    );
    await copy(rows);
    expect(await stored()).toEqual(rows.map(told));
  });

  test("stores nothing when there are no rows", async () => {
    await copy([]);
    expect(await stored()).toEqual([]);
  });

  test("reads the time of an event as PostgreSQL does", async () => {
    const times = ["1000-01-01T00:00:00Z", "1969-12-31T23:59:59.999999Z", "2024-02-29T12:00:00.5Z"];
    await copy(
      times.map(
        (time, n): Row => [n, null, null, null, null, null, null, null, postgresMicros(time)],
      ),
    );
    const { rows } = await client.query(
      "select to_char(tz, 'YYYY-MM-DD HH24:MI:SS.US') as at from copied order by n",
    );
    expect(rows.map(({ at }) => at)).toEqual([
      "1000-01-01 00:00:00.000000",
      "1969-12-31 23:59:59.999999",
      "2024-02-29 12:00:00.500000",
    ]);
  });
});

describe("the encoder", () => {
  test.each([
    ["int2", 32_768],
    ["int4", 2 ** 31],
    ["int4", 0.5],
  ] as const)("refuses for %s the number %d", (type, value) => {
    expect(() => createBinaryCopy([type]).row([value])).toThrow(RangeError);
  });

  test("refuses integers beyond 64 bits and texts that are no UUID", () => {
    expect(() => createBinaryCopy(["int8"]).row([2n ** 63n])).toThrow(RangeError);
    expect(() => createBinaryCopy(["uuid"]).row(["7f3e1b52-9c4d-8a86-8000-0005000000fg"])).toThrow(
      RangeError,
    );
    expect(() => createBinaryCopy(["uuid"]).row(["7f3e"])).toThrow(RangeError);
  });
});
