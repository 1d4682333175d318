import { pipeline, Readable } from "node:stream";
import { createGunzip, createInflateRaw } from "node:zlib";
import { Refusal } from "#contracts/errors.ts";
import { MIB } from "#contracts/units.ts";
import { createSpool, type Spool } from "./spool.ts";

type Bytes = AsyncIterable<Uint8Array>;

const GZIP = Buffer.from([0x1f, 0x8b, 8]);
const ZIP = Buffer.from("PK\u0003\u0004", "latin1");

/**
 * A file as it was before it was compressed, by its first bytes: gzip, or a ZIP archive of one file, whose name it has.
 * What comes out is limited like the file itself; an archive's directory is at its end, so it is spooled.
 * @throws Refusal FILE_TOO_LARGE, UNSUPPORTED_FORMAT for an archive that is broken or of several files
 */
export async function openedFile(name: string, source: Bytes, maxBytes: number) {
  const { head, bytes } = await begun(source);
  if (head.subarray(0, GZIP.length).equals(GZIP)) {
    const inner = pipeline(Readable.from(bytes), createGunzip(), () => {});
    return { name: name.replace(/\.gz(?:ip)?$/i, ""), bytes: limited(inner, maxBytes) };
  }
  if (!head.subarray(0, ZIP.length).equals(ZIP)) return { name, bytes };
  const archive = createSpool();
  try {
    for await (const piece of bytes) await archive.write(piece);
    const entry = await soleEntry(archive);
    if (typeof entry === "string") throw unsupported(entry);
    const content = Readable.from(archive.read(entry));
    const inner = entry.isDeflated ? pipeline(content, createInflateRaw(), () => {}) : content;
    return { name: entry.name, bytes: limited(inner, maxBytes) };
  } catch (error) {
    await archive.discard();
    throw error;
  }
}

/** The bytes, and the first of them. */
async function begun(source: Bytes): Promise<{ head: Buffer; bytes: Bytes }> {
  const pieces = source[Symbol.asyncIterator]();
  const first: Uint8Array[] = [];
  let head = Buffer.alloc(0);
  while (head.length < ZIP.length) {
    const { value, done } = await pieces.next();
    if (done) break;
    first.push(value);
    head = Buffer.concat(first);
  }
  async function* all(): AsyncGenerator<Uint8Array> {
    try {
      if (head.length > 0) yield head;
      for (let next = await pieces.next(); !next.done; next = await pieces.next()) yield next.value;
    } finally {
      await pieces.return?.();
    }
  }
  return { head, bytes: all() };
}

async function* limited(bytes: Bytes, maxBytes: number): AsyncGenerator<Uint8Array> {
  let length = 0;
  try {
    for await (const piece of bytes) {
      length += piece.length;
      if (length > maxBytes) throw new Refusal("FILE_TOO_LARGE");
      yield piece;
    }
  } catch (cause) {
    if (cause instanceof Refusal) throw cause;
    throw unsupported("its compression is broken", cause);
  }
}

function unsupported(why: string, cause?: unknown): Refusal {
  return new Refusal("UNSUPPORTED_FORMAT", `The file format is not supported: ${why}`, { cause });
}

/** ZIP files (PKWARE APPNOTE 6.3.10), as far as needed for one that holds a single file. */

const END = 0x06054b50;
const ENTRY = 0x02014b50;
const LOCAL = 0x04034b50;
const END_BYTES = 22;
const ENTRY_BYTES = 46;
const LOCAL_BYTES = 30;
/** Longest comment behind the directory. */
const MAX_COMMENT = 0xffff;
/** Of one file, and what stands beside it; a longer one is of several files, and its rest is not read. */
const MAX_DIRECTORY_BYTES = MIB;
const LAST_ENTRY_AT = MAX_DIRECTORY_BYTES - 4 * MAX_COMMENT;
const ENCRYPTED = 1;
const STORED = 0;
const DEFLATED = 8;
/** What macOS puts beside each file. */
const BESIDE = /(?:^|\/)(?:__MACOSX\/|\.DS_Store$)|\/$/;

type Archive = Pick<Spool, "read" | "length">;

/** The only file in an archive, without directories, and where its bytes are; else why there is none, for people. */
async function soleEntry(archive: Archive) {
  try {
    const entries = [...(await directory(archive))].filter(({ name }) => !BESIDE.test(name));
    const [entry, ...others] = entries;
    if (entry === undefined) return "the ZIP file holds no file";
    if (others.length > 0) return `the ZIP file holds ${entries.length} files, not one`;
    if ((entry.flags & ENCRYPTED) !== 0) return "the ZIP file is encrypted";
    if (entry.method !== STORED && entry.method !== DEFLATED) {
      return `the ZIP file is compressed by method ${entry.method}`;
    }
    const local = await bytesOf(archive, entry.offset, LOCAL_BYTES);
    if (local.readUInt32LE(0) !== LOCAL) return BROKEN;
    const from = entry.offset + LOCAL_BYTES + local.readUInt16LE(26) + local.readUInt16LE(28);
    const to = from + entry.size;
    if (to > archive.length()) return BROKEN;
    return { name: entry.name, isDeflated: entry.method === DEFLATED, from, to };
  } catch (error) {
    // A length points beyond the end.
    if (error instanceof RangeError) return BROKEN;
    throw error;
  }
}

const BROKEN = "the ZIP file is broken";

/** @throws RangeError where there is no directory or it is cut off */
async function directory(archive: Archive) {
  const lastBytes = Math.min(archive.length(), END_BYTES + MAX_COMMENT);
  const tail = await bytesOf(archive, archive.length() - lastBytes, lastBytes);
  let end = tail.length - END_BYTES;
  while (end >= 0 && tail.readUInt32LE(end) !== END) end--;
  if (end < 0) throw new RangeError(BROKEN);
  const zip = await bytesOf(archive, tail.readUInt32LE(end + 16), MAX_DIRECTORY_BYTES);
  const entries = [];
  let at = 0;
  for (let left = tail.readUInt16LE(end + 10); left > 0 && at < LAST_ENTRY_AT; left--) {
    if (zip.readUInt32LE(at) !== ENTRY) throw new RangeError(BROKEN);
    const nameLength = zip.readUInt16LE(at + 28);
    entries.push({
      name: zip.toString("utf8", at + ENTRY_BYTES, at + ENTRY_BYTES + nameLength),
      flags: zip.readUInt16LE(at + 8),
      method: zip.readUInt16LE(at + 10),
      size: zip.readUInt32LE(at + 20),
      offset: zip.readUInt32LE(at + 42),
    });
    at += ENTRY_BYTES + nameLength + zip.readUInt16LE(at + 30) + zip.readUInt16LE(at + 32);
  }
  return entries;
}

/** So many bytes, or as many as there are. */
async function bytesOf(archive: Archive, from: number, length: number): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of archive.read({ from, to: from + length, stays: true })) {
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}
