import {
  cursorAt,
  LESS,
  LINE_FEED,
  type PlainCursor,
  SLASH,
  SPACE,
  TAB,
  TEXT_END,
} from "./plain-tags.ts";

/** After this many consecutive elements that are not plain, saxes reads the rest of the piece. */
const MAX_REFUSED = 16;

export type XmlRoutes = {
  /** Passes text to saxes. */
  readonly give: (text: string) => void;
  /** True when all text so far is read and a child of an element that is kept may begin. */
  readonly mayBegin: () => boolean;
  /** Counts line feeds before an element that saxes does not see. */
  readonly pass: (lineFeeds: number) => void;
  /** Reads a plain element without saxes; false when it is not plain or does not end in the piece. */
  readonly read: (cursor: PlainCursor) => boolean;
};

/**
 * Returns the reader of a piece of text. Plain elements that lie wholly in the piece are read without
 * saxes, largest first, everything else by saxes, up to the next tag's end.
 */
export function createXmlPieces(routes: XmlRoutes): (text: string) => void {
  function passBlanks(text: string, from: number): number {
    let at = from;
    let lineFeeds = 0;
    for (; ; at++) {
      const code = text.charCodeAt(at);
      if (code === LINE_FEED) lineFeeds++;
      else if (code !== SPACE && code !== TAB) break;
    }
    routes.pass(lineFeeds);
    return at;
  }

  function begins(text: string, at: number): boolean {
    return text.charCodeAt(at) === LESS && text.charCodeAt(at + 1) !== SLASH;
  }

  return (piece) => {
    const text = piece + TEXT_END;
    let at = 0;
    for (let refused = 0; at < piece.length && refused < MAX_REFUSED; ) {
      if (routes.mayBegin()) {
        at = passBlanks(text, at);
        if (begins(text, at)) {
          const cursor = cursorAt(text, at);
          if (routes.read(cursor)) {
            at = cursor.at;
            refused = 0;
            continue;
          }
          refused++;
        }
      }
      const end = text.indexOf(">", at) + 1;
      if (end === 0) break;
      routes.give(text.slice(at, end));
      at = end;
    }
    if (at < piece.length) routes.give(at === 0 ? piece : piece.slice(at));
  };
}
