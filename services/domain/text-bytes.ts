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
