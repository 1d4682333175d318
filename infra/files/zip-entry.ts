/** ZIP files (PKWARE APPNOTE 6.3.10), as far as needed for one that holds a single file. */

const END = 0x06054b50;
const ENTRY = 0x02014b50;
const LOCAL = 0x04034b50;
const END_BYTES = 22;
const ENTRY_BYTES = 46;
const LOCAL_BYTES = 30;
/** Longest comment behind the directory. */
const MAX_COMMENT = 0xffff;
const ENCRYPTED = 1;
const STORED = 0;
const DEFLATED = 8;
/** What macOS puts beside each file. */
const BESIDE = /(?:^|\/)(?:__MACOSX\/|\.DS_Store$)|\/$/;

export type ZipEntry = {
  readonly name: string;
  readonly isDeflated: boolean;
  /** The file's bytes as they stand in the archive. */
  readonly content: Buffer;
};

/** The only file in an archive, without directories; else why there is none, for people. */
export function soleEntry(zip: Buffer): ZipEntry | string {
  try {
    const entries = [...directory(zip)].filter(({ name }) => !BESIDE.test(name));
    const [entry, ...others] = entries;
    if (entry === undefined) return "the ZIP file holds no file";
    if (others.length > 0) return `the ZIP file holds ${entries.length} files, not one`;
    if ((entry.flags & ENCRYPTED) !== 0) return "the ZIP file is encrypted";
    if (entry.method !== STORED && entry.method !== DEFLATED) {
      return `the ZIP file is compressed by method ${entry.method}`;
    }
    if (zip.readUInt32LE(entry.offset) !== LOCAL) return BROKEN;
    const names = zip.readUInt16LE(entry.offset + 26) + zip.readUInt16LE(entry.offset + 28);
    const start = entry.offset + LOCAL_BYTES + names;
    const content = zip.subarray(start, start + entry.size);
    if (content.length < entry.size) return BROKEN;
    return { name: entry.name, isDeflated: entry.method === DEFLATED, content };
  } catch (error) {
    // A length points beyond the end.
    if (error instanceof RangeError) return BROKEN;
    throw error;
  }
}

const BROKEN = "the ZIP file is broken";

type DirectoryEntry = {
  readonly name: string;
  readonly flags: number;
  readonly method: number;
  readonly size: number;
  readonly offset: number;
};

/** @throws RangeError where there is no directory or it is cut off */
function* directory(zip: Buffer): Generator<DirectoryEntry> {
  let end = zip.length - END_BYTES;
  const last = Math.max(0, end - MAX_COMMENT);
  while (end >= last && zip.readUInt32LE(end) !== END) end--;
  if (end < last) throw new RangeError(BROKEN);
  let at = zip.readUInt32LE(end + 16);
  for (let left = zip.readUInt16LE(end + 10); left > 0; left--) {
    if (zip.readUInt32LE(at) !== ENTRY) throw new RangeError(BROKEN);
    const nameLength = zip.readUInt16LE(at + 28);
    yield {
      name: zip.toString("utf8", at + ENTRY_BYTES, at + ENTRY_BYTES + nameLength),
      flags: zip.readUInt16LE(at + 8),
      method: zip.readUInt16LE(at + 10),
      size: zip.readUInt32LE(at + 20),
      offset: zip.readUInt32LE(at + 42),
    };
    at += ENTRY_BYTES + nameLength + zip.readUInt16LE(at + 30) + zip.readUInt16LE(at + 32);
  }
}
