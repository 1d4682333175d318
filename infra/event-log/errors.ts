/** The stream is not at the revision that the writer decided on: decide again. */
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

/** One append holds more than the log takes at once. */
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

/** The append may or may not have happened; the same append again is safe and settles it. */
export class Ambiguous extends Error {
  override readonly name = "Ambiguous";
}

/** The log cannot be reached; nothing was written. */
export class Unavailable extends Error {
  override readonly name = "Unavailable";
}

/** What was built from the log does not go together with the log as it is. */
export class LogMismatch extends Error {
  override readonly name = "LogMismatch";
}
