/**
 * PostgreSQL's binary COPY format (manual, COPY, "Binary Format"): a header, per row the number of
 * fields and each field with its length, and a trailer. All integers are big-endian.
 */
import { setImmediate } from "node:timers/promises";
import { createCopyBuffer } from "./copy-buffer.ts";
import { type CopyType, type CopyValue, FIELD_WRITERS } from "./copy-fields.ts";

/** The types of a table's columns, in the order of the COPY statement. */
export type CopyTypes = readonly CopyType[];

/** One row: a value of the column's type, or null. */
export type CopyRow<T extends CopyTypes> = { readonly [I in keyof T]: CopyValue<T[I]> | null };

export type BinaryCopy<T extends CopyTypes> = {
  /** Encodes one row; the array may be reused for the next. */
  row(values: CopyRow<T>): void;
  /** Bytes encoded and not yet taken. */
  readonly pendingBytes: number;
  /** What has been encoded since the last call, the header first. */
  take(): Buffer;
  /** The rest with the trailer: the end of the COPY. */
  end(): Buffer;
};

const HEADER = Buffer.from("PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0", "latin1");
const TRAILER = -1;
const NULL_LENGTH = -1;
/** Large enough that the cost of a write to the socket does not show. */
const STREAM_BYTES = 256 * 1024;

/** An encoder for the rows of one `copy … from stdin (format binary)`. */
export function createBinaryCopy<const T extends CopyTypes>(types: T): BinaryCopy<T> {
  const buffer = createCopyBuffer(STREAM_BYTES);
  const writers = types.map((type) => FIELD_WRITERS[type]);
  buffer.bytes(HEADER);

  return {
    row(values) {
      buffer.int16(writers.length);
      for (let i = 0; i < writers.length; i++) {
        const value = values[i];
        if (value === null || value === undefined) buffer.int32(NULL_LENGTH);
        else writers[i]?.(buffer, value);
      }
    },
    get pendingBytes() {
      return buffer.length;
    },
    take: () => buffer.take(),
    end() {
      buffer.int16(TRAILER);
      return buffer.take();
    },
  };
}

/**
 * A whole COPY as buffers of about 256 KB, for
 * `pipeline(binaryCopyStream(types, rows), client.query(copyFrom(statement)))`. Other work gets its
 * turn after each: writes to a server on the same machine hardly ever have to wait.
 */
export async function* binaryCopyStream<const T extends CopyTypes>(
  types: T,
  rows: Iterable<CopyRow<T>>,
): AsyncGenerator<Buffer> {
  const copy = createBinaryCopy(types);
  for (const row of rows) {
    copy.row(row);
    if (copy.pendingBytes < STREAM_BYTES) continue;
    yield copy.take();
    await setImmediate();
  }
  yield copy.end();
}
