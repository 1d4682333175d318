import { readdirSync, readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { countsStored } from "#contracts/bulletin/counts.ts";
import { CHUNK_EVENT, FRAME_EVENT } from "#contracts/events/catalogues.ts";
import { columnsOf, emptyRecord, type JsonObject } from "#contracts/seismic-event/seismic-event.ts";
import { packBulletin, unpackBulletin } from "#infra/bulletins/packed-bulletin.ts";
import {
  createChunkWriter,
  decodeChunk,
  decodeFrame,
  encodeChunk,
  encodeFrame,
  type PlacedPiece,
} from "#infra/log/chunks.ts";
import {
  currentVersion,
  EVENT_TYPES,
  eventMetadata,
  fromRecorded,
  readRecorded,
  requireKnown,
  type Upcasts,
} from "#infra/log/domain-events.ts";
import {
  CorruptFrame,
  MAX_APPEND_BYTES,
  type Position,
  type RecordedEvent,
  UnknownEvent,
  UnknownFrameVersion,
} from "#infra/log/event-log.ts";
import { smallBulletin } from "../../support/bulletins/small-bulletin.ts";
import { runs } from "../../support/runs.ts";
import { testRows } from "../../support/test-rows.ts";

/** An event as the log would give it. */
function recordedEvent(event: Pick<RecordedEvent, "type" | "data" | "metadata">): RecordedEvent {
  return {
    id: "2a9f1f0c-5b1e-8c3d-9e4f-0a1b2c3d4e5f",
    stream: "catalogue-6d0f7a0e-3c52-4c4e-9a57-2f8d1b0c9e11",
    revision: 0,
    position: "1" as Position,
    recordedAt: event.metadata.at,
    ...event,
  };
}

const DIRECTORY = new URL("../../fixtures/events/", import.meta.url);

const files = readdirSync(DIRECTORY).sort();

/** What stood in the log when a version or format was written, and what it is read as today. */
function fixture<Stored>(file: string): Stored & { read?: JsonObject } {
  return JSON.parse(readFileSync(new URL(file, DIRECTORY), "utf8"));
}

/** As every event of every version has it. */
const METADATA = {
  commandId: "3f2b8c1e-0d4f-4b56-9a51-0f7d1f3f5b11",
  actor: "user_1763720000000_k3j9x2m4q",
  at: "2026-11-21T10:00:00.123Z",
};

function upTo(version: number): number[] {
  return Array.from({ length: version }, (_, i) => i + 1);
}

const eventFiles = EVENT_TYPES.flatMap((type) =>
  upTo(currentVersion(type)).map((version) => ({
    type,
    version,
    file: `${type}.v${version}.json`,
  })),
);

const restored = columnsOf([
  emptyRecord({ time: "2020-01-01T00:00:00Z", latitude: 1, longitude: 2 }),
]);
const summary = { sha256: "0".repeat(64), counts: countsStored(new Array(9).fill(0)) };
/** Byte 3 of a chunk is its format. */
const formatOfToday =
  encodeChunk({
    firstIndex: 0,
    added: columnsOf([]),
    restored: { ...restored, ids: ["an-id"], bulletins: [{ ...summary, revision: null }] },
    updated: { ...columnsOf([]), ids: [] },
    removed: [],
  })[3] ?? 0;
const frameFiles = [`${FRAME_EVENT}.format1.json`];
const chunkFiles = upTo(formatOfToday).map((format) => `${CHUNK_EVENT}.format${format}.json`);

test("there is a fixture of every version of every event and of every format of chunks and frames", () => {
  expect(files).toEqual(
    [...eventFiles.map(({ file }) => file), ...chunkFiles, ...frameFiles].sort(),
  );
});

describe("every version ever written is read as what it meant", () => {
  testRows(
    "a version of an event that was ever written is read",
    eventFiles,
    ({ type, version, file }) => {
      const { data, read = data } = fixture<{ data: JsonObject }>(file);
      const metadata = { ...METADATA, schemaVersion: version };
      const recorded = recordedEvent({ type, data, metadata });
      expect(() => requireKnown(recorded)).not.toThrow();
      expect(fromRecorded(recorded)).toEqual({ type, data: read });
    },
  );

  test.each(chunkFiles)("%s", (file) => {
    const { stored, read } = fixture<{ stored: string }>(file);
    expect(decodeChunk(Buffer.from(stored, "base64"))).toEqual(read);
  });

  test.each(frameFiles)("%s", (file) => {
    const { stored, read } = fixture<{ stored: string }>(file);
    const pieces = decodeFrame(Buffer.from(stored, "base64"));
    const places = pieces.map(({ bytes: _, ...place }) => place);
    expect({ places, bulletin: unpackBulletin(pieces) }).toEqual(read);
  });
});

const ID = "6d0f7a0e-3c52-4c4e-9a57-2f8d1b0c9e11";

/** As if catalogues had been created with a title, then with a name and no visibility. */
const UPCASTS: Upcasts = {
  CatalogueCreated: [
    ({ title, ...rest }) => ({ ...rest, name: title ?? "" }),
    (data) => ({ ...data, isPublic: false }),
  ],
};

function created(schemaVersion: number, data: JsonObject) {
  const origin = { commandId: ID, actor: "system", at: new Date(0) };
  const metadata = { ...eventMetadata(origin, "CatalogueCreated"), schemaVersion };
  return recordedEvent({ type: "CatalogueCreated", data, metadata });
}

const TODAY = { catalogueId: ID, name: "Alpine", isPublic: false, createdBy: "a" };

describe("an event of an older version", () => {
  testRows(
    "an earlier version is read as one of today",
    [
      [1, { catalogueId: ID, title: "Alpine", createdBy: "a" }],
      [2, { catalogueId: ID, name: "Alpine", createdBy: "a" }],
      [3, TODAY],
    ],
    (version, data) => {
      expect(readRecorded(created(version, data), UPCASTS)).toEqual({
        type: "CatalogueCreated",
        data: TODAY,
      });
    },
  );

  test("an event of an older version leaves what is recorded as it was", () => {
    const recorded = created(1, { catalogueId: ID, title: "Alpine", createdBy: "a" });
    const before = structuredClone(recorded);
    readRecorded(recorded, UPCASTS);
    expect(recorded).toEqual(before);
  });
});

test("a type is written in the version that its last upcast leads to", () => {
  expect(currentVersion("CatalogueCreated", UPCASTS)).toBe(3);
  expect(currentVersion("CatalogueRenamed", UPCASTS)).toBe(1);
});

test("an event of a newer version is unknown, and the error names it", () => {
  const newer = created(4, TODAY);
  const sentence = `event CatalogueCreated version 4 at revision 0 of catalogue-${ID}`;
  expect(() => readRecorded(newer, UPCASTS)).toThrow(new UnknownEvent(sentence));
  expect(() => requireKnown(newer)).toThrow(new UnknownEvent(sentence));
});

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
