import { pipeline, Readable } from "node:stream";
import { createGunzip, createInflateRaw } from "node:zlib";
import { Refusal } from "#contracts/errors.ts";
import { createSpool } from "./spool.ts";
import { soleEntry } from "./zip-entry.ts";

export type OpenedFile = {
  /** The file's own name, in an archive too. */
  readonly name: string;
  /** @throws Refusal FILE_TOO_LARGE, UNSUPPORTED_FORMAT */
  readonly bytes: AsyncIterable<Uint8Array>;
};

type Bytes = AsyncIterable<Uint8Array>;

const GZIP = Buffer.from([0x1f, 0x8b, 8]);
const ZIP = Buffer.from("PK\u0003\u0004", "latin1");

/**
 * A file as it was before it was compressed, by its first bytes: gzip, or a ZIP archive of one file.
 * What comes out is limited like the file itself; an archive's directory is at its end, so it is spooled.
 * @throws Refusal FILE_TOO_LARGE, UNSUPPORTED_FORMAT for an archive that is broken or of several files
 */
export async function openedFile(
  name: string,
  source: Bytes,
  maxBytes: number,
): Promise<OpenedFile> {
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
