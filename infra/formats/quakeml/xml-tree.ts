import { SaxesParser } from "saxes";
import { rootFault } from "./root-fault.ts";
import { createXmlNames } from "./xml-names.ts";
import { attach, attributeOf } from "./xml-node.ts";
import type { XmlChild, XmlNode, XmlShape } from "./xml-shape.ts";

/** Deeper is no QuakeML, whose deepest path has ten levels. */
const MAX_DEPTH = 64;
/** Characters of one tag, text or comment, which saxes holds until it is complete. */
const MAX_TOKEN = 4 * 1024 * 1024;
/** Characters kept of one streamed element, each kept element counted as ELEMENT_COST. */
const MAX_KEPT = 4 * 1024 * 1024;
const ELEMENT_COST = 64;

export type XmlTreeSink = {
  /** A child of the streamed element is complete; `line` is where its start tag begins. */
  readonly element: (name: string, node: XmlNode, line: number) => void;
  /** A child of the streamed element that holds more than can be kept, and is skipped. */
  readonly tooLarge: (name: string, line: number) => void;
  /**
   * Nothing can be read any more: told once, nothing comes after it. `within` is the line of the
   * streamed element's child that is cut off, if one is.
   */
  readonly fault: (line: number, message: string, within: number | null) => void;
};

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
  let dead = false;

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
    if (shape === streamed) startLine = parser.column === 0 ? parser.line - 1 : parser.line;
  });
  parser.on("opentag", (tag) => {
    tokens++;
    if (++depth > MAX_DEPTH) fail(`elements are nested deeper than ${MAX_DEPTH} levels`);
    if (skipped > 0) return;
    // saxes gives every tag a table of attributes, and looking into an empty one is not free.
    const local = localName(tag, depth, parser.position > nameEnd);
    const child = local === null || leaf !== null ? undefined : shape.children.get(local);
    if (child === undefined) {
      if (depth === 1) fail(rootFault(local ?? tag.name));
      skip(depth);
    } else enter(child, tag.attributes);
  });
  parser.on("closetag", () => {
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
      sink.fault(parser.line, error.message, childLine);
    }
  }

  return {
    write(piece) {
      run(() => {
        const before = tokens;
        // saxes decodes surrogates without looking at the second half.
        parser.write(piece.isWellFormed() ? piece : piece.toWellFormed());
        quiet = tokens === before ? quiet + piece.length : 0;
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
