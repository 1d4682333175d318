const LF = 10;
const CR = 13;

/** Finds line ends (LF, CRLF, CR) and quotes in one text, each place of it looked at once. */
export type MarkFinder = {
  /** The place of the line end at or after `at`; −1 when the text ends before it is certain. */
  readonly lineEnd: (at: number) => number;
  /** True when a quote stands between `at` and `end`. */
  readonly quoteBefore: (at: number, end: number) => boolean;
};

/** `last`: nothing follows, so that the end of the text ends its last line. */
export function createMarkFinder(text: string, last: boolean): MarkFinder {
  let lf = text.indexOf("\n");
  let cr = text.indexOf("\r");
  let quote = text.indexOf('"');
  return {
    lineEnd(at) {
      if (lf !== -1 && lf < at) lf = text.indexOf("\n", at);
      if (cr !== -1 && cr < at) cr = text.indexOf("\r", at);
      if (cr === -1 || (lf !== -1 && lf < cr)) return lf === -1 && last ? text.length : lf;
      // A CR at the end may be the first half of CRLF.
      return cr === text.length - 1 && !last ? -1 : cr;
    },
    quoteBefore(at, end) {
      if (quote !== -1 && quote < at) quote = text.indexOf('"', at);
      return quote !== -1 && quote < end;
    },
  };
}

/** The place of the next line, after the line end at `end`. */
export function afterLineEnd(text: string, end: number): number {
  return text.charCodeAt(end) === CR && text.charCodeAt(end + 1) === LF ? end + 2 : end + 1;
}

export function countLineEnds(text: string): number {
  let count = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === LF || (code === CR && text.charCodeAt(at + 1) !== LF)) count++;
  }
  return count;
}
