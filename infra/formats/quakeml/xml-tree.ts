import { SaxesParser } from "saxes";
import { createLeadingBlanks } from "../xml/leading-blanks.ts";
import { createOpenNodes, type OpenNodes, type OpenNodesSink } from "../xml/open-nodes.ts";
import { MAX_DEPTH, MAX_TOKEN, type XmlShape } from "../xml/xml-shape.ts";
import { createXmlPieces } from "./plain/xml-pieces.ts";
import { createXmlNames, rootFault } from "./xml-names.ts";

export type XmlTreeSink = OpenNodesSink & {
  /** Called once, and last. `within`: the line of the streamed element's cut-off child, or null. */
  readonly fault: (line: number, message: string, within: number | null) => void;
};

/** Thrown to leave saxes in the middle of its work; it is not called again. */
class XmlFault extends Error {}

/** Where the reading of a document stands. */
type Reading = {
  depth: number;
  /** Depth of the element that is being skipped with its content; 0 without one. */
  skipped: number;
  tokens: number;
  /** Characters that saxes had read at the end of the last tag. */
  tagEnd: number;
  /** Line feeds that saxes did not see. */
  passed: number;
};

/**
 * Reads XML in pieces and emits the children of the elements of shape `streamed`, holding at most
 * one of them. A document type is refused, so only XML's own five entities exist.
 */
export function createXmlTree(document: XmlShape, streamed: XmlShape, sink: XmlTreeSink) {
  const parser = new SaxesParser({ xmlns: false, position: false });
  const withoutBlanks = createLeadingBlanks();
  const nodes = createOpenNodes(document, streamed, sink);
  const at: Reading = { depth: 0, skipped: 0, tokens: 0, tagEnd: -1, passed: 0 };
  listen(parser, nodes, at);
  const read = readerOfPieces(parser, nodes, at, streamed, sink);
  let quiet = 0;
  let begun = false;
  let dead = false;

  function begin(piece: string): string {
    const { text, lineEnds } = withoutBlanks(piece);
    at.passed += lineEnds;
    begun = text !== "";
    return text;
  }

  function run(work: () => void): void {
    if (dead) return;
    try {
      work();
    } catch (error) {
      dead = true;
      if (!(error instanceof XmlFault)) throw error;
      sink.fault(parser.line + at.passed, error.message, nodes.childLine());
    }
  }

  return {
    write(piece: string): void {
      run(() => {
        const before = at.tokens;
        const text = begun ? piece : begin(piece);
        // saxes decodes surrogates without checking the second half.
        read(text.isWellFormed() ? text : text.toWellFormed());
        quiet = at.tokens === before ? quiet + text.length : 0;
        if (quiet > MAX_TOKEN) {
          fail(`a tag, text or comment is longer than ${MAX_TOKEN} characters`);
        }
      });
    },
    end(): void {
      run(() => parser.close());
      dead = true;
    },
  };
}

/** Reads plain children of the streamed elements beside saxes, and counts on for it. */
function readerOfPieces(
  parser: SaxesParser,
  nodes: OpenNodes,
  at: Reading,
  streamed: XmlShape,
  sink: Pick<XmlTreeSink, "element">,
): (text: string) => void {
  /** Characters passed to saxes. */
  let passedOn = 0;
  return createXmlPieces(streamed, {
    give(text) {
      passedOn += text.length;
      parser.write(text);
    },
    depth: () =>
      at.skipped === 0 && at.tagEnd === passedOn && nodes.isStreaming() ? at.depth : null,
    pass(lineFeeds) {
      at.passed += lineFeeds;
    },
    tell({ name, node, lineFeeds }) {
      at.tokens++;
      const line = parser.line + at.passed;
      at.passed += lineFeeds;
      sink.element(name, node, line);
    },
  });
}

function fail(message: string): never {
  throw new XmlFault(message);
}

/**
 * Follows the tags. At most seven handlers: with an eighth, V8 keeps the parser's fields in a hash
 * table, and reading takes six times as long (measured with Node 24). So comments have no handler.
 */
function listen(parser: SaxesParser, nodes: OpenNodes, at: Reading): void {
  const localName = createXmlNames();
  let startLine = 0;
  let nameEnd = 0;

  /** Without a handler saxes does not even slice the text. */
  function skip(from: number): void {
    at.skipped = from;
    parser.off("text");
  }

  parser.on("error", (error) => fail(error.message));
  parser.on("doctype", () => fail("a document type (DOCTYPE) is not allowed"));
  parser.on("text", nodes.text);
  parser.on("cdata", (data) => {
    at.tokens++;
    if (at.skipped === 0) nodes.text(data);
  });
  parser.on("opentagstart", () => {
    nameEnd = parser.position;
    // Only a line break directly after the name has been counted already.
    if (nodes.isStreaming()) startLine = at.passed + parser.line - (parser.column === 0 ? 1 : 0);
  });
  parser.on("opentag", (tag) => {
    at.tokens++;
    at.tagEnd = parser.position;
    if (++at.depth > MAX_DEPTH) fail(`elements are nested deeper than ${MAX_DEPTH} levels`);
    if (at.skipped > 0) return;
    // saxes creates an attribute table for every tag, and searching an empty one is not free.
    const local = localName(tag, at.depth, at.tagEnd > nameEnd);
    const child = local === null ? undefined : nodes.childNamed(local);
    if (child === undefined) {
      if (at.depth === 1) fail(rootFault(local ?? tag.name));
      skip(at.depth);
    } else nodes.enter(child, tag.attributes, startLine);
  });
  parser.on("closetag", () => {
    at.tagEnd = parser.position;
    at.depth--;
    if (at.skipped === 0) {
      nodes.leave();
      const levels = nodes.giveUp();
      if (levels > 0) skip(at.depth - levels + 1);
    } else if (at.depth < at.skipped) {
      at.skipped = 0;
      parser.on("text", nodes.text);
    }
  });
}
