/**
 * PostgreSQL's binary COPY format (manual, COPY, "Binary Format"): a header, then for each row the
 * number of fields and each field with its length, and a trailer. All integers are big-endian.
 */

import { setImmediate } from "node:timers/promises";

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

/**
 * Writes one column's value in a row: its length in bytes, then its bytes. Each kind reads its
 * values itself: passing them through a row object would allocate a heap object for every number.
 */
export type CopyField = (buffer: CopyBuffer, row: number) => void;

/** A column's values by row. */
type Values<V> = readonly (V | null | undefined)[];

const NULL_LENGTH = -1;

export function nullField(buffer: CopyBuffer): void {
  buffer.int32(NULL_LENGTH);
}

/** Uses the first value of `field` in every row. */
export function sameInEveryRow(field: CopyField): CopyField {
  return (buffer) => field(buffer, 0);
}

export function int2Field(values: Values<number>): CopyField {
  return (buffer, row) => {
    const value = values[row];
    if (value === null || value === undefined) return nullField(buffer);
    requireInteger(value, -(2 ** 15), 2 ** 15 - 1);
    buffer.int32(2);
    buffer.int16(value);
  };
}

export function int4Field(values: Values<number>): CopyField {
  return (buffer, row) => {
    const value = values[row];
    if (value === null || value === undefined) return nullField(buffer);
    requireInteger(value, -(2 ** 31), 2 ** 31 - 1);
    buffer.int32(4);
    buffer.int32(value);
  };
}

export function float8Field(values: Values<number>): CopyField {
  return (buffer, row) => {
    const value = values[row];
    if (value === null || value === undefined) return nullField(buffer);
    buffer.int32(8);
    buffer.float64(value);
  };
}

/** Text without NUL, which PostgreSQL refuses. */
export function textField(values: Values<string>): CopyField {
  return (buffer, row) => {
    const value = values[row];
    if (value === null || value === undefined) return nullField(buffer);
    buffer.text(value);
  };
}

export function booleanField(values: Values<boolean>): CopyField {
  return (buffer, row) => {
    const value = values[row];
    if (value === null || value === undefined) return nullField(buffer);
    buffer.int32(1);
    buffer.bytes(Uint8Array.of(value ? 1 : 0));
  };
}

export function byteaField(values: Values<Uint8Array>): CopyField {
  return (buffer, row) => {
    const value = values[row];
    if (value === null || value === undefined) return nullField(buffer);
    buffer.int32(value.length);
    buffer.bytes(value);
  };
}

const INT4_OID = 23;

/** Lists of one dimension, from 1 on, without nulls. */
export function int4ListField(values: Values<readonly number[]>): CopyField {
  return (buffer, row) => {
    const list = values[row];
    if (list === null || list === undefined) return nullField(buffer);
    buffer.int32(20 + 8 * list.length);
    for (const head of [1, 0, INT4_OID, list.length, 1]) buffer.int32(head);
    for (const value of list) {
      requireInteger(value, -(2 ** 31), 2 ** 31 - 1);
      buffer.int32(4);
      buffer.int32(value);
    }
  };
}

/** Values as JSON; not for jsonb, whose format begins with a version. */
export function jsonField(values: Values<unknown>): CopyField {
  return (buffer, row) => {
    const value = values[row];
    if (value === null || value === undefined) return nullField(buffer);
    buffer.text(JSON.stringify(value));
  };
}

/** Microseconds since 2000-01-01T00:00:00Z, from `postgresMicros`. */
export function timestamptzField(values: Values<bigint>): CopyField {
  return (buffer, row) => {
    const value = values[row];
    if (value === null || value === undefined) return nullField(buffer);
    buffer.int32(8);
    buffer.int64(value);
  };
}

/** DataView would silently truncate a larger number to its low bits. */
function requireInteger(value: number, min: number, max: number): void {
  if (!Number.isInteger(value) || value < min || value > max) {
    throw new RangeError(`${value} is not an integer from ${min} to ${max}`);
  }
}

const MAX_UINT32 = 2 ** 32 - 1;

export function uuidField(values: Values<string>): CopyField {
  return (buffer, row) => {
    const value = values[row];
    if (value === null || value === undefined) return nullField(buffer);
    writeUuid(buffer, ...wordsOf(value));
  };
}

/**
 * UUIDs that count upwards in their last 32 bits.
 * @param first the UUID of row 0
 */
