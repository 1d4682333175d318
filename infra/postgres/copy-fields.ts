import type { CopyBuffer } from "./copy-buffer.ts";

/** What each column type takes. */
type CopyValues = {
  bool: boolean;
  int2: number;
  int4: number;
  int8: bigint;
  float8: number;
  /** Without NUL, which PostgreSQL refuses. */
  text: string;
  /** JSON text; not for jsonb, whose format begins with a version. */
  json: string;
  uuid: string;
  /** Microseconds since 2000-01-01T00:00:00Z, from `postgresMicros`. */
  timestamptz: bigint;
};

export type CopyType = keyof CopyValues;
export type CopyValue<T extends CopyType> = CopyValues[T];

type FieldWriters = {
  readonly [T in CopyType]: (buffer: CopyBuffer, value: CopyValues[T]) => void;
};

/** How a value that is not null is written: its length in bytes, then its bytes. */
const WRITERS: FieldWriters = {
  bool(buffer, value) {
    buffer.int32(1);
    buffer.byte(value ? 1 : 0);
  },
  int2(buffer, value) {
    requireInteger(value, -(2 ** 15), 2 ** 15 - 1);
    buffer.int32(2);
    buffer.int16(value);
  },
  int4(buffer, value) {
    requireInteger(value, -(2 ** 31), 2 ** 31 - 1);
    buffer.int32(4);
    buffer.int32(value);
  },
  int8: writeInt64,
  float8(buffer, value) {
    buffer.int32(8);
    buffer.float64(value);
  },
  text: (buffer, value) => buffer.text(value),
  json: (buffer, value) => buffer.text(value),
  uuid: writeUuid,
  timestamptz: writeInt64,
};

/** The encoder pairs each value with its column's writer by position; its row type keeps them in step. */
export const FIELD_WRITERS = WRITERS as {
  readonly [T in CopyType]: (buffer: CopyBuffer, value: unknown) => void;
};

function writeInt64(buffer: CopyBuffer, value: bigint): void {
  if (BigInt.asIntN(64, value) !== value) throw new RangeError(`${value} is no 64-bit integer`);
  buffer.int32(8);
  buffer.int64(value);
}

/** The view would cut a larger number to its low bits without a word. */
function requireInteger(value: number, min: number, max: number): void {
  if (!Number.isInteger(value) || value < min || value > max) {
    throw new RangeError(`${value} is not an integer from ${min} to ${max}`);
  }
}

const UUID_TEXT_LENGTH = 36;

function writeUuid(buffer: CopyBuffer, text: string): void {
  if (text.length !== UUID_TEXT_LENGTH) throw new RangeError(`${text} is no UUID`);
  buffer.int32(16);
  buffer.int32(hexWord(text, 0, 1, 2, 3, 4, 5, 6, 7));
  buffer.int32(hexWord(text, 9, 10, 11, 12, 14, 15, 16, 17));
  buffer.int32(hexWord(text, 19, 20, 21, 22, 24, 25, 26, 27));
  buffer.int32(hexWord(text, 28, 29, 30, 31, 32, 33, 34, 35));
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
