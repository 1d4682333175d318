const LINE_END = /\r\n|\r|\n/g;

/**
 * Returns what takes the blanks and the byte order mark off the beginning of a document that comes in
 * pieces: XML allows none before its declaration, but scripts that print an empty line first are common.
 * The text that is left, and the line ends that were taken off with it.
 */
export function createLeadingBlanks(): (piece: string) => {
  readonly text: string;
  readonly lineEnds: number;
} {
  let endsInReturn = false;
  return (piece) => {
    const text = piece.trimStart();
    const blanks = piece.slice(0, piece.length - text.length);
    // One line end that was cut in two.
    const counted = endsInReturn && blanks.startsWith("\n") ? blanks.slice(1) : blanks;
    if (piece !== "") endsInReturn = blanks.endsWith("\r");
    return { text, lineEnds: counted.match(LINE_END)?.length ?? 0 };
  };
}
