import { closeSync, mkdtempSync, openSync, readSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MIB } from "#contracts/units.ts";

/** Bytes kept in memory before a file is opened, and between writes to it. */
const MEMORY_BYTES = 4 * MIB;

export type ObjectStore = {
  /** The place from which the object is taken again. */
  readonly add: (object: object) => number;
  readonly take: (place: number) => unknown;
  /** Bytes of its JSON. */
  readonly sizeOf: (place: number) => number;
  readonly close: () => void;
};

const forgotten = new FinalizationRegistry<number>(closeSync);

/** Objects as JSON: in memory while few, then in a temporary file without a name. */
export function createObjectStore(): ObjectStore {
  const ends: number[] = [];
  let memory: Buffer[] = [];
  let memorySize = 0;
  let written = 0;
  let file: number | null = null;
  const store: ObjectStore = { add, take, sizeOf, close };

  function add(object: object): number {
    const bytes = Buffer.from(JSON.stringify(object));
    memory.push(bytes);
    memorySize += bytes.length;
    ends.push(written + memorySize);
    if (memorySize > MEMORY_BYTES) spill();
    return ends.length - 1;
  }

  function startOf(place: number): number {
    return place === 0 ? 0 : (ends[place - 1] ?? 0);
  }

  function sizeOf(place: number): number {
    return (ends[place] ?? 0) - startOf(place);
  }

  function spill(): void {
    if (file === null) {
      file = openUnnamed();
      forgotten.register(store, file, store);
    }
    const bytes = Buffer.concat(memory);
    for (let from = 0; from < bytes.length; ) from += writeSync(file, bytes, from);
    written += bytes.length;
    memory = [];
    memorySize = 0;
  }

  function take(place: number): unknown {
    const start = startOf(place);
    const length = sizeOf(place);
    if (start >= written) {
      if (memory.length > 1) memory = [Buffer.concat(memory)];
      const [bytes = Buffer.alloc(0)] = memory;
      return JSON.parse(bytes.toString("utf8", start - written, start - written + length));
    }
    const bytes = Buffer.alloc(length);
    for (let from = 0; from < length; ) {
      const read = file === null ? 0 : readSync(file, bytes, from, length - from, start + from);
      if (read === 0) throw new Error("the temporary file is shorter than what was written to it");
      from += read;
    }
    return JSON.parse(bytes.toString());
  }

  function close(): void {
    memory = [];
    if (file === null) return;
    forgotten.unregister(store);
    closeSync(file);
    file = null;
  }

  return store;
}

/** A temporary file that is unlinked at once, so that nothing remains after a crash. */
function openUnnamed(): number {
  const directory = mkdtempSync(join(tmpdir(), "catalogue-objects-"));
  try {
    return openSync(join(directory, "objects"), "wx+", 0o600);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
