import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ScalarName } from "#contracts/http/events.ts";
import { ATTRIBUTE_NAMES } from "#contracts/seismic-event/attributes.ts";
import { emptyRecord, type SeismicEvent } from "#contracts/seismic-event/seismic-event.ts";
import {
  createPackedColumns,
  lowBytes,
  PACKED_BYTES,
} from "#infra/formats/columnar/packed-columns.ts";
import { anyRecord } from "../../../support/arbitrary-record.ts";
import { copiedColumns, uuidOf } from "../../../support/columnar/copied-rows.ts";
import { generateEvents } from "../../../support/generate-catalogue.ts";
import { decodeColumns, packedValue } from "../../../support/packed/decode-columns.ts";
import { runs } from "../../../support/runs.ts";

/** The one that the ids of `uuidOf` belong to. */
const CATALOGUE = "0f0e1d2c-abcd-4000-8000-000000000000";
const ALL: readonly ScalarName[] = ["id", "time", ...ATTRIBUTE_NAMES];

const anyEvents = fc
  .array(anyRecord, { maxLength: 30 })
  .map((records) => records.map((record, i) => ({ id: uuidOf(i), ...record })));
const anyColumns = fc.shuffledSubarray([...ALL], { minLength: 1 });

const generated = (count: number): SeismicEvent[] =>
  [...generateEvents(3, count)].map((event, i) => ({
    id: uuidOf(i),
    ...emptyRecord(event as SeismicEvent),
    ...(event as Partial<SeismicEvent>),
  }));

async function pack(
  events: readonly SeismicEvent[],
  columns: readonly ScalarName[],
  pieceBytes = 64 * 1024,
): Promise<Buffer> {
  const writer = createPackedColumns({ catalogue: CATALOGUE, version: 7, columns });
  try {
    const rows = await copiedColumns(events, columns);
    for (let at = 0; at < rows.length; at += pieceBytes) {
      await writer.take(rows.subarray(at, at + pieceBytes));
    }
    const pieces: Uint8Array[] = [];
    for await (const piece of writer.pieces()) pieces.push(piece);
    return Buffer.concat(pieces);
  } finally {
    await writer.discard();
  }
}

const valuesOf = (events: readonly SeismicEvent[], columns: readonly ScalarName[]) =>
  columns.map((name) => events.map((event) => packedValue(event, name)));

test("packed columns give back the values of any events, in any order of columns, however the rows are cut", async () => {
  const anySize = fc.integer({ min: 1, max: 900 });
  await fc.assert(
    fc.asyncProperty(anyEvents, anyColumns, anySize, async (events, columns, pieceBytes) => {
      const { header, values } = decodeColumns(await pack(events, columns, pieceBytes));
      expect(values).toEqual(valuesOf(events, columns));
      expect(header).toMatchObject({ catalogue: CATALOGUE, version: 7, count: events.length });
      expect(header.columns.map(({ name }) => name)).toEqual(columns);
    }),
    { numRuns: runs(100) },
  );
});

test("packed columns of more events than memory is kept for give back every value of them", async () => {
  const events = generated(45_000);
  const columns: ScalarName[] = ["magnitude_type", "source_id", "time", "region", "id", "depth"];
  const few = events.map((event, i) => ({
    ...event,
    source_id: i % 9 === 0 ? null : `id ${i % 30_000}`,
  }));
  const body = await pack(few, columns);
  const { header, values } = decodeColumns(body);
  expect(header.columns.map(({ type }) => type)).toEqual([
    "u8",
    "u16",
    "f64",
    "u8",
    "u32x2",
    "f32",
  ]);
  const expected = valuesOf(few, columns);
  for (const [i, column] of values.entries())
    expect(
      Buffer.from(JSON.stringify(column)).equals(Buffer.from(JSON.stringify(expected[i]))),
    ).toBe(true);
});

test("packed columns lie one after the other on multiples of eight bytes, and nothing follows them", async () => {
  await fc.assert(
    fc.asyncProperty(anyEvents, anyColumns, async (events, columns) => {
      const body = await pack(events, columns);
      const { header } = decodeColumns(body);
      let next = 8 + body.readUInt32LE(4);
      for (const { type, offset } of header.columns) {
        expect([offset, offset % 8]).toEqual([next, 0]);
        next += Math.ceil((PACKED_BYTES[type] * header.count) / 8) * 8;
      }
      expect(body.length).toBe(next);
    }),
    { numRuns: runs(60) },
  );
});

test("packed texts are told apart in 8 bits up to 255 of them, and null from all", async () => {
  for (const [texts, type] of [
    [255, "u8"],
    [256, "u16"],
  ] as const) {
    const events = generated(600).map((event, i) => ({
      ...event,
      region: i < 300 ? `region ${i % texts}` : null,
    }));
    const { header, values } = decodeColumns(await pack(events, ["region"]));
    expect(header.columns[0]?.type).toBe(type);
    expect(header.columns[0]?.dictionary?.slice(0, 3)).toEqual([null, "region 0", "region 1"]);
    expect(values).toEqual(valuesOf(events, ["region"]));
  }
});

describe("packed columns are refused", () => {
  const refusal = (message: string) => ({
    code: "VALIDATION_ERROR",
    message: `columns: ${message}: exports have them`,
  });

  test("with more than 65,535 different texts in one of them", async () => {
    const events = generated(65_536).map((event, i) => ({
      ...event,
      source_id: i === 0 ? null : `${i}`,
    }));
    expect(decodeColumns(await pack(events, ["source_id"])).values[0]?.at(-1)).toBe("65535");
    const more = events.map((event, i) => ({ ...event, source_id: `${i}` }));
    await expect(pack(more, ["magnitude", "source_id"])).rejects.toMatchObject(
      refusal("source_id has more than 65535 different texts"),
    );
  });

  test("with more than 16 MiB of texts in all", async () => {
    const long = "x".repeat(2_500);
    const events = generated(4_000).map((event, i) => ({
      ...event,
      region: long + i,
      author: `${long}${i}`,
    }));
    await expect(pack(events, ["region", "author"])).rejects.toMatchObject(
      refusal("the texts have more than 16777216 bytes"),
    );
    expect(decodeColumns(await pack(events, ["region"])).header.count).toBe(4_000);
  });

  test("when rows are missing", async () => {
    const writer = createPackedColumns({ catalogue: CATALOGUE, version: 1, columns: ["time"] });
    const rows = await copiedColumns(generated(3), ["time"]);
    await writer.take(rows.subarray(0, rows.length - 2));
    await expect(writer.pieces().next()).rejects.toThrow("the copy ends within a row");
    await writer.discard();
  });
});

test("the lower bytes of 16 bits are the same wherever they are cut", async () => {
  const cuts = fc.array(fc.uint8Array({ maxLength: 5 }), { maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(cuts, async (pieces) => {
      const low: number[] = [];
      for await (const piece of lowBytes(from(pieces))) low.push(...piece);
      expect(low).toEqual([...Buffer.concat(pieces)].filter((_, i) => i % 2 === 0));
    }),
  );
});

async function* from<T>(items: readonly T[]): AsyncGenerator<T> {
  yield* items;
}
