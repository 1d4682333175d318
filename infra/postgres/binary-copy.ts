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
/** How long the making of rows keeps the thread before other work gets its turn. */
const TURN_MS = 3;
/** Looking at the clock after each row would be a tenth of its cost. */
const ROWS_PER_LOOK = 64;

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
 * turn after some milliseconds: writes to a server on the same machine hardly ever have to wait, and
 * a row may bring the decoding of the chunk that it begins.
 */
export async function* binaryCopyStream<const T extends CopyTypes>(
  types: T,
  rows: Iterable<CopyRow<T>>,
): AsyncGenerator<Buffer> {
  const copy = createBinaryCopy(types);
  let turnBegan = performance.now();
  let row = 0;
  for (const values of rows) {
    copy.row(values);
    row += 1;
    if (copy.pendingBytes >= STREAM_BYTES) yield copy.take();
    else if (row % ROWS_PER_LOOK !== 0 || performance.now() - turnBegan < TURN_MS) continue;
    await setImmediate();
    turnBegan = performance.now();
  }
  yield copy.end();
}
