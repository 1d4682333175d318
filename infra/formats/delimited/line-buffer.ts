const LF = 10;
const CR = 13;

export type LineBuffer = ReturnType<typeof createLineBuffer>;

/**
 * The text received and not yet read, line by line. Unread text is looked at again with what follows
 * only after doubling, so the work stays linear.
 */
export function createLineBuffer(firstLine: number) {
  let text = Buffer.alloc(0);
  let at = 0;
  let line = firstLine;
  /** Later pieces. */
  let later = "";

  return {
    /** Whether what has come since is as much as what is unread. */
    add(piece: string): boolean {
      later += piece;
      return later.length >= text.length - at;
    },
    /** Makes all that was added readable; returns the offset after the last whole line. */
    take(isLast: boolean): number {
      text = Buffer.concat([text.subarray(at), Buffer.from(later)]);
      at = 0;
      later = "";
      return isLast ? text.length : endOfLines(text);
    },
    at: () => at,
    line: () => line,
    unread: () => text.length - at,
    bytes: (start: number, end: number) => text.subarray(start, end),
    pass(count: number): void {
      for (let i = 0; i < count; i++) {
        at = afterLine(text, at);
        line++;
      }
    },
    /** Drops the rest, but for a CR at its end, which may be half of a CRLF. */
    drop(): void {
      at = text.length - (text.at(-1) === CR ? 1 : 0);
    },
  };
}

/** The offset after the last certain line end: a CR at the end may be half of a CRLF. */
function endOfLines(text: Buffer): number {
  return Math.max(text.lastIndexOf(LF), text.subarray(0, -1).lastIndexOf(CR)) + 1;
}

/** The offset of the next line. */
function afterLine(text: Buffer, start: number): number {
  for (let at = start; at < text.length; at++) {
    if (text[at] === LF) return at + 1;
    if (text[at] === CR) return text[at + 1] === LF ? at + 2 : at + 1;
  }
  return text.length;
}
