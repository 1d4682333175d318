const LINE_END = /\r\n|\r|\n/g;

/**
 * Removes blanks and a byte order mark from the start of a document in pieces: XML allows none
 * before its declaration, but scripts often print an empty line first. Returns the remaining text
 * and the number of line ends removed.
 */
export function createLeadingBlanks(): (piece: string) => {
  readonly text: string;
  readonly lineEnds: number;
} {
  let endsInReturn = false;
  return (piece) => {
    const text = piece.trimStart();
    const blanks = piece.slice(0, piece.length - text.length);
    // One CRLF that was cut in two.
    const further = endsInReturn && blanks.startsWith("\n") ? blanks.slice(1) : blanks;
    if (piece !== "") endsInReturn = blanks.endsWith("\r");
    return { text, lineEnds: further.match(LINE_END)?.length ?? 0 };
  };
}
