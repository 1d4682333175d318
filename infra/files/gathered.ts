/** Smaller pieces are copied into shared blocks of ROOM_BYTES. */
const SMALL_BYTES = 16 * 1024;
const ROOM_BYTES = 64 * 1024;

/** Bytes in memory, gathered from pieces. Each separate piece has an overhead, however small it is. */
export type Gathered = {
  readonly add: (bytes: Uint8Array) => void;
  readonly length: () => number;
  /** All bytes added, in order. */
  readonly pieces: () => Uint8Array[];
};

export function createGathered(): Gathered {
  const full: Uint8Array[] = [];
  let filling = Buffer.alloc(0);
  let filled = 0;
  let length = 0;

  function close(): void {
    if (filled > 0) full.push(filling.subarray(0, filled));
    filling = Buffer.alloc(0);
    filled = 0;
  }

  return {
    add(bytes) {
      length += bytes.length;
      const isSmall = bytes.length < SMALL_BYTES;
      // A large piece follows the current block, whatever room that has left.
      if (!isSmall || bytes.length > filling.length - filled) close();
      if (!isSmall) {
        full.push(bytes);
        return;
      }
      if (filling.length === 0) filling = Buffer.allocUnsafeSlow(ROOM_BYTES);
      filling.set(bytes, filled);
      filled += bytes.length;
    },
    length: () => length,
    pieces() {
      close();
      return [...full];
    },
  };
}
