import { UnknownEvent } from "./domain-events.ts";

/** The bytes are no chunk, or a damaged one. */
export class CorruptChunk extends Error {
  override readonly name = "CorruptChunk";

  constructor(reason: string, options: { cause?: unknown } = {}) {
    super(`the chunk is corrupt: ${reason}`, options);
  }
}

/** The chunk was written by a newer version of the service. */
export class UnknownChunkVersion extends UnknownEvent {
  override readonly name = "UnknownChunkVersion";
  readonly version: number;

  constructor(version: number) {
    super(`unknown chunk format version ${version}`);
    this.version = version;
  }
}
