import { createHash, randomBytes } from "node:crypto";
import { zstdCompressSync, zstdDecompressSync } from "node:zlib";
import fc from "fast-check";
import { expect, test } from "vitest";
import { type BulletinReference, countsStored } from "#contracts/bulletin/counts.ts";
import {
  columnsOf,
  emptyRecord,
  rowAt,
  type SeismicEventRecord,
} from "#contracts/seismic-event/seismic-event.ts";
import {
  type Chunk,
  type ChunkRows,
  createChunkWriter,
  decodeChunk,
  type EncodedChunk,
  encodeChunk,
  type IdentifiedColumns,
} from "#infra/log/chunks.ts";
import { CorruptChunk, MAX_APPEND_BYTES, UnknownChunkVersion } from "#infra/log/event-log.ts";
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

function recordAt(index: number, more: Partial<SeismicEventRecord> = {}): SeismicEventRecord {
  const origin = { time: "2020-01-01T00:00:00Z", latitude: index % 90, longitude: 1 };
  return { ...emptyRecord(origin), source_id: `e${index}`, magnitude: index % 7, ...more };
}

function write(records: readonly SeismicEventRecord[]): EncodedChunk[] {
  const writer = createChunkWriter();
  const chunks = records.map((record) => writer.add(record));
  return [...chunks, writer.finish()].filter((chunk) => chunk !== null);
}

test("a chunk writer closes a chunk at two thousand changes", () => {
  const chunks = write(Array.from({ length: 4500 }, (_, i) => recordAt(i)));
  expect(chunks.map(({ count }) => count)).toEqual([2000, 2000, 500]);
  expect(chunks.map(({ bytes }) => decodeChunk(bytes).firstIndex)).toEqual([0, 2000, 4000]);
});

test("a chunk writer gives every record back, in order", () => {
  const records = Array.from({ length: 2500 }, (_, i) => recordAt(i));
  const read = write(records).flatMap(({ bytes }) => {
    const { added } = decodeChunk(bytes);
    return Array.from({ length: added.length }, (_, i) => rowAt(added, i));
  });
  expect(read).toEqual(records);
});

test("a chunk writer keeps chunks of incompressible events below the log's limit", () => {
  const noise = () => ({ note: randomBytes(45_000).toString("base64") });
  const chunks = write(Array.from({ length: 40 }, (_, i) => recordAt(i, { extra: noise() })));
  expect(chunks.length).toBeGreaterThan(1);
  expect(Math.max(...chunks.map(({ bytes }) => bytes.length))).toBeLessThan(MAX_APPEND_BYTES);
});

test("a chunk writer counts, hashes and bounds what it writes", () => {
  const writer = createChunkWriter();
  writer.add(recordAt(3));
  writer.restore("an-earlier-id", recordAt(70));
  writer.update("an-id", recordAt(80));
  writer.remove("another-id");
  const chunk = writer.finish();
  if (chunk === null) throw new Error("there is a chunk");
  const { added, restored, updated, removed } = decodeChunk(chunk.bytes);
  expect([added.length, restored.ids]).toEqual([1, ["an-earlier-id"]]);
  expect([updated.ids, removed]).toEqual([["an-id"], ["another-id"]]);
  expect(chunk.sha256).toBe(createHash("sha256").update(chunk.bytes).digest("hex"));
  expect(chunk.count).toBe(4);
  expect(writer.counts()).toEqual({ added: 2, updated: 1, removed: 1 });
  expect(writer.bounds()).toMatchObject({ min_latitude: 3, max_latitude: 80 });
});

test("a chunk writer gives added events consecutive indexes, whatever is restored between", () => {
  const writer = createChunkWriter();
  writer.restore("an-earlier-id", recordAt(1));
  const chunks = Array.from({ length: 3000 }, (_, i) => writer.add(recordAt(i)));
  const first = [...chunks, writer.finish()].flatMap((chunk) =>
    chunk === null ? [] : decodeChunk(chunk.bytes).firstIndex,
  );
  expect(first).toEqual([0, 1999]);
});

test("a chunk writer writes nothing when nothing changed", () => {
  expect(createChunkWriter().finish()).toBeNull();
});
