import { SaxesParser } from "saxes";
import { createOpenNodes, type OpenNodesSink } from "../xml/open-nodes.ts";
import { MAX_DEPTH, MAX_TOKEN, type XmlShape } from "../xml/xml-shape.ts";
import { createXmlPieces } from "./plain/xml-pieces.ts";
import { createXmlNames, rootFault } from "./xml-names.ts";

export type XmlTreeSink = OpenNodesSink & {
  /** Called once, and last. `within`: the line of the streamed element's cut-off child, or null. */
  readonly fault: (line: number, message: string, within: number | null) => void;
};

/** Thrown to leave saxes in the middle of its work; it is not called again. */
class XmlFault extends Error {}

const LINE_END = /\r\n|\r|\n/g;

/**
 * Reads XML in pieces and emits the children of the elements of shape `streamed`, holding at most
 * one of them. A document type is refused, so only XML's own five entities exist.
 */
export function createXmlTree(document: XmlShape, streamed: XmlShape, sink: XmlTreeSink) {
  const parser = new SaxesParser({ xmlns: false, position: false });
  const localName = createXmlNames();
  const withoutBlanks = createLeadingBlanks();
  const nodes = createOpenNodes(document, streamed, sink);
  let depth = 0;
  /** Depth of the element that is being skipped with its content; 0 without one. */
  let skipped = 0;
  let startLine = 0;
  let nameEnd = 0;
  let tokens = 0;
  let quiet = 0;
  /** Characters passed to saxes, and how many of them were read at the end of the last tag. */
  let given = 0;
  let tagEnd = -1;
  /** Line feeds that saxes did not see. */
  let passed = 0;
  let begun = false;
  let dead = false;

  const read = createXmlPieces(streamed, {
    give(text) {
      given += text.length;
      parser.write(text);
    },
    depth: () => (skipped === 0 && tagEnd === given && nodes.isStreaming() ? depth : null),
    pass(lineFeeds) {
      passed += lineFeeds;
    },
    tell({ name, node, lineFeeds }) {
      tokens++;
      const line = parser.line + passed;
      passed += lineFeeds;
      sink.element(name, node, line);
    },
  });

  function begin(piece: string): string {
    const { text, lineEnds } = withoutBlanks(piece);
    passed += lineEnds;
    begun = text !== "";
    return text;
  }

  function fail(message: string): never {
    throw new XmlFault(message);
  }

  /** Without a handler saxes does not even slice the text. */
  function skip(from: number): void {
    skipped = from;
    parser.off("text");
  }

  // At most seven handlers: with an eighth, V8 keeps the parser's fields in a hash table, and
  // reading takes six times as long (measured with Node 24). So comments have no handler.
  parser.on("error", (error) => fail(error.message));
  parser.on("doctype", () => fail("a document type (DOCTYPE) is not allowed"));
  parser.on("text", nodes.text);
  parser.on("cdata", (data) => {
    tokens++;
    if (skipped === 0) nodes.text(data);
  });
  parser.on("opentagstart", () => {
    nameEnd = parser.position;
    // Only a line break directly after the name has been counted already.
    if (nodes.isStreaming()) startLine = passed + parser.line - (parser.column === 0 ? 1 : 0);
  });
  parser.on("opentag", (tag) => {
    tokens++;
    tagEnd = parser.position;
    if (++depth > MAX_DEPTH) fail(`elements are nested deeper than ${MAX_DEPTH} levels`);
    if (skipped > 0) return;
    // saxes creates an attribute table for every tag, and searching an empty one is not free.
    const local = localName(tag, depth, tagEnd > nameEnd);
    const child = local === null ? undefined : nodes.childNamed(local);
    if (child === undefined) {
      if (depth === 1) fail(rootFault(local ?? tag.name));
      skip(depth);
    } else nodes.enter(child, tag.attributes, startLine);
  });
  parser.on("closetag", () => {
    tagEnd = parser.position;
    depth--;
    if (skipped === 0) {
      nodes.leave();
      const levels = nodes.giveUp();
      if (levels > 0) skip(depth - levels + 1);
    } else if (depth < skipped) {
      skipped = 0;
      parser.on("text", nodes.text);
    }
  });

  function run(work: () => void): void {
    if (dead) return;
    try {
      work();
    } catch (error) {
      dead = true;
      if (!(error instanceof XmlFault)) throw error;
      sink.fault(parser.line + passed, error.message, nodes.childLine());
    }
  }

  return {
    write(piece: string): void {
      run(() => {
        const before = tokens;
        const text = begun ? piece : begin(piece);
        // saxes decodes surrogates without checking the second half.
        read(text.isWellFormed() ? text : text.toWellFormed());
        quiet = tokens === before ? quiet + text.length : 0;
        if (quiet > MAX_TOKEN)
          fail(`a tag, text or comment is longer than ${MAX_TOKEN} characters`);
      });
    },
    end(): void {
      run(() => parser.close());
      dead = true;
    },
  };
}

/**
 * Removes blanks and a byte order mark from the start of a document in pieces: XML allows none
 * before its declaration, but scripts often print an empty line first. Returns the remaining text
 * and the number of line ends removed.
 */
function createLeadingBlanks(): (piece: string) => {
  readonly text: string;
  readonly lineEnds: number;
} {
  let endsInReturn = false;
  return (piece) => {
    const text = piece.trimStart();
    const blanks = piece.slice(0, piece.length - text.length);
    // One CRLF that was cut in two.
    const counted = endsInReturn && blanks.startsWith("\n") ? blanks.slice(1) : blanks;
    if (piece !== "") endsInReturn = blanks.endsWith("\r");
    return { text, lineEnds: counted.match(LINE_END)?.length ?? 0 };
  };
}
