/**
 * Chunks of seismic events and frames of bulletins: writer, reader and both formats. One file of
 * more than 500 lines, since each part says what the others rely on.
 */

import { createHash } from "node:crypto";
import { constants, crc32, zstdCompressSync, zstdDecompressSync } from "node:zlib";
import { type BulletinReference, countsStored, storedCounts } from "#contracts/bulletin/counts.ts";
import { type Bounds, extendBounds, NO_BOUNDS } from "#contracts/events/catalogues.ts";
import {
  COLUMN_NAMES,
  type Columns,
  createColumnsBuilder,
  type EventColumns,
  type SeismicEventRecord,
} from "#contracts/seismic-event/seismic-event.ts";
import { exactJson } from "#infra/json/json-text.ts";
import type { BulletinPiece, PackedBulletin } from "../bulletins/packed-bulletin.ts";
import {
  CorruptChunk,
  CorruptFrame,
  UnknownChunkVersion,
  UnknownFrameVersion,
} from "./event-log.ts";

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

/**
 * Chunks of seismic events as the log keeps them:
 *
 *   bytes 0–2  "EQC"
 *   byte  3    format version: 3 with bulletins, 2 with restored events, else 1
 *   bytes 4–   one zstd frame of UTF-8 JSON:
 *     { "firstIndex": 0,
 *       "added":    { "length": 2, "columns": { "time": […], "latitude": […], … } },
 *       "updated":  { "length": 0, "columns": { … }, "ids": […] },
 *       "removed":  [ids…],
 *       "restored": { "length": 1, "columns": { … }, "ids": […] } }
 *
 * A column has one value per row in the units of ATTRIBUTES; a column that is null in every row is
 * left out. The id of added row i is eventId(catalogue, revision, firstIndex + i), so it is not
 * stored. Restored events are added too, under the ids that they had before they were removed;
 * format 1 has none. The changes of a chunk are in the order added, restored, updated, removed. Any
 * tool reads a chunk: `tail -c +5 chunk | zstd -d | jq`.
 *
 * In format 3 rows of which some have a bulletin have `"bulletins": [null, ["<SHA-256>", 0, [counts…]]]`
 * too, one value per row: the bulletin's hash, the revision in which it was written, 0 for this one, and
 * its counts (contracts/bulletin/counts.ts). Bulletins themselves are in frames, below. A row without one
 * has none: an updated event keeps none on its own.
 */

/** Rows of a chunk; `bulletins` is absent where none has one. */
export type ChunkRows = EventColumns & {
  readonly bulletins?: readonly (BulletinReference | null)[];
};

export type IdentifiedColumns = ChunkRows & { readonly ids: readonly string[] };

/** One chunk of a revision: rows added, restored and updated, and ids removed. */
export type Chunk = {
  /** Index of the first added row within the revision. */
  readonly firstIndex: number;
  readonly added: ChunkRows;
  readonly restored: IdentifiedColumns;
  readonly updated: IdentifiedColumns;
  readonly removed: readonly string[];
};

const MAGIC = Buffer.from("EQC");
const WITHOUT_RESTORED = 1;
const WITH_RESTORED = 2;
const WITH_BULLETINS = 3;
const HEADER_BYTES = MAGIC.length + 1;
/** Level 1 takes 43 ms for 100,000 events in columns, level 3 106 ms for the same size. */
const COMPRESSION_LEVEL = 1;
/** Chunks are written far below this; more is a decompression bomb. */
const MAX_DECOMPRESSED_BYTES = 32 * 1024 * 1024;

export function encodeChunk(chunk: Chunk): Uint8Array {
  const { firstIndex, added, restored, updated, removed } = chunk;
  const version = versionOf(chunk);
  const ofRestored = version > WITHOUT_RESTORED ? `,"restored":${identified(restored)}` : "";
  const json =
    `{"firstIndex":${firstIndex},"added":{${members(added)}},"updated":${identified(updated)},` +
    `"removed":${JSON.stringify(removed)}${ofRestored}}`;
  const frame = zstdCompressSync(json, {
    params: {
      [constants.ZSTD_c_compressionLevel]: COMPRESSION_LEVEL,
      [constants.ZSTD_c_checksumFlag]: 1,
    },
  });
  return Buffer.concat([MAGIC, Buffer.of(version), frame]);
}

