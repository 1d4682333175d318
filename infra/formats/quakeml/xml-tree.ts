import { SaxesParser } from "saxes";
import { createReadingMark, type ObjectBuilder } from "./object-builder.ts";
import {
  createNamespaces,
  createOpenElements,
  type Namespaces,
  type OpenElements,
  type OpenElementsSink,
} from "./open-elements.ts";
import {
  createXmlPieces,
  MAX_DEPTH,
  MAX_TOKEN,
  type PlainCursor,
  readPlainElement,
} from "./plain-elements.ts";
import type { DocumentPlan } from "./type-plans.ts";

type XmlTreeSink = OpenElementsSink & {
  /** A child of eventParameters that exceeds a limit and is skipped. */
  readonly tooLarge: (name: string, line: number) => void;
  /** An element in what is skipped for that reason. */
  readonly skipped: (name: string) => void;
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
  /** What is skipped exceeds a limit. */
  isGivenUp: boolean;
  tokens: number;
  /** Characters that saxes had read at the end of the last tag. */
  tagEnd: number;
  /** Line feeds that saxes did not see. */
  passed: number;
};

type Tree = {
  readonly parser: SaxesParser;
  readonly at: Reading;
  readonly elements: OpenElements;
  readonly namespaces: Namespaces;
  readonly builder: ObjectBuilder;
  readonly document: DocumentPlan;
  readonly sink: XmlTreeSink;
};

/**
 * Reads XML in pieces and emits the children of eventParameters, holding at most one of them. A document
 * type is refused, so only XML's own five entities exist.
 */
export function createXmlTree(document: DocumentPlan, builder: ObjectBuilder, sink: XmlTreeSink) {
  const parser = new SaxesParser({ xmlns: false, position: false });
  const withoutBlanks = createLeadingBlanks();
  const namespaces = createNamespaces();
  const elements = createOpenElements(document, builder, namespaces, sink);
  const at = { depth: 0, skipped: 0, isGivenUp: false, tokens: 0, tagEnd: -1, passed: 0 };
  const tree: Tree = { parser, at, elements, namespaces, builder, document, sink };
  listen(tree);
  const read = readerOfPieces(tree);
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
      sink.fault(parser.line + at.passed, error.message, elements.childLine());
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

/** Reads plain elements beside saxes, and counts on for it. */
function readerOfPieces(tree: Tree): (text: string) => void {
  const { parser, at, elements, namespaces, builder } = tree;
  const mark = createReadingMark();
  /** Characters passed to saxes. */
  let passedOn = 0;

  function readChild(cursor: PlainCursor): boolean {
    mark.set(builder.reading());
    const parent = elements.openObject();
    const read = readPlainElement(cursor, tree, parent, at.depth + 1);
    if (read === null) {
      mark.restore(builder.reading());
      return false;
    }
    at.tokens++;
    const line = parser.line + at.passed;
    at.passed += cursor.lineFeeds;
    if (read !== "added") tree.sink.element(read, line);
    else giveUpBeyondLimit(tree);
    return true;
  }

  return createXmlPieces({
    give(text) {
      passedOn += text.length;
      parser.write(text);
    },
    mayBegin: () =>
      at.skipped === 0 &&
      at.tagEnd === passedOn &&
      elements.mayBegin() &&
      namespaces.isQuakemlByDefault(),
    pass(lineFeeds) {
      at.passed += lineFeeds;
    },
    read: readChild,
  });
}

function fail(message: string): never {
  throw new XmlFault(message);
}

function giveUpBeyondLimit({ parser, at, elements, builder, sink }: Tree): void {
  if (!builder.isBeyondLimit()) return;
  const given = elements.giveUp();
  if (given === null) return;
  sink.tooLarge(given.name, given.line);
  skip(parser, at, at.depth - given.levels + 1);
  at.isGivenUp = true;
}

/** Without a handler saxes does not even slice the text. */
function skip(parser: SaxesParser, at: Reading, from: number): void {
  at.skipped = from;
  parser.off("text");
}

/**
 * Follows the tags. At most seven handlers: with an eighth, V8 keeps the parser's fields in a hash
 * table, and reading takes six times as long (measured with Node 24). So comments have no handler.
 */
function listen(tree: Tree): void {
  const { parser, at, elements, namespaces } = tree;
  let startLine = 0;
  let nameEnd = 0;

  parser.on("error", (error) => fail(error.message));
  parser.on("doctype", () => fail("a document type (DOCTYPE) is not allowed"));
  parser.on("text", elements.text);
  parser.on("cdata", (data) => {
    at.tokens++;
    if (at.skipped === 0) elements.text(data);
  });
  parser.on("opentagstart", () => {
    nameEnd = parser.position;
    // Only a line break directly after the name has been counted already.
    if (elements.isStreaming()) startLine = at.passed + parser.line - (parser.column === 0 ? 1 : 0);
  });
  parser.on("opentag", (tag) => {
    at.tokens++;
    at.tagEnd = parser.position;
    if (++at.depth > MAX_DEPTH) fail(`elements are nested deeper than ${MAX_DEPTH} levels`);
    if (at.skipped > 0) {
      if (at.isGivenUp) tree.sink.skipped(tag.name);
      return;
    }
    // saxes creates an attribute table for every tag, and searching an empty one is not free.
    if (at.tagEnd > nameEnd) namespaces.open(tag.attributes, at.depth);
    const name = namespaces.nameOf(tag.name, elements.isHead());
    if (elements.enter(name, tag.attributes, startLine)) return;
    if (at.depth === 1) fail(rootFault(name.local));
    skip(parser, at, at.depth);
  });
  parser.on("closetag", () => {
    at.tagEnd = parser.position;
    if (at.skipped === 0) {
      namespaces.close(at.depth);
      at.depth--;
      elements.leave();
      giveUpBeyondLimit(tree);
      return;
    }
    if (at.depth === at.skipped) {
      namespaces.close(at.depth);
      at.skipped = 0;
      at.isGivenUp = false;
      parser.on("text", elements.text);
    }
    at.depth--;
  });
}

/** Why a document with this root element is refused. */
function rootFault(name: string): string {
  return name === "seiscomp"
    ? "this is SCML, which is recognised by the beginning of the file alone: its root element stands too late"
    : `this is not QuakeML: the root element is ${JSON.stringify(name.slice(0, 100))}`;
}

const LINE_END = /\r\n|\r|\n/g;

/**
 * Removes blanks and a byte order mark from the start of a document in pieces: XML allows none
 * before its declaration, but scripts often print an empty line first. Returns the remaining text
 * and the number of line ends removed.
 */
function createLeadingBlanks() {
  let endsInReturn = false;
  return (piece: string) => {
    const text = piece.trimStart();
    const blanks = piece.slice(0, piece.length - text.length);
    // One CRLF that was cut in two.
    const further = endsInReturn && blanks.startsWith("\n") ? blanks.slice(1) : blanks;
    if (piece !== "") endsInReturn = blanks.endsWith("\r");
    return { text, lineEnds: further.match(LINE_END)?.length ?? 0 };
  };
}
