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
