import { createHash, randomBytes } from "node:crypto";
import { describe, expect, test } from "vitest";
import { rowAt } from "#contracts/seismic-event/event-columns.ts";
import { emptyRecord, type SeismicEventRecord } from "#contracts/seismic-event/seismic-event.ts";
import { decodeChunk } from "#infra/event-log/chunk-codec.ts";
import { createChunkWriter, type EncodedChunk } from "#infra/event-log/chunk-writer.ts";
import { MAX_APPEND_BYTES } from "#infra/event-log/event-log.ts";

function recordAt(index: number, more: Partial<SeismicEventRecord> = {}): SeismicEventRecord {
  const origin = { time: "2020-01-01T00:00:00Z", latitude: index % 90, longitude: 1 };
  return { ...emptyRecord(origin), source_id: `e${index}`, magnitude: index % 7, ...more };
}

function write(records: readonly SeismicEventRecord[]): EncodedChunk[] {
  const writer = createChunkWriter();
  const chunks = records.map((record) => writer.add(record));
  return [...chunks, writer.finish()].filter((chunk) => chunk !== null);
}

describe("a chunk writer", () => {
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
});
