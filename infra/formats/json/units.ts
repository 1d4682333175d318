/** Longer texts are looked at in pieces of this length. */
export const MAX_PIECE_LENGTH = 64 * 1024;

/**
 * The UTF-16 units of a piece of text as numbers. Reading a character of a string costs several times
 * as much, because strings have many forms in memory (measured: a third of the scanner's rate).
 */
export type Units = {
  readonly codes: Uint16Array;
  /** Loads a piece of at most MAX_PIECE_LENGTH units; what stood there before is overwritten. */
  readonly load: (piece: string) => void;
};

export function createUnits(): Units {
  const bytes = Buffer.alloc(2 * MAX_PIECE_LENGTH);
  return {
    codes: new Uint16Array(bytes.buffer, bytes.byteOffset, MAX_PIECE_LENGTH),
    load: (piece) => {
      bytes.write(piece, "utf16le");
    },
  };
}
