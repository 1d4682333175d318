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
 * its counts (contracts/bulletin/bulletin-summary.ts). Bulletins themselves are in frames
 * (bulletin-frame.ts). A row without one has none: an updated event keeps none on its own.
 */

import { constants, zstdCompressSync, zstdDecompressSync } from "node:zlib";
import {
  type BulletinReference,
  countsStored,
  storedCounts,
} from "#contracts/bulletin/bulletin-summary.ts";
import {
  COLUMN_NAMES,
  type Columns,
  type EventColumns,
} from "#contracts/seismic-event/event-columns.ts";
import { exactJson } from "#infra/json/json-text.ts";
import { CorruptChunk, UnknownChunkVersion } from "./errors.ts";

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
const MAX_JSON_BYTES = 32 * 1024 * 1024;

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
    const json = zstdDecompressSync(frame, { maxOutputLength: MAX_JSON_BYTES });
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
