import { UnknownEvent } from "./domain-events.ts";

/** The bytes are not a chunk, or a damaged one. */
export class CorruptChunk extends Error {
  override readonly name = "CorruptChunk";

  constructor(reason: string, options: { cause?: unknown } = {}) {
    super(`the chunk is corrupt: ${reason}`, options);
  }
}

/** A newer version of the service wrote the chunk. */
export class UnknownChunkVersion extends UnknownEvent {
  override readonly name = "UnknownChunkVersion";
  readonly version: number;

  constructor(version: number) {
    super(`unknown chunk format version ${version}`);
    this.version = version;
  }
}
