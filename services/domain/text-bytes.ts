/** Buffers of texts one after another: what lies in them is not the collector's. */
const FIRST_BYTES = 16 * 1024;
/** Bytes that UTF-8 takes at most for a unit of UTF-16. */
const BYTES_OF_A_UNIT = 3;

export function createTextBytes(): Buffer {
  return Buffer.allocUnsafeSlow(FIRST_BYTES);
}

/** `bytes`, where `text` and so many bytes `more` fit behind `end`; else a larger copy of what is before. */
export function withRoomFor(text: string, more: number, bytes: Buffer, end: number): Buffer {
  const needed = end + BYTES_OF_A_UNIT * text.length + more;
  if (needed <= bytes.length) return bytes;
  const larger = Buffer.allocUnsafeSlow(Math.ceil(1.5 * needed));
  bytes.copy(larger, 0, 0, end);
  return larger;
}
