import { zstdCompressSync, zstdDecompressSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type BulletinReference, countsStored } from "#contracts/bulletin/bulletin-summary.ts";
import { columnsOf } from "#contracts/seismic-event/event-columns.ts";
import { emptyRecord, type SeismicEventRecord } from "#contracts/seismic-event/seismic-event.ts";
import {
  type Chunk,
  type ChunkRows,
  decodeChunk,
  encodeChunk,
  type IdentifiedColumns,
} from "#infra/event-log/chunk-codec.ts";
import { CorruptChunk, UnknownChunkVersion } from "#infra/event-log/errors.ts";
import { anyRecord } from "../support/arbitrary-record.ts";
import { testRows } from "../support/test-rows.ts";

const ORIGIN = { time: "2020-01-01T00:00:00.123456Z", latitude: -0, longitude: 5e-324 };

const references: fc.Arbitrary<BulletinReference | null> = fc.option(
  fc.record({
    sha256: fc.stringMatching(/^[0-9a-f]{64}$/),
    revision: fc.option(fc.integer({ min: 1, max: 2 ** 30 - 1 })),
    counts: fc.array(fc.nat(), { minLength: 9, maxLength: 9 }).map(countsStored),
  }),
);

/** Rows with bulletins, or all without. */
function withBulletins<R extends ChunkRows>(rows: R): fc.Arbitrary<R> {
  const { length } = rows;
  return fc
    .array(references, { minLength: length, maxLength: length })
    .map((bulletins) => (bulletins.some(Boolean) ? { ...rows, bulletins } : rows));
}

const chunks: fc.Arbitrary<Chunk> = fc
  .record({
    firstIndex: fc.nat(),
    added: fc.array(anyRecord, { maxLength: 4 }),
    restored: fc.array(fc.tuple(fc.uuid(), anyRecord), { maxLength: 3 }),
    updated: fc.array(fc.tuple(fc.uuid(), anyRecord), { maxLength: 3 }),
    removed: fc.array(fc.uuid(), { maxLength: 3 }),
  })
  .map(({ firstIndex, added, restored, updated, removed }) => ({
    firstIndex,
    removed,
    added: columnsOf(added),
    restored: identified(restored),
    updated: identified(updated),
  }))
  .chain((chunk) =>
    fc
      .tuple(
        withBulletins<ChunkRows>(chunk.added),
        withBulletins(chunk.restored),
        withBulletins(chunk.updated),
      )
      .map(([added, restored, updated]) => ({ ...chunk, added, restored, updated })),
  );

function identified(rows: readonly [string, SeismicEventRecord][]): IdentifiedColumns {
  return { ...columnsOf(rows.map(([, record]) => record)), ids: rows.map(([id]) => id) };
}

function chunkOf(...records: Parameters<typeof columnsOf>): Chunk {
  return {
    firstIndex: 0,
    added: columnsOf(...records),
    restored: identified([]),
    updated: identified([]),
    removed: [],
  };
}

function withHeader(value: unknown): Uint8Array {
  return Buffer.concat([Buffer.from("EQC\x01"), zstdCompressSync(JSON.stringify(value))]);
}

describe("a chunk", () => {
  test("a chunk decodes to exactly what was encoded", () => {
    fc.assert(
      fc.property(chunks, (chunk) => {
        expect(decodeChunk(encodeChunk(chunk))).toEqual(chunk);
      }),
    );
  });

  test("a chunk keeps negative zero, the smallest number, six-digit times and any script", () => {
    const extra = { 𝛼: ["\u2028", -0, { nested: 1e-300 }], ["constructor"]: "plain" };
    const chunk = chunkOf([{ ...emptyRecord(ORIGIN), region: "Ōtautahi 地震 🌏", extra }]);
    const decoded = decodeChunk(encodeChunk(chunk));
    expect(decoded).toEqual(chunk);
    expect(Object.is(decoded.added.columns.latitude[0], -0)).toBe(true);
  });

  test("a chunk is readable as zstd and JSON after four bytes", () => {
    const bytes = encodeChunk(chunkOf([emptyRecord({ ...ORIGIN, latitude: 1 })]));
    expect(Buffer.from(bytes.subarray(0, 4)).toString("latin1")).toBe("EQC\x01");
    expect(JSON.parse(zstdDecompressSync(bytes.subarray(4)).toString())).toEqual({
      firstIndex: 0,
      added: {
        length: 1,
        columns: { time: [ORIGIN.time], latitude: [1], longitude: [5e-324] },
      },
      updated: { length: 0, columns: { time: [], latitude: [], longitude: [] }, ids: [] },
      removed: [],
    });
  });

  test("a chunk with restored events is of format 2, which services before it refuse", () => {
    const restored = identified([["an-id", emptyRecord(ORIGIN)]]);
    expect(encodeChunk({ ...chunkOf([]), restored })[3]).toBe(2);
  });

  test("a chunk of a newer format is refused by its version", () => {
    const bytes = Buffer.from(encodeChunk(chunkOf([])));
    bytes[3] = 4;
    expect(() => decodeChunk(bytes)).toThrow(UnknownChunkVersion);
  });

  test("a chunk that is damaged anywhere is refused, or read as it was when no bit that counts changed", () => {
    const chunk = chunkOf([emptyRecord(ORIGIN)]);
    const bytes = encodeChunk(chunk);
    fc.assert(
      fc.property(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }), (at, change) => {
        const damaged = Buffer.from(bytes);
        damaged[at] = (damaged[at] ?? 0) ^ change;
        expect(decodedOrRefused(damaged)).toEqual(expect.toBeOneOf([chunk, "refused"]));
      }),
    );
    expect(decodedOrRefused(bytes.subarray(0, -3))).toBe("refused");
    expect(decodedOrRefused(new Uint8Array())).toBe("refused");
  });

  test("a chunk that decompresses beyond the limit is refused", () => {
    const bomb = zstdCompressSync(Buffer.alloc(40 * 1024 * 1024, " "));
    expect(() => decodeChunk(Buffer.concat([Buffer.from("EQC\x01"), bomb]))).toThrow(CorruptChunk);
  });

  testRows(
    "a chunk that is spoilt is refused",
    [
      ["no object", [1]],
      ["no columns", { firstIndex: 0, added: {}, updated: {}, removed: [] }],
      ["columns of different lengths", withLengths(1, [1, 2], [])],
      ["fewer ids than updated rows", withLengths(1, [1], [])],
    ],
    (_, value) => {
      expect(() => decodeChunk(withHeader(value))).toThrow(CorruptChunk);
    },
  );
});

function withLengths(length: number, latitude: number[], ids: string[]): unknown {
  const events = { length, columns: { time: [ORIGIN.time], latitude, longitude: [1] } };
  return { firstIndex: 0, added: events, updated: { ...events, ids }, removed: [] };
}

function decodedOrRefused(bytes: Uint8Array): Chunk | "refused" {
  try {
    return decodeChunk(bytes);
  } catch (error) {
    if (error instanceof CorruptChunk || error instanceof UnknownChunkVersion) return "refused";
    throw error;
  }
}
