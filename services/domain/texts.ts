import { Refusal } from "#contracts/errors.ts";
import { isShownLine, NOT_SHOWN } from "#contracts/text.ts";

/**
 * A short text that people give, by the name of its member in a body: one visible line of up to `max` Unicode
 * code points.
 * @throws Refusal VALIDATION_ERROR
 */
export function requireShortText(member: string, text: string, max: number): void {
  if (!isShownLine(text)) throw new Refusal("VALIDATION_ERROR", `${member}: ${NOT_SHOWN}`);
  if ([...text].length > max) {
    throw new Refusal("VALIDATION_ERROR", `${member}: must be at most ${max} characters`);
  }
}

/**
 * A name in stored form: trimmed, not empty, a short text.
 * @throws Refusal MISSING_NAME, VALIDATION_ERROR
 */
export function shortName(text: string, max: number): string {
  const name = text.trim();
  if (name === "") throw new Refusal("MISSING_NAME");
  requireShortText("name", name, max);
  return name;
}

/** Buffers of concatenated texts, outside the garbage-collected heap. */
const FIRST_BYTES = 16 * 1024;
/** Most UTF-8 bytes for one UTF-16 unit. */
const BYTES_OF_A_UNIT = 3;

export function createTextBytes(): Buffer {
  return Buffer.allocUnsafeSlow(FIRST_BYTES);
}

/**
 * Returns `bytes` if `text` and `more` further bytes fit after `end`, else a larger copy of its
 * content.
 */
export function withRoomFor(text: string, more: number, bytes: Buffer, end: number): Buffer {
  const needed = end + BYTES_OF_A_UNIT * text.length + more;
  if (needed <= bytes.length) return bytes;
  const larger = Buffer.allocUnsafeSlow(Math.ceil(1.5 * needed));
  bytes.copy(larger, 0, 0, end);
  return larger;
}

/** Whether so many bytes from two offsets on are the same. */
export function areSameBytes(bytes: Buffer, one: number, other: number, length: number): boolean {
  for (let i = 0; i < length; i += 1) if (bytes[one + i] !== bytes[other + i]) return false;
  return true;
}

/** FNV-1a, 32 bits, with the upper bits mixed into the lower ones, which select a slot of a hash table. */
export function hashOfBytes(bytes: Buffer, start: number, length: number): number {
  let hash = 0x811c_9dc5;
  for (let i = start; i < start + length; i += 1) {
    hash = Math.imul(hash ^ (bytes[i] as number), 0x0100_0193);
  }
  hash ^= hash >>> 15;
  return Math.imul(hash, 0x85eb_ca6b) >>> 0;
}
