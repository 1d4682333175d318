import type { CopyBuffer } from "./copy-buffer.ts";
import { type CopyField, nullField, requireInteger, type Values } from "./copy-fields.ts";

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
