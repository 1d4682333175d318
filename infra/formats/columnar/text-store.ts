const FIRST_BYTES = 4 * 1024;

/**
 * Texts in UTF-8, one after the other as Arrow lays them out (Columnar Format, "Variable-size Binary
 * Layout"): text `i` is `bytes` from `offsets[i]` to `offsets[i + 1]`.
 */
export type TextStore = {
  readonly bytes: Buffer;
  readonly offsets: Int32Array;
  readonly length: number;
  readonly byteLength: number;
  /** Adds the text that lies in `source`; an empty one for no bytes. */
  readonly add: (source: Buffer, start: number, bytes: number) => void;
  /** Makes room for a text of `bytes` that the caller writes; where it begins. */
  readonly reserve: (bytes: number) => number;
  readonly at: (index: number) => Uint8Array;
  readonly clear: () => void;
};

/** @param capacity most texts */
export function createTextStore(capacity: number): TextStore {
  const offsets = new Int32Array(capacity + 1);
  let bytes = Buffer.allocUnsafeSlow(FIRST_BYTES);
  let length = 0;
  let used = 0;

  function reserve(count: number): number {
    const start = used;
    used += count;
    if (used > bytes.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(2 * bytes.length, used));
      bytes.copy(larger, 0, 0, start);
      bytes = larger;
    }
    length += 1;
    offsets[length] = used;
    return start;
  }

  return {
    get bytes() {
      return bytes;
    },
    offsets,
    get length() {
      return length;
    },
    get byteLength() {
      return used;
    },
    add(source, start, count) {
      const at = reserve(count);
      // A call of the native copy costs more than a short text.
      if (count > SHORT_BYTES) source.copy(bytes, at, start, start + count);
      else for (let i = 0; i < count; i += 1) bytes[at + i] = source[start + i] as number;
    },
    reserve,
    at(index) {
      const start = offsets[index] as number;
      return new Uint8Array(bytes.buffer, start, (offsets[index + 1] as number) - start);
    },
    clear() {
      length = 0;
      used = 0;
    },
  };
}

const SHORT_BYTES = 48;
