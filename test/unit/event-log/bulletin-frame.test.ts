import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { emptyRecord } from "#contracts/seismic-event/seismic-event.ts";
import { packBulletin } from "#infra/bulletins/packed-bulletin.ts";
import { decodeFrame, encodeFrame, type PlacedPiece } from "#infra/event-log/bulletin-frame.ts";
import { decodeChunk } from "#infra/event-log/chunk-codec.ts";
import { createChunkWriter } from "#infra/event-log/chunk-writer.ts";
import { CorruptFrame, UnknownFrameVersion } from "#infra/event-log/errors.ts";
import { MAX_APPEND_BYTES } from "#infra/event-log/event-log.ts";
import { smallBulletin } from "../../support/bulletins/small-bulletin.ts";
import { runs } from "../../support/runs.ts";

const pieces: fc.Arbitrary<PlacedPiece[]> = fc.array(
  fc.record({
    at: fc.oneof(fc.nat(), fc.uuid()),
    part: fc.integer({ min: 0, max: 2 }),
    piece: fc.nat(200),
    of: fc.nat(200),
    bytes: fc.uint8Array({ maxLength: 300 }),
  }),
  { maxLength: 8 },
);

describe("a frame of bulletins", () => {
  test("decodes to the pieces that were encoded", () => {
    fc.assert(
      fc.property(pieces, (given) => {
        const decoded = decodeFrame(encodeFrame(given));
        expect(decoded.map((piece) => ({ ...piece, bytes: Uint8Array.from(piece.bytes) }))).toEqual(
          given,
        );
      }),
      { numRuns: runs(500) },
    );
  });

  test("is refused with a changed bit, unless none that counts changed, and cut anywhere", () => {
    const given = packBulletin(smallBulletin()).pieces.map((piece) => ({ at: 0, ...piece }));
    const frame = encodeFrame(given);
    const read = decodeFrame(frame);
    let readable = 0;
    for (let at = 0; at < frame.length; at += 1) {
      const changed = Buffer.from(frame);
      changed[at] = (changed[at] ?? 0) ^ (1 << (at % 8));
      const decoded = decodedOrRefused(changed);
      if (decoded === null) continue;
      readable += 1;
      expect(decoded, `bit of byte ${at}`).toEqual(read);
    }
    // Zstandard's frame header has bits without a meaning.
    expect(readable).toBeLessThan(3);
    for (let at = 0; at < frame.length; at += 1) {
      expect(() => decodeFrame(frame.subarray(0, at)), `cut at ${at}`).toThrow(CorruptFrame);
    }
  });
});

function decodedOrRefused(bytes: Uint8Array): PlacedPiece[] | null {
  try {
    return decodeFrame(bytes);
  } catch (error) {
    if (error instanceof CorruptFrame || error instanceof UnknownFrameVersion) return null;
    throw error;
  }
}

describe("a writer of chunks", () => {
  const record = emptyRecord({ time: "2024-05-06T07:08:01.5Z", latitude: -41.5, longitude: 174.5 });

  test("puts many small bulletins into one frame, each at its event", () => {
    const writer = createChunkWriter();
    for (let i = 0; i < 40; i += 1) {
      const bulletin = i % 2 === 0 ? packBulletin(smallBulletin(`${i}`)) : null;
      expect(writer.add(record, bulletin)).toBeNull();
    }
    const chunk = writer.finish();
    const [frame, ...others] = chunk?.frames ?? [];
    if (!chunk || !frame) throw new Error("no frame");
    expect(others).toEqual([]);
    const places = decodeFrame(frame.bytes).map(({ at }) => at);
    expect(places).toEqual(Array.from({ length: 20 }, (_, i) => 2 * i));
    const { added } = decodeChunk(chunk.bytes);
    expect(added.bulletins?.[1]).toBeNull();
    const { sha256, counts } = packBulletin(smallBulletin("2"));
    expect(added.bulletins?.[2]).toEqual({ sha256, counts, revision: null });
  });

  test("puts a large bulletin into several frames that each fit an append", () => {
    const text = Array.from({ length: 150_000 }, (_, i) => Math.sin(i).toString(36)).join("");
    const large = packBulletin({ ...smallBulletin(), comment: [{ text }] });
    const writer = createChunkWriter();
    const chunk =
      writer.update("0190b3a4-0000-8000-8000-000000000000", record, large) ?? writer.finish();
    const frames = chunk?.frames ?? [];
    expect(frames.length).toBeGreaterThan(1);
    for (const { bytes } of frames) expect(bytes.length).toBeLessThan(MAX_APPEND_BYTES - 10_000);
    const found = frames.flatMap(({ bytes }) => decodeFrame(bytes));
    expect(found.map(({ part, piece, of }) => ({ part, piece, of }))).toEqual(
      large.pieces.map(({ part, piece, of }) => ({ part, piece, of })),
    );
  });

  test("only names a bulletin that is in the log", () => {
    const writer = createChunkWriter();
    const { sha256, counts } = packBulletin(smallBulletin());
    writer.restore("an-id", record, { sha256, counts, revision: 7 });
    const chunk = writer.finish();
    expect(chunk).not.toHaveProperty("frames");
    expect(chunk && decodeChunk(chunk.bytes).restored.bulletins).toEqual([
      { sha256, counts, revision: 7 },
    ]);
  });

  test("writes events without bulletins as before there were any", () => {
    const writer = createChunkWriter();
    writer.add(record);
    expect(writer.finish()?.bytes[3]).toBe(1);
    writer.restore("an-id", record);
    expect(writer.finish()?.bytes[3]).toBe(2);
  });
});
