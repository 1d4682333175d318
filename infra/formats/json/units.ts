import { CLOSE_OBJECT, COLON, COMMA, OPEN_OBJECT } from "../../json/scan.ts";

/** Longest piece; longer texts are scanned in several. */
const MAX_PIECE_LENGTH = 64 * 1024;

/**
 * The UTF-16 units of a piece of text as numbers. Reading the characters of a string costs several
 * times as much, because strings have many forms in memory (measured: a third of the scanner's
 * rate).
 */
export type Units = {
  readonly codes: Uint16Array;
  /** Loads a piece of at most MAX_PIECE_LENGTH units over the previous one. */
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

/** Digits, letters and the like, which the scanner skips. */
export function isPlain(code: number): boolean {
  // This bit maps the brackets of lists to those of objects.
  const folded = code | 0x20;
  return code > COMMA && code !== COLON && folded !== OPEN_OBJECT && folded !== CLOSE_OBJECT;
}

/** Index of the next unit that is significant to the scanner, at most `end`. */
export function endOfPlain(codes: Uint16Array, from: number, end: number): number {
  let i = from;
  while (i < end && isPlain(codes[i] ?? 0)) i++;
  return i;
}

/** Cuts a text into pieces that can be loaded, usually one. */
export function cutText(text: string): readonly string[] {
  if (text.length <= MAX_PIECE_LENGTH) return [text];
  const pieces: string[] = [];
  for (let at = 0; at < text.length; at += MAX_PIECE_LENGTH) {
    pieces.push(text.slice(at, at + MAX_PIECE_LENGTH));
  }
  return pieces;
}
