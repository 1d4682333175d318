import type { TextStore } from "./text-store.ts";

const UUID_BYTES = 16;
const TEXT_BYTES = 36;
const HYPHEN = 0x2d;
/** Where the two digits of each byte stand in the text, and the hyphens (RFC 9562, section 4). */
const DIGITS_AT = [0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34] as const;
const HYPHENS_AT = [8, 13, 18, 23] as const;
const DIGITS = Buffer.from("0123456789abcdef");

/** Adds the text of the UUID whose 16 bytes lie in `source` from `start` on. */
export function addUuid(texts: TextStore, source: Buffer, start: number): void {
  const to = texts.reserve(TEXT_BYTES);
  const { bytes } = texts;
  for (let i = 0; i < UUID_BYTES; i += 1) {
    const byte = source[start + i] as number;
    const at = to + (DIGITS_AT[i] as number);
    bytes[at] = DIGITS[byte >> 4] as number;
    bytes[at + 1] = DIGITS[byte & 15] as number;
  }
  for (const at of HYPHENS_AT) bytes[to + at] = HYPHEN;
}