/** @throws UnknownChunkVersion, CorruptChunk */
export function decodeChunk(bytes: Uint8Array): Chunk {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (buffer.length < HEADER_BYTES || !buffer.subarray(0, MAGIC.length).equals(MAGIC)) {
    throw new CorruptChunk("it does not begin as a chunk does");
  }
  const version = buffer.readUInt8(MAGIC.length);
  if (version < WITHOUT_RESTORED || version > WITH_BULLETINS) {
    throw new UnknownChunkVersion(version);
  }
  const parsed = decompress(buffer.subarray(HEADER_BYTES));
  return checked(version === WITHOUT_RESTORED ? withoutRestored(parsed) : parsed);
}

function versionOf({ added, restored, updated }: Chunk): number {
  if ([added, restored, updated].some(({ bulletins }) => bulletins)) return WITH_BULLETINS;
  return restored.length > 0 ? WITH_RESTORED : WITHOUT_RESTORED;
}

function identified(events: IdentifiedColumns): string {
  return `{${members(events)},"ids":${JSON.stringify(events.ids)}}`;
}

function members({ length, columns, bulletins }: ChunkRows): string {
  const parts: string[] = [];
  for (const name of COLUMN_NAMES) {
    const column = columns[name];
    if (column !== undefined) parts.push(`${JSON.stringify(name)}:${exactJson(column)}`);
  }
  const ofBulletins = bulletins ? `,"bulletins":${JSON.stringify(bulletins.map(stored))}` : "";
  return `"length":${length},"columns":{${parts.join(",")}}${ofBulletins}`;
}

type StoredReference = readonly [sha256: string, revision: number, counts: readonly number[]];

function stored(reference: BulletinReference | null): StoredReference | null {
  if (reference === null) return null;
  const { sha256, revision, counts } = reference;
  return [sha256, revision ?? 0, storedCounts(counts)];
}

function referenceOf(stored: StoredReference | null): BulletinReference | null {
  if (stored === null) return null;
  const [sha256, revision, counts] = stored;
  return { sha256, revision: revision === 0 ? null : revision, counts: countsStored(counts) };
}

function decompress(frame: Buffer): unknown {
  try {
    const json = zstdDecompressSync(frame, { maxOutputLength: MAX_DECOMPRESSED_BYTES });
    return JSON.parse(json.toString("utf8"));
  } catch (cause) {
    throw new CorruptChunk("it cannot be decompressed and parsed", { cause });
  }
}

/** Checks the shape, since readers index by row. Values are the writer's responsibility. */
function checked(parsed: unknown): Chunk {
  if (!isObject(parsed)) throw new CorruptChunk("it holds no object");
  const { firstIndex, added, restored, updated, removed } = parsed;
  if (!Number.isInteger(firstIndex)) throw new CorruptChunk("firstIndex is no integer");
  if (!areColumns(added)) throw new CorruptChunk("added holds no columns of one length");
  if (!areIdentified(restored)) {
    throw new CorruptChunk("restored holds no columns and ids of one length");
  }
  if (!areIdentified(updated)) {
    throw new CorruptChunk("updated holds no columns and ids of one length");
  }
  if (!Array.isArray(removed)) throw new CorruptChunk("removed is no list");
  return {
    firstIndex: firstIndex as number,
    added: withBulletins(added),
    restored: withBulletins(restored),
    updated: withBulletins(updated),
    removed,
  };
}

function withBulletins<R extends ChunkRows>(rows: R): R {
  const { bulletins } = rows;
  if (bulletins === undefined) return rows;
  try {
    if (bulletins.length !== rows.length) throw new RangeError("there are more or fewer than rows");
    const list = bulletins as unknown as readonly (StoredReference | null)[];
    return { ...rows, bulletins: list.map(referenceOf) };
  } catch (cause) {
    throw new CorruptChunk("bulletins is no list of one for each row", { cause });
  }
}

function withoutRestored(parsed: unknown): unknown {
  const columns = { time: [], latitude: [], longitude: [] };
  return isObject(parsed) ? { ...parsed, restored: { length: 0, columns, ids: [] } } : parsed;
}

function areColumns(value: unknown): value is EventColumns {
  if (!isObject(value) || !isObject(value["columns"])) return false;
  const { length, columns } = value;
  return (
    ["time", "latitude", "longitude"].every((name) => name in columns) &&
    Object.values(columns satisfies object as Columns).every(
      (column) => Array.isArray(column) && column.length === length,
    )
  );
}

