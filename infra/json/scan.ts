/** Scans JSON bytes without parsing. In UTF-8, the bytes of longer characters are never ASCII. */

import { isUtf8 } from "node:buffer";

export const NEWLINE = 0x0a;
export const SPACE = 0x20;
export const QUOTE = 0x22;
export const COMMA = 0x2c;
export const COLON = 0x3a;
export const BACKSLASH = 0x5c;
export const OPEN_LIST = 0x5b;
export const CLOSE_LIST = 0x5d;
export const OPEN_OBJECT = 0x7b;
export const CLOSE_OBJECT = 0x7d;

/** From this length on the native search repays its call (measured: 30 to 60 bytes). */
const SHORT_STRING_BYTES = 48;

/**
 * Start of the text, after a byte order mark, which some clients send and RFC 8259 allows us to
 * ignore.
 * @throws InvalidJson when the bytes are not UTF-8
 */
export function startOfText(bytes: Buffer): number {
  if (!isUtf8(bytes)) throw new InvalidJson("the body is not valid UTF-8", 0);
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
}

/** Index of the next byte that is not white space, at most `bytes.length`. */
export function skipSpace(bytes: Buffer, from: number): number {
  let i = from;
  while (i < bytes.length && isSpace(bytes[i])) i++;
  return i;
}

function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

/**
 * Index of the quote that ends the string whose first byte is at `start`.
 * @throws InvalidJson without one
 */
export function endOfString(bytes: Buffer, start: number): number {
  const near = Math.min(start + SHORT_STRING_BYTES, bytes.length);
  let i = start;
  while (i < near) {
    const byte = bytes[i];
    if (byte === QUOTE) return i;
    i += byte === BACKSLASH ? 2 : 1;
  }
  return farEndOfString(bytes, i);
}

/** A quote ends the string after an even number of backslashes. */
function farEndOfString(bytes: Buffer, start: number): number {
  let from = start;
  for (;;) {
    const quote = bytes.indexOf(QUOTE, from);
    if (quote === -1) throw new InvalidJson("a string does not end", bytes.length);
    let run = quote;
    while (run > from && bytes[run - 1] === BACKSLASH) run--;
    if ((quote - run) % 2 === 0) return quote;
    from = quote + 1;
  }
}

export function tooDeep(maxDepth: number, position: number): InvalidJson {
  return new InvalidJson(`the body is nested deeper than ${maxDepth} levels`, position);
}

/** @throws InvalidJson when brackets are nested deeper than `maxDepth` or a string does not end */
export function checkDepth(bytes: Buffer, start: number, maxDepth: number): void {
  let depth = 0;
  for (let i = start; i < bytes.length; i++) {
    const byte = bytes[i];
    if (byte === QUOTE) i = endOfString(bytes, i + 1);
    else if (byte === OPEN_OBJECT || byte === OPEN_LIST) {
      if (++depth > maxDepth) throw tooDeep(maxDepth, i);
    } else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) depth--;
  }
}

/** A body is not JSON, or is JSON that this service refuses; `position` is the byte of the fault. */
export class InvalidJson extends Error {
  override readonly name = "InvalidJson";
  readonly reason: string;
  readonly position: number;

  constructor(reason: string, position: number, options: { cause?: unknown } = {}) {
    super(`${reason} (at byte ${position})`, options);
    this.reason = reason;
    this.position = position;
  }
}
