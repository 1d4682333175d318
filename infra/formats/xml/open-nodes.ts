import {
  attach,
  attributeOf,
  ELEMENT_COST,
  MAX_ELEMENT_SIZE,
  type XmlChild,
  type XmlNode,
  type XmlShape,
} from "./xml-shape.ts";

export type OpenNodesSink = {
  /** A complete child of the streamed element; `line` is where its start tag begins. */
  readonly element: (name: string, node: XmlNode, line: number) => void;
  /** A child of the streamed element that exceeds the limit and is skipped. */
  readonly tooLarge: (name: string, line: number) => void;
};

export type OpenNodes = ReturnType<typeof createOpenNodes>;

/** The open elements, as far as they are kept: at most one child of those of shape `streamed`. */
export function createOpenNodes(document: XmlShape, streamed: XmlShape, sink: OpenNodesSink) {
  const open: { name: string; shape: XmlShape; node: XmlNode }[] = [];
  let name = "";
  let shape = document;
  let node: XmlNode = {};
  /** The open text element: it has no kept children, so it is not on the stack `open`. */
  let leaf: XmlChild | null = null;
  let text = "";
  let size = 0;
  let childLine: number | null = null;

  function closeLeaf(name: string): void {
    size += text.length;
    node[name] ??= text;
    leaf = null;
  }

  function closeNode(): void {
    const child = { name, node, kind: shape.kind };
    const parent = open.pop();
    if (parent === undefined) return;
    ({ name, shape, node } = parent);
    if (childLine !== null && shape === streamed) {
      const line = childLine;
      childLine = null;
      sink.element(child.name, child.node, line);
    } else attach(node, child.name, child.node, child.kind);
  }

  return {
    /** True where a child of the streamed element may begin. */
    isStreaming: () => shape === streamed && leaf === null,
    /** The line of the streamed element's open child; null without one. */
    childLine: () => childLine,
    /** A child of the innermost element by its local name; undefined when it is not kept. */
    childNamed: (name: string) => (leaf === null ? shape.children.get(name) : undefined),
    enter(child: XmlChild, attributes: Readonly<Record<string, string>>, line: number): void {
      if (shape === streamed) {
        childLine = line;
        size = 0;
      }
      size += ELEMENT_COST;
      if (child.shape.kind === "text") {
        leaf = child;
        text = "";
        return;
      }
      open.push({ name, shape, node });
      ({ name, shape } = child);
      node = {};
      size += putAttributes(node, shape, attributes);
    },
    text(piece: string): void {
      if (leaf !== null) text = text === "" ? piece : text + piece;
    },
    /** Closes the innermost element and emits it when it is a child of the streamed one. */
    leave(): void {
      if (leaf !== null) closeLeaf(leaf.name);
      else closeNode();
    },
    /** Drops a too large child of the streamed element; returns how many of its levels are open, or 0. */
    giveUp(): number {
      if (size <= MAX_ELEMENT_SIZE || shape === streamed) return 0;
      const at = open.findIndex((frame) => frame.shape === streamed);
      const parent = open[at];
      if (parent === undefined || childLine === null) return 0;
      sink.tooLarge(open[at + 1]?.name ?? name, childLine);
      const levels = open.length - at;
      open.length = at;
      ({ name, shape, node } = parent);
      childLine = null;
      size = 0;
      return levels;
    },
  };
}

/** Keeps the attributes of a shape; returns their length. */
function putAttributes(
  node: XmlNode,
  shape: XmlShape,
  attributes: Readonly<Record<string, string>>,
): number {
  let length = 0;
  for (const name of shape.attributes) {
    const value = attributeOf(attributes, name);
    if (value === undefined) continue;
    node[name] = value;
    length += value.length;
  }
  return length;
}
