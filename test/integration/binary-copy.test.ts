import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import fc from "fast-check";
import { Client } from "pg";
import { from as copyFrom } from "pg-copy-streams";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { microsToTime, postgresMicros } from "#contracts/seismic-event/origin-time.ts";
import { binaryCopyStream, type CopyBlock } from "#infra/postgres/copy/binary-copy.ts";
import { createCopyBuffer } from "#infra/postgres/copy/copy-buffer.ts";
import {
  type CopyField,
  float8Field,
  int2Field,
  int4Field,
  jsonField,
  nullField,
  sameInEveryRow,
  textField,
  timestamptzField,
} from "#infra/postgres/copy/copy-fields.ts";
import { countedUuidField, uuidField } from "#infra/postgres/copy/uuid-fields.ts";
import { useDatabase } from "../support/database.ts";
import { runs } from "../support/runs.ts";

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

const database = useDatabase({ empty: true });
let client: Client;

beforeAll(async () => {
  client = new Client({ connectionString: database.url });
  await client.connect();
  await client.query("set time zone 'UTC'; set datestyle to 'ISO, YMD'");
  await client.query(`create temporary table copied (
    n int4, i2 int2, f8 float8, t text, j json, u uuid, tz timestamptz)`);
});
afterAll(() => client.end());
beforeEach(() => client.query("truncate copied"));

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

async function copy(...blocks: readonly CopyBlock[]): Promise<void> {
  const source = Readable.from(binaryCopyStream(blocks));
  await pipeline(source, client.query(copyFrom("copy copied from stdin (format binary)")));
}

async function stored(): Promise<unknown[][]> {
  const { rows } = await client.query({
    text: `select n, i2, f8, t, j::text, u::text,
      (extract(epoch from tz) * 1000000)::bigint::text from copied order by n`,
    rowMode: "array",
  });
  return rows;
}

/** A row as PostgreSQL tells it back. */
function told([n, i2, f8, t, j, u, tz]: Row): unknown[] {
  const unixMicros = tz === null ? null : String(tz + 946_684_800_000_000n);
  return [n, i2, f8, t, j === null ? null : JSON.stringify(j), u, unixMicros];
}

const text = fc.string({ unit: "binary", maxLength: 60 }).map((t) => t.replaceAll("\0", ""));
const micros = fc.bigInt({ min: -30_610_224_000_000_000n, max: 4_102_444_800_000_000n });
const values = fc.tuple(
  fc.option(fc.integer({ min: -32_768, max: 32_767 })),
  fc.option(fc.double()),
  fc.option(text),
  fc.option(fc.jsonValue()),
  fc.option(fc.uuid()),
  fc.option(micros.map((at) => postgresMicros(microsToTime(at, 6)))),
);

describe("a binary COPY", () => {
  test("a binary COPY stores exactly the values given", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(values, { maxLength: 100 })), async (given) => {
        let n = 0;
        const blocks = given.map((rows) => rows.map((row): Row => [n++, ...row]));
        await client.query("truncate copied");
        await copy(...blocks.map(blockOf));
        expect(await stored()).toEqual(blocks.flat().map(told));
      }),
      { numRuns: runs(30) },
    );
  });

  test("a binary COPY grows beyond its buffer, within a row and over many", async () => {
    const long = "é".repeat(400_000);
    const id = "7f3e1b52-9c4d-8a86-8000-0005000000ff";
    const rows = Array.from(
      { length: 5000 },
      (_, n): Row => [n, 1, 0.1, n === 7 ? long : "short", {}, id, 0n],
    );
    await copy(blockOf(rows));
    expect(await stored()).toEqual(rows.map(told));
  });

  test("a binary COPY stores nothing when there are no rows", async () => {
    await copy();
    await copy(blockOf([]));
    expect(await stored()).toEqual([]);
  });

  test("a binary COPY reads the time of an event as PostgreSQL does", async () => {
    const times = ["1000-01-01T00:00:00Z", "1969-12-31T23:59:59.999999Z", "2024-02-29T12:00:00.5Z"];
    await copy(
      blockOf(times.map((time, n) => [n, null, null, null, null, null, postgresMicros(time)])),
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

  test("a binary COPY repeats a value and counts ids on, beyond 31 bits too", async () => {
    const ids = ["7f3e1b52-9c4d-8a86-8000-00057fffffff", "7f3e1b52-9c4d-8a86-8000-000580000000"];
    const [first = ""] = ids;
    const fields = [sameInEveryRow(int4Field([5])), ...Array.from({ length: 6 }, () => nullField)];
    fields[UUID] = countedUuidField(first);
    await copy({ length: 2, fields });
    expect(await stored()).toEqual(ids.map((id) => told([5, null, null, null, null, id, null])));
  });
});

describe("a field refuses", () => {
  const write = (field: CopyField, row = 0) => field(createCopyBuffer(64), row);

  test("a field refuses numbers that are no integers of its size", () => {
    expect(() => write(int2Field([32_768]))).toThrow(RangeError);
    expect(() => write(int4Field([2 ** 31]))).toThrow(RangeError);
    expect(() => write(int4Field([0.5]))).toThrow(RangeError);
  });

  test("texts that are no UUID, and to count beyond the last", () => {
    expect(() => write(uuidField(["7f3e1b52-9c4d-8a86-8000-0005000000fg"]))).toThrow(RangeError);
    expect(() => write(uuidField(["7f3e"]))).toThrow(RangeError);
    const last = countedUuidField("7f3e1b52-9c4d-8a86-8000-0005ffffffff");
    expect(() => write(last)).not.toThrow();
    expect(() => write(last, 1)).toThrow(RangeError);
  });
});
