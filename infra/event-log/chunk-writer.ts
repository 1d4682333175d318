import { createHash } from "node:crypto";
import { type Bounds, NO_BOUNDS } from "#contracts/domain-events/catalogue-events.ts";
import { extendBounds } from "#contracts/seismic-event/bounds.ts";
import { COLUMN_NAMES, createColumnsBuilder } from "#contracts/seismic-event/event-columns.ts";
import type { SeismicEventRecord } from "#contracts/seismic-event/seismic-event.ts";
import { encodeChunk } from "./chunk-codec.ts";

/** A chunk ready for an append; `count` is its number of changes, `sha256` the hash of `bytes` in hex. */
export type EncodedChunk = {
  readonly bytes: Uint8Array;
  readonly count: number;
  readonly sha256: string;
};

export type ChangeCounts = {
  readonly added: number;
  readonly updated: number;
  readonly removed: number;
};

/** Give 50 to 200 KB of compressed ordinary events; less than an append's 1 MiB at worst. */
const MAX_CHANGES = 2000;
const MAX_JSON_BYTES = 600 * 1024;

/** Entropy of a full double; its decimal digits compress to this size. */
const NUMBER_BYTES = 8;
const UUID_BYTES = 39;

/** Writes a revision's changes into chunks. Each change may complete a chunk, which is returned. */
export function createChunkWriter() {
  const added = createColumnsBuilder();
  const restored = createStoredRecords();
  const updated = createStoredRecords();
  const bounds = { ...NO_BOUNDS };
  const counts = { added: 0, updated: 0, removed: 0 };
  let newIds = 0;
  let removed: string[] = [];
  let jsonBytes = 0;

  const length = () => added.length + restored.length() + updated.length() + removed.length;

  function close(): EncodedChunk | null {
    const count = length();
    if (count === 0) return null;
    const bytes = encodeChunk({
      firstIndex: newIds - added.length,
      added: added.take(),
      restored: restored.take(),
      updated: updated.take(),
      removed,
    });
    removed = [];
    jsonBytes = 0;
    return { bytes, count, sha256: createHash("sha256").update(bytes).digest("hex") };
  }

  function changed(kind: keyof ChangeCounts, bytes: number): EncodedChunk | null {
    counts[kind]++;
    jsonBytes += bytes;
    return length() >= MAX_CHANGES || jsonBytes >= MAX_JSON_BYTES ? close() : null;
  }

  function written(kind: keyof ChangeCounts, record: SeismicEventRecord, idBytes: number) {
    extendBounds(bounds, record);
    return changed(kind, estimateBytes(record) + idBytes);
  }

  return {
    /** Adds an event; its index in the revision is the number of events added so before. */
    add(record: SeismicEventRecord): EncodedChunk | null {
      added.push(record);
      newIds++;
      return written("added", record, 0);
    },
    /** Adds an event that was removed before, under the id that it had. Counts as added. */
    restore(id: string, record: SeismicEventRecord): EncodedChunk | null {
      restored.push(id, record);
      return written("added", record, UUID_BYTES);
    },
    update(id: string, record: SeismicEventRecord): EncodedChunk | null {
      updated.push(id, record);
      return written("updated", record, UUID_BYTES);
    },
    remove(id: string): EncodedChunk | null {
      removed.push(id);
      return changed("removed", UUID_BYTES);
    },
    /** The last chunk; null when no change is left. */
    finish: close,
    counts: (): ChangeCounts => ({ ...counts }),
    /** Bounds of the events added, restored and updated so far. */
    bounds: (): Bounds => ({ ...bounds }),
  };
}

/** Records under ids that the catalogue has given out before. */
function createStoredRecords() {
  const columns = createColumnsBuilder();
  let ids: string[] = [];
  return {
    length: () => ids.length,
    push(id: string, record: SeismicEventRecord): void {
      columns.push(record);
      ids.push(id);
    },
    take() {
      const records = { ...columns.take(), ids };
      ids = [];
      return records;
    },
  };
}

function estimateBytes(record: SeismicEventRecord): number {
  let bytes = 0;
  for (const name of COLUMN_NAMES) {
    const value = record[name];
    if (value !== null) bytes += estimateValue(value);
  }
  return bytes;
}

/** Estimates without serialising structures: in a merge, every event has one. */
function estimateValue(value: unknown): number {
  if (typeof value === "string") return Buffer.byteLength(value) + 3;
  if (typeof value !== "object" || value === null) return NUMBER_BYTES;
  let bytes = 3;
  for (const [name, member] of Object.entries(value)) {
    bytes += Buffer.byteLength(name) + 4 + estimateValue(member);
  }
  return bytes;
}
