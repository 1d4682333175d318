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

import { constants, crc32, zstdCompressSync, zstdDecompressSync } from "node:zlib";
import type { BulletinPiece } from "../bulletins/packed-bulletin.ts";
import { CorruptFrame, UnknownFrameVersion } from "./errors.ts";

/** Of which event of a revision: the index among those that it adds, or an id. */
export type EventPlace = number | string;

export type PlacedPiece = BulletinPiece & { readonly at: EventPlace };

const MAGIC = Buffer.from("EQB");
const VERSION = 1;
const LENGTH_AT = MAGIC.length + 1;
const HEADER_BYTES = LENGTH_AT + 4;
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
  const header = Buffer.alloc(HEADER_BYTES);
  MAGIC.copy(header);
  header.writeUInt8(VERSION, MAGIC.length);
  header.writeUInt32BE(index.length, LENGTH_AT);
  return Buffer.concat([header, index, body]);
}

/** @throws UnknownFrameVersion, CorruptFrame */
export function decodeFrame(frame: Uint8Array): PlacedPiece[] {
  const buffer = Buffer.from(frame.buffer, frame.byteOffset, frame.byteLength);
  if (buffer.length < HEADER_BYTES || !buffer.subarray(0, MAGIC.length).equals(MAGIC)) {
    throw new CorruptFrame("it does not begin as a frame does");
  }
  const version = buffer.readUInt8(MAGIC.length);
  if (version !== VERSION) throw new UnknownFrameVersion(version);
  const begin = HEADER_BYTES + buffer.readUInt32BE(LENGTH_AT);
  const index = readIndex(buffer.subarray(HEADER_BYTES, begin));
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

type Index = { readonly crc32: number; readonly at: readonly EventPlace[] } & {
  readonly [N in "parts" | "pieces" | "of" | "bytes"]: readonly number[];
};

/** Checked by its checksum; what it says is the writer's responsibility. */
function readIndex(frame: Buffer): Index {
  try {
    const json = zstdDecompressSync(frame, { maxOutputLength: MAX_INDEX_BYTES });
    return JSON.parse(json.toString("utf8"));
  } catch (cause) {
    throw new CorruptFrame("its index cannot be decompressed and parsed", { cause });
  }
}