function areIdentified(value: unknown): value is IdentifiedColumns {
  return (
    areColumns(value) &&
    "ids" in value &&
    Array.isArray(value.ids) &&
    value.ids.length === value.length
  );
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * Bulletins of a revision as the log keeps them, many small ones in one frame, a large one over several:
 *
 *   bytes 0–2  "EQB"
 *   byte  3    format version, 1
 *   bytes 4–7  length of the index in bytes, big-endian
 *   then       the index, a zstd frame of UTF-8 JSON, one value for each piece:
 *     { "crc32": of everything behind the index,
 *       "at": [0, 0, "0190…"], "parts": [0, 1, 0], "pieces": [0, 0, 0], "of": [1, 2, 1],
 *       "bytes": [812, 90210, 433] }
 *   then       the pieces (infra/bulletins/packed-bulletin.ts), one after the other
 *
 * `at` says whose bulletin it is: the index of an added event within its revision, or the id of an event
 * that was there before. The pieces of a bulletin follow one another, in one frame or in consecutive ones.
 */

/** Of which event of a revision: the index among those that it adds, or an id. */
type EventPlace = number | string;

export type PlacedPiece = BulletinPiece & { readonly at: EventPlace };

const FRAME_MAGIC = Buffer.from("EQB");
const FRAME_VERSION = 1;
const FRAME_LENGTH_AT = FRAME_MAGIC.length + 1;
const FRAME_HEADER_BYTES = FRAME_LENGTH_AT + 4;
/** An append's worth of pieces has far less. */
const MAX_INDEX_BYTES = 4 * 1024 * 1024;

export function encodeFrame(pieces: readonly PlacedPiece[]): Uint8Array {
  const body = Buffer.concat(pieces.map(({ bytes }) => bytes));
  const index = zstdCompressSync(
    JSON.stringify({
      crc32: crc32(body),
      at: pieces.map(({ at }) => at),
      parts: pieces.map(({ part }) => part),
      pieces: pieces.map(({ piece }) => piece),
      of: pieces.map(({ of }) => of),
      bytes: pieces.map(({ bytes }) => bytes.length),
    }),
    { params: { [constants.ZSTD_c_checksumFlag]: 1 } },
  );
  const header = Buffer.alloc(FRAME_HEADER_BYTES);
  FRAME_MAGIC.copy(header);
  header.writeUInt8(FRAME_VERSION, FRAME_MAGIC.length);
  header.writeUInt32BE(index.length, FRAME_LENGTH_AT);
  return Buffer.concat([header, index, body]);
}

/** @throws UnknownFrameVersion, CorruptFrame */
export function decodeFrame(frame: Uint8Array): PlacedPiece[] {
  const buffer = Buffer.from(frame.buffer, frame.byteOffset, frame.byteLength);
  if (
    buffer.length < FRAME_HEADER_BYTES ||
    !buffer.subarray(0, FRAME_MAGIC.length).equals(FRAME_MAGIC)
  ) {
    throw new CorruptFrame("it does not begin as a frame does");
  }
  const version = buffer.readUInt8(FRAME_MAGIC.length);
  if (version !== FRAME_VERSION) throw new UnknownFrameVersion(version);
  const begin = FRAME_HEADER_BYTES + buffer.readUInt32BE(FRAME_LENGTH_AT);
  const index = readIndex(buffer.subarray(FRAME_HEADER_BYTES, begin));
  const body = buffer.subarray(begin);
  if (crc32(body) !== index.crc32) throw new CorruptFrame("its pieces are not what it says");
  let from = 0;
  return index.bytes.map((length, i) => {
    const bytes = body.subarray(from, from + length);
    from += length;
    const [at, part, piece, of] = [index.at[i], index.parts[i], index.pieces[i], index.of[i]];
    if (at === undefined || part === undefined || piece === undefined || of === undefined) {
      throw new CorruptFrame("its index has lists of different lengths");
    }
    return { at, part, piece, of, bytes };
  });
}

type FrameIndex = { readonly crc32: number; readonly at: readonly EventPlace[] } & {
  readonly [N in "parts" | "pieces" | "of" | "bytes"]: readonly number[];
};

/** Checked by its checksum; what it says is the writer's responsibility. */
function readIndex(frame: Buffer): FrameIndex {
  try {
    const json = zstdDecompressSync(frame, { maxOutputLength: MAX_INDEX_BYTES });
    return JSON.parse(json.toString("utf8"));
  } catch (cause) {
    throw new CorruptFrame("its index cannot be decompressed and parsed", { cause });
  }
}
