import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { countsStored } from "#contracts/bulletin/bulletin-summary.ts";
import { CHUNK_EVENT, FRAME_EVENT } from "#contracts/domain-events/catalogue-events.ts";
import type { EventMetadata } from "#contracts/domain-events/log-events.ts";
import { columnsOf } from "#contracts/seismic-event/event-columns.ts";
import { emptyRecord, type JsonObject } from "#contracts/seismic-event/seismic-event.ts";
import { unpackBulletin } from "#infra/bulletins/packed-bulletin.ts";
import { decodeFrame } from "#infra/event-log/bulletin-frame.ts";
import { decodeChunk, encodeChunk } from "#infra/event-log/chunk-codec.ts";
import { EVENT_TYPES, fromRecorded, requireKnown } from "#infra/event-log/domain-events.ts";
import { currentVersion } from "#infra/event-log/upcasts.ts";
import { testRows } from "../../support/test-rows.ts";
import { recordedEvent } from "./recorded-event.ts";

const DIRECTORY = new URL("../../fixtures/events/", import.meta.url);

const files = readdirSync(DIRECTORY).sort();

/** What stood in the log when a version was written, and what it is read as today. */
function fixture<Stored>(file: string): { stored: Stored; read: JsonObject } {
  return JSON.parse(readFileSync(new URL(file, DIRECTORY), "utf8"));
}

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
      const { stored, read } = fixture<{ metadata: EventMetadata; data: JsonObject }>(file);
      expect(stored.metadata.schemaVersion).toBe(version);
      const recorded = recordedEvent({ type, ...stored });
      expect(() => requireKnown(recorded)).not.toThrow();
      expect(fromRecorded(recorded)).toEqual({ type, data: read });
    },
  );

  test.each(chunkFiles)("%s", (file) => {
    const { stored, read } = fixture<string>(file);
    expect(decodeChunk(Buffer.from(stored, "base64"))).toEqual(read);
  });

  test.each(frameFiles)("%s", (file) => {
    const { stored, read } = fixture<string>(file);
    const pieces = decodeFrame(Buffer.from(stored, "base64"));
    const places = pieces.map(({ bytes: _, ...place }) => place);
    expect({ places, bulletin: unpackBulletin(pieces) }).toEqual(read);
  });
});
