import { createHash } from "node:crypto";
import type { BulletinReference } from "#contracts/bulletin/bulletin-summary.ts";
import { extendBounds } from "#contracts/domain-events/bounds.ts";
import { type Bounds, NO_BOUNDS } from "#contracts/domain-events/catalogue-events.ts";
import { COLUMN_NAMES, createColumnsBuilder } from "#contracts/seismic-event/event-columns.ts";
import type { SeismicEventRecord } from "#contracts/seismic-event/seismic-event.ts";
import type { PackedBulletin } from "../bulletins/packed-bulletin.ts";
import { type EventPlace, encodeFrame, type PlacedPiece } from "./bulletin-frame.ts";
import { type ChunkRows, encodeChunk } from "./chunk-codec.ts";

/** A chunk ready for an append; `count` is its number of changes, `sha256` the hash of `bytes` in hex. */
export type EncodedChunk = {
  readonly bytes: Uint8Array;
  readonly count: number;
  readonly sha256: string;
  /** Those with the new bulletins of its events; absent where there are none. */
  readonly frames?: readonly EncodedFrame[];
};

/** The bulletin of a changed event: a new one, or the one that it has since an earlier revision. */
export type WrittenBulletin = PackedBulletin | KeptBulletin;

/** A bulletin that is in the log already: `revision` is that in which it was written. */
export type KeptBulletin = BulletinReference & { readonly revision: number };

export type ChangeCounts = {
  readonly added: number;
  readonly updated: number;
  readonly removed: number;
};

/** Give 50 to 200 KB of compressed ordinary events; less than an append's 1 MiB at worst. */
const MAX_CHANGES = 2000;
const MAX_JSON_BYTES = 600 * 1024;
/** Packed bulletins that wait for their chunk, if they are not a single event's. */
const MAX_BULLETIN_BYTES = 2 * 1024 * 1024;
/** A hash, which cannot be compressed, and counts. */
const REFERENCE_BYTES = 110;

/** Entropy of a full double; its decimal digits compress to this size. */
const NUMBER_BYTES = 8;
const UUID_BYTES = 39;

/** Writes a revision's changes into chunks. Each change may complete a chunk, which is returned. */
export function createChunkWriter() {
  const added = createRows();
  const frames = createFrameWriter();
  const restored = createStoredRecords();
  const updated = createStoredRecords();
  const bounds = { ...NO_BOUNDS };
  const counts = { added: 0, updated: 0, removed: 0 };
  let newIds = 0;
  let removed: string[] = [];
  let jsonBytes = 0;

  const length = () => added.length() + restored.length() + updated.length() + removed.length;

  function close(): EncodedChunk | null {
    const count = length();
    if (count === 0) return null;
    const bytes = encodeChunk({
      firstIndex: newIds - added.length(),
      added: added.take(),
      restored: restored.take(),
      updated: updated.take(),
      removed,
    });
    removed = [];
    jsonBytes = 0;
    const sha256 = createHash("sha256").update(bytes).digest("hex");
    const taken = frames.take();
    return { bytes, count, sha256, ...(taken.length > 0 && { frames: taken }) };
  }

  function changed(kind: keyof ChangeCounts, bytes: number): EncodedChunk | null {
    counts[kind]++;
    jsonBytes += bytes;
    const isFull =
      length() >= MAX_CHANGES ||
      jsonBytes >= MAX_JSON_BYTES ||
      frames.bytes() >= MAX_BULLETIN_BYTES;
    return isFull ? close() : null;
  }

  function written(kind: keyof ChangeCounts, record: SeismicEventRecord, idBytes: number) {
    extendBounds(bounds, record);
    return changed(kind, estimateBytes(record) + idBytes);
  }

  /** Puts a new bulletin into a frame. */
  function referenceTo(at: EventPlace, bulletin: WrittenBulletin | null): BulletinReference | null {
    if (bulletin === null) return null;
    jsonBytes += REFERENCE_BYTES;
    if (!("pieces" in bulletin)) return bulletin;
    frames.push(at, bulletin);
    const { sha256, counts } = bulletin;
    return { sha256, counts, revision: null };
  }

  return {
    /** Adds an event; its index in the revision is the number of events added so before. */
    add(record: SeismicEventRecord, bulletin: WrittenBulletin | null = null): EncodedChunk | null {
      added.push(record, referenceTo(newIds, bulletin));
      newIds++;
      return written("added", record, 0);
    },
    /** Adds an event that was removed before, under the id that it had. Counts as added. */
    restore(
      id: string,
      record: SeismicEventRecord,
      bulletin: WrittenBulletin | null = null,
    ): EncodedChunk | null {
      restored.push(id, record, referenceTo(id, bulletin));
      return written("added", record, UUID_BYTES);
    },
    /** Replaces an event; without a bulletin it has none afterwards. */
    update(
      id: string,
      record: SeismicEventRecord,
      bulletin: WrittenBulletin | null = null,
    ): EncodedChunk | null {
      updated.push(id, record, referenceTo(id, bulletin));
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

function createRows() {
  const columns = createColumnsBuilder();
  let bulletins: (BulletinReference | null)[] | null = null;
  return {
    length: () => columns.length,
    push(record: SeismicEventRecord, bulletin: BulletinReference | null): void {
      if (bulletin !== null) bulletins ??= new Array(columns.length).fill(null);
      bulletins?.push(bulletin);
      columns.push(record);
    },
    take(): ChunkRows {
      const taken = bulletins;
      bulletins = null;
      return { ...columns.take(), ...(taken && { bulletins: taken }) };
    },
  };
}

/** Records under ids that the catalogue has given out before. */
function createStoredRecords() {
  const rows = createRows();
  let ids: string[] = [];
  return {
    length: rows.length,
    push(id: string, record: SeismicEventRecord, bulletin: BulletinReference | null): void {
      rows.push(record, bulletin);
      ids.push(id);
    },
    take() {
      const records = { ...rows.take(), ids };
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

/** A frame ready for an append; `sha256` is the hash of `bytes` in hex. */
type EncodedFrame = { readonly bytes: Uint8Array; readonly sha256: string };

/** With one further piece a frame is still below an append's 1 MiB. */
const FRAME_BYTES = 256 * 1024;
/** Small bulletins in one frame: for each there is an entry in its index. */
const MAX_PIECES = 5_000;

/** Collects bulletins into frames. */
function createFrameWriter() {
  let frames: EncodedFrame[] = [];
  let pieces: PlacedPiece[] = [];
  let open = 0;
  let closed = 0;

  function close(): void {
    if (pieces.length === 0) return;
    const bytes = encodeFrame(pieces);
    frames.push({ bytes, sha256: createHash("sha256").update(bytes).digest("hex") });
    closed += bytes.length;
    pieces = [];
    open = 0;
  }

  return {
    push(at: EventPlace, bulletin: Pick<PackedBulletin, "pieces">): void {
      for (const piece of bulletin.pieces) {
        pieces.push({ at, ...piece });
        open += piece.bytes.length;
        if (open >= FRAME_BYTES || pieces.length >= MAX_PIECES) close();
      }
    },
    /** Bytes of all that was pushed and not taken. */
    bytes: () => open + closed,
    take(): readonly EncodedFrame[] {
      close();
      const taken = frames;
      frames = [];
      closed = 0;
      return taken;
    },
  };
}
