/** A growing buffer of big-endian values for PostgreSQL's wire formats. */
export type CopyBuffer = {
  readonly length: number;
  int16(value: number): void;
  int32(value: number): void;
  int64(value: bigint): void;
  float64(value: number): void;
  bytes(value: Uint8Array): void;
  /** UTF-8, preceded by its length in bytes. */
  text(value: string): void;
  /** The bytes written since the last call. */
  take(): Buffer;
};

/** Up to this length a loop over ASCII is faster than calling the native encoder. */
const SHORT_TEXT = 24;
const MAX_BYTES_PER_UNIT = 3;
const LENGTH_BYTES = 4;

/** `capacity`: bytes allocated at first and again after each `take`. */
export function createCopyBuffer(capacity: number): CopyBuffer {
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
    get length() {
      return length;
    },
    int16(value) {
      const offset = reserve(2);
      view.setInt16(offset, value);
    },
    int32(value) {
      const offset = reserve(4);
      view.setInt32(offset, value);
    },
    int64(value) {
      const offset = reserve(8);
      view.setBigInt64(offset, value);
    },
    float64(value) {
      const offset = reserve(8);
      view.setFloat64(offset, value);
    },
    bytes(value) {
      const offset = reserve(value.length);
      buffer.set(value, offset);
    },
    text(value) {
      const offset = reserve(LENGTH_BYTES + value.length * MAX_BYTES_PER_UNIT);
      const start = offset + LENGTH_BYTES;
      const ascii = value.length <= SHORT_TEXT && writeAscii(buffer, value, start);
      const bytes = ascii ? value.length : buffer.write(value, start, "utf8");
      view.setInt32(offset, bytes);
      length = start + bytes;
    },
    take() {
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
