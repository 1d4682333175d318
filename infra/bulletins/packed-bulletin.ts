/**
 * Bulletins as the log and the read model keep them: in up to three parts (bulletin-parts.ts), each the
 * UTF-8 JSON of its content in RFC 8785 form, cut into pieces of PIECE_BYTES. A small bulletin is whole
 * in its head. A piece is one byte with the format, which is 1, and a zstd frame that was made with the
 * dictionary in dictionary.ts.
 */

import { constants, zstdCompressSync, zstdDecompressSync } from "node:zlib";
import type { Bulletin } from "#contracts/bulletin/bulletin.ts";
import type { BulletinSummary } from "#contracts/bulletin/bulletin-summary.ts";
import type { JsonObject } from "#contracts/seismic-event/seismic-event.ts";
import { canonicalJson } from "../formats/canonical/canonical-json.ts";
import { atOnce, type Steps } from "../kernel/steps.ts";
import { type BulletinParts, joinBulletin, PARTS, splitBulletin } from "./bulletin-parts.ts";
import { DICTIONARY } from "./dictionary.ts";
import { sealBulletin } from "./seal-bulletin.ts";

/** The piece with the number `piece` of a part, from 0, which has `of` pieces. */
export type BulletinPiece = {
  readonly part: number;
  readonly piece: number;
  readonly of: number;
  readonly bytes: Uint8Array;
};

/** Pieces as they are stored. */
type StoredPieces = Iterable<Pick<BulletinPiece, "part" | "bytes">>;

export type PackedBulletin = BulletinSummary & { readonly pieces: readonly BulletinPiece[] };

/** The pieces are damaged, or of a later format. */
export class CorruptBulletin extends Error {
  override readonly name = "CorruptBulletin";
}

const FORMAT = 1;
/** Below this the parts of a bulletin are not worth their rows. */
const WHOLE_BYTES = 16 * 1024;
/** Bytes of JSON in a piece: even if they cannot be compressed, some fit an append to the log. */
const PIECE_BYTES = 512 * 1024;
const COMPRESSION_LEVEL = 3;

/** Bytes of JSON of a bulletin that is read and written within 20 ms; larger ones are the work of threads. */
export const QUICK_BULLETIN_BYTES = 512 * 1024;

export function packedBytes({ pieces }: PackedBulletin): number {
  return pieces.reduce((sum, { bytes }) => sum + bytes.length, 0);
}

/** @throws BulletinTooLarge */
export const packBulletin = (bulletin: Bulletin): PackedBulletin => atOnce(packing(bulletin));

/** The same in steps, of which each takes at most a second or so. @throws BulletinTooLarge */
export function* packing(bulletin: Bulletin): Steps<PackedBulletin> {
  const { json, sha256, counts } = sealBulletin(bulletin);
  if (counts.bytes <= WHOLE_BYTES) {
    return { sha256, counts, pieces: piecesOf(PARTS.head, json) };
  }
  yield;
  const pieces: BulletinPiece[] = [];
  for (const [part, content] of Object.entries(splitBulletin(bulletin))) {
    const text = canonicalJson(content as JsonObject);
    yield;
    pieces.push(...piecesOf(Number(part), text));
    yield;
  }
  return { sha256, counts, pieces };
}

/**
 * The bulletin of all pieces, or as much of it as the pieces of some parts hold; the head is among them.
 * @param pieces of one part in their order
 * @throws CorruptBulletin
 */
export const unpackBulletin = (pieces: StoredPieces): Bulletin => atOnce(unpacking(pieces));

/** The same in steps, of which each takes at most a second or so. @throws CorruptBulletin */
export function* unpacking(pieces: StoredPieces): Steps<Bulletin> {
  const parts = new Map<number, Uint8Array[]>();
  for (const { part, bytes } of pieces) {
    const known = parts.get(part);
    if (known === undefined) parts.set(part, [unpacked(bytes)]);
    else known.push(unpacked(bytes));
  }
  if (!parts.has(PARTS.head)) throw new CorruptBulletin("the bulletin has no head");
  try {
    const contents: [number, unknown][] = [];
    for (const [part, bytes] of parts) {
      const text = Buffer.concat(bytes).toString("utf8");
      yield;
      contents.push([part, JSON.parse(text)]);
      yield;
    }
    return joinBulletin(Object.fromEntries(contents) as BulletinParts);
  } catch (cause) {
    throw new CorruptBulletin("a part of the bulletin cannot be parsed", { cause });
  }
}

function piecesOf(part: number, json: string): BulletinPiece[] {
  const bytes = Buffer.from(json);
  const of = Math.ceil(bytes.length / PIECE_BYTES);
  return Array.from({ length: of }, (_, piece) => {
    const from = piece * PIECE_BYTES;
    return { part, piece, of, bytes: packed(bytes.subarray(from, from + PIECE_BYTES)) };
  });
}

function packed(bytes: Buffer): Uint8Array {
  const frame = zstdCompressSync(bytes, {
    dictionary: DICTIONARY,
    params: {
      [constants.ZSTD_c_compressionLevel]: COMPRESSION_LEVEL,
      [constants.ZSTD_c_checksumFlag]: 1,
    },
  });
  // Of its own: imports and uploads hold thousands, each of which would keep a slab of Node's pool.
  const piece = Buffer.allocUnsafeSlow(1 + frame.length);
  piece[0] = FORMAT;
  piece.set(frame, 1);
  return piece;
}

function unpacked(bytes: Uint8Array): Buffer {
  if (bytes[0] !== FORMAT) throw new CorruptBulletin("a piece of the bulletin has no known format");
  try {
    return zstdDecompressSync(bytes.subarray(1), {
      dictionary: DICTIONARY,
      maxOutputLength: PIECE_BYTES,
    });
  } catch (cause) {
    throw new CorruptBulletin("a piece of the bulletin cannot be decompressed", { cause });
  }
}
