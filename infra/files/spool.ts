import { type FileHandle, mkdtemp, open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MIB } from "#contracts/units.ts";

/** Bytes kept in memory before a file is opened: an upload has up to three spools, and there may be 64. */
const MEMORY_BYTES = MIB;
const READ_BYTES = 256 * 1024;

export type Spool = ReturnType<typeof createSpool>;

type ReadOptions = { readonly stays?: boolean; readonly from?: number; readonly to?: number };

/** Bytes written once and read, mostly once: in memory while few, then in a temporary file. */
export function createSpool({ memoryBytes = MEMORY_BYTES }: { memoryBytes?: number } = {}) {
  let memory = createGathered();
  let file: FileHandle | null = null;
  let bytesInFile = 0;
  let isDiscarded = false;

  /** Frees memory and file; may be called twice. */
  async function discard(): Promise<void> {
    isDiscarded = true;
    memory = createGathered();
    const handle = file;
    file = null;
    await handle?.close();
  }

  return {
    /** @throws Error once the spool is discarded, also during a write */
    async write(bytes: Uint8Array): Promise<void> {
      if (isDiscarded) throw discarded();
      if (bytes.length === 0) return;
      memory.add(bytes);
      if (memory.length() <= memoryBytes) return;
      file ??= await openUnnamed();
      // Discarded while the file was opened: only this call can still close it.
      if (isDiscarded) {
        await discard();
        throw discarded();
      }
      // A single `write` on a nearly full disk may write a part of a piece without an error.
      for (const piece of memory.pieces()) await file.appendFile(piece);
      bytesInFile += memory.length();
      memory = createGathered();
    },
    /** The bytes written, or those of a part, in order; discards the spool at the end, unless it `stays`. */
    async *read({
      stays = false,
      from = 0,
      to = Number.POSITIVE_INFINITY,
    }: ReadOptions = {}): AsyncGenerator<Uint8Array> {
      try {
        if (file !== null) yield* contentOf(file, from, Math.min(to, bytesInFile));
        let at = bytesInFile;
        for (const piece of memory.pieces()) {
          const part = piece.subarray(Math.max(0, from - at), Math.max(0, to - at));
          at += piece.length;
          if (part.length > 0) yield part;
        }
      } finally {
        if (!stays) await discard();
      }
    },
    length: () => bytesInFile + memory.length(),
    discard,
  };
}

const discarded = (): Error => new Error("what was spooled is discarded");

async function* contentOf(file: FileHandle, from: number, to: number): AsyncGenerator<Uint8Array> {
  for (let position = from; position < to; ) {
    const room = Buffer.alloc(Math.min(READ_BYTES, to - position));
    const { buffer, bytesRead } = await file.read({ buffer: room, position });
    if (bytesRead === 0) return;
    position += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}

/** A temporary file that is unlinked at once, so that nothing remains after a crash. */
async function openUnnamed(): Promise<FileHandle> {
  const directory = await mkdtemp(join(tmpdir(), "catalogue-spool-"));
  try {
    return await open(join(directory, "spool"), "wx+", 0o600);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** Smaller pieces are copied into shared blocks of ROOM_BYTES. */
const SMALL_BYTES = 16 * 1024;
const ROOM_BYTES = 64 * 1024;

export type Gathered = ReturnType<typeof createGathered>;

/** Bytes in memory, gathered from pieces. Each separate piece has an overhead, however small it is. */
export function createGathered() {
  const full: Uint8Array[] = [];
  let filling = Buffer.alloc(0);
  let filled = 0;
  let length = 0;

  function close(): void {
    if (filled > 0) full.push(filling.subarray(0, filled));
    filling = Buffer.alloc(0);
    filled = 0;
  }

  return {
    add(bytes: Uint8Array): void {
      length += bytes.length;
      const isSmall = bytes.length < SMALL_BYTES;
      // A large piece follows the current block, whatever room that has left.
      if (!isSmall || bytes.length > filling.length - filled) close();
      if (!isSmall) {
        full.push(bytes);
        return;
      }
      if (filling.length === 0) filling = Buffer.allocUnsafeSlow(ROOM_BYTES);
      filling.set(bytes, filled);
      filled += bytes.length;
    },
    length: () => length,
    /** All bytes added, in order. */
    pieces(): Uint8Array[] {
      close();
      return [...full];
    },
  };
}
