import type { TextLine } from "../fixed-columns.ts";
import { expressible } from "../xml/xml-text.ts";

/** Far above any line of these formats; what is beyond is cut off. */
export const MAX_LINE_LENGTH = 64 * 1024;

const LINE_END = /\r\n?|\n/g;
/** Printers' marks, which stand for nothing. */
const PAGE = /[\v\f]/g;

export type TextLines = {
  readonly write: (text: string) => void;
  /** Hands over the last line, if no line end closes it. */
  readonly end: () => void;
};

/**
 * Cuts a text that comes in pieces into lines, which end with LF, CRLF or CR. What no bulletin may hold, as it
 * could not be written, becomes U+FFFD, in the same columns.
 * @param take gets each line; `isClosed` unless the text ends within it
 */
export function createTextLines(take: (line: TextLine, isClosed: boolean) => void): TextLines {
  let open = "";
  let number = 1;
  /** The last piece ended with CR, which may be half of a CRLF. */
  let afterReturn = false;

  function extend(text: string): void {
    if (open.length < MAX_LINE_LENGTH) open += text.slice(0, MAX_LINE_LENGTH - open.length);
  }

  function close(isClosed: boolean): void {
    const text = expressible(open.replace(PAGE, " "));
    open = "";
    take({ text, number: number++ }, isClosed);
  }

  return {
    write(text) {
      let at = afterReturn && text.startsWith("\n") ? 1 : 0;
      if (text !== "") afterReturn = text.endsWith("\r");
      LINE_END.lastIndex = at;
      for (let end = LINE_END.exec(text); end !== null; end = LINE_END.exec(text)) {
        extend(text.slice(at, end.index));
        close(true);
        at = end.index + end[0].length;
      }
      extend(text.slice(at));
    },
    end() {
      if (open !== "") close(false);
    },
  };
}