export function countedUuidField(first: string): CopyField {
  const [a, b, c, d] = wordsOf(first);
  const start = d >>> 0;
  return (buffer, row) => {
    requireInteger(start + row, 0, MAX_UINT32);
    writeUuid(buffer, a, b, c, (start + row) | 0);
  };
}

function writeUuid(buffer: CopyBuffer, a: number, b: number, c: number, d: number): void {
  buffer.int32(16);
  buffer.int32(a);
  buffer.int32(b);
  buffer.int32(c);
  buffer.int32(d);
}

const UUID_TEXT_LENGTH = 36;

/** The 128 bits of a UUID as four 32-bit numbers. */
function wordsOf(text: string): [number, number, number, number] {
  if (text.length !== UUID_TEXT_LENGTH) throw new RangeError(`${text} is no UUID`);
  return [
    hexWord(text, 0, 1, 2, 3, 4, 5, 6, 7),
    hexWord(text, 9, 10, 11, 12, 14, 15, 16, 17),
    hexWord(text, 19, 20, 21, 22, 24, 25, 26, 27),
    hexWord(text, 28, 29, 30, 31, 32, 33, 34, 35),
  ];
}

function hexWord(text: string, ...indexes: readonly number[]): number {
  let word = 0;
  for (const index of indexes) word = (word << 4) | hexDigit(text, index);
  return word;
}

function hexDigit(text: string, index: number): number {
  const code = text.charCodeAt(index);
  if (code >= 48 && code <= 57) return code - 48;
  const letter = (code | 32) - 97;
  if (letter >= 0 && letter <= 5) return letter + 10;
  throw new RangeError(`${text} is no UUID`);
}

/** Up to this length a loop over ASCII is faster than calling the native encoder. */
const SHORT_TEXT = 24;
const MAX_BYTES_PER_UNIT = 3;
const LENGTH_BYTES = 4;

/** A growing buffer of big-endian values for PostgreSQL's wire formats. */
type CopyBuffer = ReturnType<typeof createCopyBuffer>;

/** `capacity`: bytes allocated at first and again after each `take`. */
export function createCopyBuffer(capacity: number) {
  let buffer = Buffer.allocUnsafe(capacity);
  let view = viewOf(buffer);
  let length = 0;

  /** May replace `view`, so call it before using `view`. */
  function reserve(bytes: number): number {
    const offset = length;
    length += bytes;
    if (length <= buffer.length) return offset;
    const larger = Buffer.allocUnsafe(Math.max(buffer.length * 2, length));
    buffer.copy(larger, 0, 0, offset);
    buffer = larger;
    view = viewOf(buffer);
    return offset;
  }

  return {
    get length(): number {
      return length;
    },
    int16(value: number): void {
      const offset = reserve(2);
      view.setInt16(offset, value);
    },
    int32(value: number): void {
      const offset = reserve(4);
      view.setInt32(offset, value);
    },
    int64(value: bigint): void {
      const offset = reserve(8);
      view.setBigInt64(offset, value);
    },
    float64(value: number): void {
      const offset = reserve(8);
      view.setFloat64(offset, value);
    },
    bytes(value: Uint8Array): void {
      const offset = reserve(value.length);
      buffer.set(value, offset);
    },
    /** UTF-8, preceded by its length in bytes. */
    text(value: string): void {
      const offset = reserve(LENGTH_BYTES + value.length * MAX_BYTES_PER_UNIT);
      const start = offset + LENGTH_BYTES;
      const ascii = value.length <= SHORT_TEXT && writeAscii(buffer, value, start);
      const bytes = ascii ? value.length : buffer.write(value, start, "utf8");
      view.setInt32(offset, bytes);
      length = start + bytes;
    },
    /** The bytes written since the last call. */
    take(): Buffer {
      const taken = buffer.subarray(0, length);
      buffer = Buffer.allocUnsafe(capacity);
      view = viewOf(buffer);
      length = 0;
      return taken;
    },
  };
}

/** Writes ASCII at `offset`; false, with undefined bytes there, when `text` has other characters. */
function writeAscii(buffer: Buffer, text: string, offset: number): boolean {
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code > 127) return false;
    buffer[offset + i] = code;
  }
  return true;
}

function viewOf(buffer: Buffer): DataView {
  return new DataView(buffer.buffer, buffer.byteOffset, buffer.length);
}
