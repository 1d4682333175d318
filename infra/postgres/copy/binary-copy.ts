/**
 * PostgreSQL's binary COPY format (manual, COPY, "Binary Format"): a header, then for each row the
 * number of fields and each field with its length, and a trailer. All integers are big-endian.
 */

import { setImmediate } from "node:timers/promises";
import { type CopyBuffer, createCopyBuffer } from "./copy-buffer.ts";
import type { CopyField } from "./copy-fields.ts";

/** Rows by column, with a field for each column of the COPY statement, in its order. */
export type CopyBlock = { readonly length: number; readonly fields: readonly CopyField[] };

const HEADER = Buffer.from("PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0", "latin1");
const TRAILER = -1;
/** Large enough that the cost of a socket write is negligible. */
const STREAM_BYTES = 256 * 1024;
/** Reserve for the last row of a buffer; most rows are far smaller. */
const ROW_BYTES = 16 * 1024;
/** Longest time on the thread before other work gets a turn. */
const TURN_MS = 3;
/** Reading the clock after every row would be a tenth of its cost. */
const ROWS_PER_LOOK = 64;

/**
 * A whole COPY as buffers of about 256 KB, for `pipeline(binaryCopyStream(blocks),
 * client.query(copyFrom(statement)))`. It yields to other work every few milliseconds, because
 * writes to a server on the same machine hardly ever wait, and a block may include the decoding of
 * its chunk.
 * @throws RangeError when a value is not of its column's type
 */
export async function* binaryCopyStream(blocks: Iterable<CopyBlock>): AsyncGenerator<Buffer> {
  const buffer = createCopyBuffer(STREAM_BYTES + ROW_BYTES);
  buffer.bytes(HEADER);
  let turnBegan = performance.now();
  for (const block of blocks) {
    for (let row = 0; row < block.length; ) {
      row = writeRows(buffer, block, row);
      if (buffer.length >= STREAM_BYTES) yield buffer.take();
      else if (performance.now() - turnBegan < TURN_MS) continue;
      await setImmediate();
      turnBegan = performance.now();
    }
  }
  buffer.int16(TRAILER);
  yield buffer.take();
}

/** Writes rows from `first` on until the buffer is full; returns the next row. */
function writeRows(buffer: CopyBuffer, { length, fields }: CopyBlock, first: number): number {
  const end = Math.min(length, first + ROWS_PER_LOOK);
  let row = first;
  for (; row < end && buffer.length < STREAM_BYTES; row += 1) {
    buffer.int16(fields.length);
    for (const field of fields) field(buffer, row);
  }
  return row;
}
