/** The stream is no longer at the revision on which the decision was based: decide again. */
export class WrongExpectedRevision extends Error {
  override readonly name = "WrongExpectedRevision";
  readonly stream: string;
  readonly expected: number;
  readonly actual: number;

  constructor(stream: string, expected: number, actual: number) {
    super(`stream ${stream} is at revision ${actual}, not ${expected}`);
    this.stream = stream;
    this.expected = expected;
    this.actual = actual;
  }
}

/** The append is larger than the log's limit. */
export class TooLarge extends Error {
  override readonly name = "TooLarge";
  readonly bytes: number;
  readonly maxBytes: number;

  constructor(bytes: number, maxBytes: number) {
    super(`an append of ${bytes} bytes exceeds ${maxBytes}`);
    this.bytes = bytes;
    this.maxBytes = maxBytes;
  }
}

/** The append may or may not have happened. Repeating it is safe and settles the question. */
export class Ambiguous extends Error {
  override readonly name = "Ambiguous";
}

/** The log cannot be reached, and nothing was written. */
export class Unavailable extends Error {
  override readonly name = "Unavailable";
}

/** Data built from the log do not match the log. */
export class LogMismatch extends Error {
  override readonly name = "LogMismatch";
}

/** An event of an unknown type or version. Its reader must stop. */
export class UnknownEvent extends Error {
  override readonly name: string = "UnknownEvent";
}

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

/** The bytes are not a frame of bulletins, or a damaged one. */
export class CorruptFrame extends Error {
  override readonly name = "CorruptFrame";

  constructor(reason: string, options: { cause?: unknown } = {}) {
    super(`the frame of bulletins is corrupt: ${reason}`, options);
  }
}

/** A newer version of the service wrote the frame. */
export class UnknownFrameVersion extends UnknownEvent {
  override readonly name = "UnknownFrameVersion";
  readonly version: number;

  constructor(version: number) {
    super(`unknown format version ${version} of a frame of bulletins`);
    this.version = version;
  }
}
