import { SaxesParser } from "saxes";
import { attach, attributeOf } from "../xml/xml-node.ts";
import {
  ELEMENT_COST,
  MAX_DEPTH,
  MAX_KEPT,
  MAX_TOKEN,
  type XmlChild,
  type XmlNode,
  type XmlShape,
} from "../xml/xml-shape.ts";
import { createLeadingBlanks } from "./leading-blanks.ts";
import { createXmlPieces } from "./plain/xml-pieces.ts";
import { createXmlNames, rootFault } from "./xml-names.ts";
import type { XmlTreeSink } from "./xml-tree-sink.ts";

export type XmlTree = {
  readonly write: (text: string) => void;
  readonly end: () => void;
};

/** Leaves saxes in the middle of its work; it is never called again. */
class XmlFault extends Error {}

/**
 * Reads XML piece by piece and hands over the children of the elements of shape `streamed`, holding no
 * more than one of them. A document type is refused, so that no entities but XML's own five exist.
 */
export function createXmlTree(document: XmlShape, streamed: XmlShape, sink: XmlTreeSink): XmlTree {
  const parser = new SaxesParser({ xmlns: false, position: false });
  const localName = createXmlNames();
  const withoutBlanks = createLeadingBlanks();
  const open: { name: string; shape: XmlShape; node: XmlNode }[] = [];
  let name = "";
  let shape = document;
  let node: XmlNode = {};
  /** The open text element: it has no kept children, so it needs no place among `open`. */
  let leaf: XmlChild | null = null;
  let depth = 0;
  /** Depth of the element that is skipped with all that is in it; 0 when none is. */
  let skipped = 0;
  let text = "";
  let kept = 0;
  let startLine = 0;
  let nameEnd = 0;
  let childLine: number | null = null;
  let tokens = 0;
  let quiet = 0;
  /** Characters that saxes was given, and how many of them it had read at the end of the last tag. */
  let given = 0;
  let tagEnd = -1;
  /** Line feeds that saxes was not given. */
  let passed = 0;
  let begun = false;
  let dead = false;

  const read = createXmlPieces(streamed, {
    give(text) {
      given += text.length;
      parser.write(text);
    },
    depth: () =>
      shape === streamed && skipped === 0 && leaf === null && tagEnd === given ? depth : null,
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

  function onText(piece: string): void {
    if (leaf !== null) text = text === "" ? piece : text + piece;
  }

  /** Without a handler saxes does not even cut the text out. */
  function skip(from: number): void {
    skipped = from;
    parser.off("text");
  }

  function enter(child: XmlChild, attributes: Record<string, string>): void {
    if (shape === streamed) {
      childLine = startLine;
      kept = 0;
    }
    kept += ELEMENT_COST;
    if (child.shape.kind === "text") {
      leaf = child;
      text = "";
      return;
    }
    open.push({ name, shape, node });
    name = child.name;
    shape = child.shape;
    node = {};
    for (const name of shape.attributes) {
      const value = attributeOf(attributes, name);
      if (value === undefined) continue;
      node[name] = value;
      kept += value.length;
    }
  }

  function leave(): void {
    if (leaf !== null) {
      kept += text.length;
      node[leaf.name] ??= text;
      leaf = null;
      return;
    }
    const closed = node;
    const { kind } = shape;
    const closedName = name;
    const parent = open.pop();
    if (parent === undefined) return;
    ({ name, shape, node } = parent);
    if (shape === streamed) {
      const line = childLine ?? startLine;
      childLine = null;
      sink.element(closedName, closed, line);
    } else attach(node, closedName, closed, kind);
  }

  function abandon(): void {
    sink.tooLarge(nameBelowStreamed(), childLine ?? startLine);
    skip(depth - (open.length - open.findIndex((frame) => frame.shape === streamed)) + 1);
    while (shape !== streamed) {
      const parent = open.pop();
      if (parent === undefined) return;
      ({ name, shape, node } = parent);
    }
    childLine = null;
    kept = 0;
  }

  function nameBelowStreamed(): string {
    const index = open.findIndex((frame) => frame.shape === streamed) + 1;
    return open[index]?.name ?? name;
  }

  // No more than seven handlers: with the eighth, V8 keeps the parser's fields in a hash table, and
  // reading takes six times as long (measured with Node 24). So comments are not told.
  parser.on("error", (error) => fail(error.message));
  parser.on("doctype", () => fail("a document type (DOCTYPE) is not allowed"));
  parser.on("text", onText);
  parser.on("cdata", (data) => {
    tokens++;
    if (skipped === 0) onText(data);
  });
  parser.on("opentagstart", () => {
    nameEnd = parser.position;
    // Only a line break that ends the name itself has been read already.
    if (shape === streamed) startLine = passed + parser.line - (parser.column === 0 ? 1 : 0);
  });
  parser.on("opentag", (tag) => {
    tokens++;
    tagEnd = parser.position;
    if (++depth > MAX_DEPTH) fail(`elements are nested deeper than ${MAX_DEPTH} levels`);
    if (skipped > 0) return;
    // saxes gives every tag a table of attributes, and looking into an empty one is not free.
    const local = localName(tag, depth, tagEnd > nameEnd);
    const child = local === null || leaf !== null ? undefined : shape.children.get(local);
    if (child === undefined) {
      if (depth === 1) fail(rootFault(local ?? tag.name));
      skip(depth);
    } else enter(child, tag.attributes);
  });
  parser.on("closetag", () => {
    tagEnd = parser.position;
    depth--;
    if (skipped === 0) {
      leave();
      if (kept > MAX_KEPT && shape !== streamed) abandon();
    } else if (depth < skipped) {
      skipped = 0;
      parser.on("text", onText);
    }
  });

  function run(work: () => void): void {
    if (dead) return;
    try {
      work();
    } catch (error) {
      dead = true;
      if (!(error instanceof XmlFault)) throw error;
      sink.fault(parser.line + passed, error.message, childLine);
    }
  }

  return {
    write(piece) {
      run(() => {
        const before = tokens;
        const text = begun ? piece : begin(piece);
        // saxes decodes surrogates without looking at the second half.
        read(text.isWellFormed() ? text : text.toWellFormed());
        quiet = tokens === before ? quiet + text.length : 0;
        if (quiet > MAX_TOKEN)
          fail(`a tag, text or comment is longer than ${MAX_TOKEN} characters`);
      });
    },
    end() {
      run(() => parser.close());
      dead = true;
    },
  };
}
