import type { XmlShape } from "../../xml/xml-shape.ts";
import { LINE_FEED, SPACE, TAB } from "./plain-characters.ts";
import { type PlainElement, readPlainElement } from "./plain-element.ts";

/** Elements in a row that were not plain, after which the rest of a piece is not looked at. */
const MAX_REFUSED = 4;

export type XmlRoutes = {
  /** Gives text to saxes. */
  readonly give: (text: string) => void;
  /** Depth of the streamed element where all that was given is read and a child of it may begin. */
  readonly depth: () => number | null;
  /** Line feeds before an element, which saxes is not given. */
  readonly pass: (lineFeeds: number) => void;
  /** Takes an element that saxes is not given. */
  readonly tell: (element: PlainElement) => void;
};

/**
 * Returns how a piece of text is read: children of the streamed element that are plain and lie wholly
 * in it without saxes, everything else by saxes. To come to an element's beginning, text is cut after
 * the end tag of the shape's first child; its other children are read on the way.
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
    // Searching backwards is slow where there is nothing to find.
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
