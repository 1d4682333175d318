import type { XmlShape } from "../../xml/xml-shape.ts";
import { type PlainElement, readPlainElement } from "./plain-element.ts";
import { LINE_FEED, SPACE, TAB } from "./plain-tags.ts";

/** After this many consecutive elements that are not plain, saxes reads the rest of the piece. */
const MAX_REFUSED = 4;

export type XmlRoutes = {
  /** Passes text to saxes. */
  readonly give: (text: string) => void;
  /** Depth of the streamed element when all text so far is read and a child may begin; else null. */
  readonly depth: () => number | null;
  /** Counts line feeds before an element that saxes does not see. */
  readonly pass: (lineFeeds: number) => void;
  /** Emits an element that saxes does not see. */
  readonly tell: (element: PlainElement) => void;
};

/**
 * Returns the reader of a piece of text. Plain children of the streamed element that lie wholly in
 * the piece are read without saxes, everything else by saxes. To find where an element begins, the
 * text is cut after the end tag of the shape's first child; other children are read on the way.
 */
export function createXmlPieces(streamed: XmlShape, routes: XmlRoutes): (text: string) => void {
  const [first = ""] = streamed.children.keys();
  const endTag = `</${first}>`;

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

  return (text) => {
    let at = 0;
    // A backward search is slow when it finds nothing.
    const last = text.includes(endTag) ? text.lastIndexOf(endTag) : -1;
    for (let refused = 0; at <= last && refused < MAX_REFUSED; ) {
      const depth = routes.depth();
      if (depth !== null) {
        at = passBlanks(text, at);
        const element = readPlainElement(text, at, streamed, depth);
        if (element !== null) {
          routes.tell(element);
          at = element.end;
          refused = 0;
          continue;
        }
        refused++;
      }
      const end = text.indexOf(endTag, at) + endTag.length;
      routes.give(text.slice(at, end));
      at = end;
    }
    if (at < text.length) routes.give(at === 0 ? text : text.slice(at));
  };
}
