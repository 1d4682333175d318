import {
  attach,
  ELEMENT_COST,
  FOREIGN_TEXT,
  MAX_DEPTH,
  MAX_ELEMENT_SIZE,
  type XmlNode,
  type XmlShape,
} from "../../xml/xml-shape.ts";
import {
  attributeNamed,
  BRACKET,
  CHARACTERS,
  cursorAt,
  LESS,
  LINE_FEED,
  type PlainCursor,
  readEndTag,
  readName,
  readStartTag,
  SLASH,
  TEXT,
} from "./plain-tags.ts";

export type PlainElement = {
  readonly name: string;
  readonly node: XmlNode;
  /** Index after the end tag. */
  readonly end: number;
  readonly lineFeeds: number;
};

/** The node for skipped content. */
const NOWHERE: XmlNode = Object.freeze({});

/**
 * Reads the child of an element of shape `parent` at `depth` that begins at `start`. Null unless the
 * child is complete, within the limits and plain markup: tags with ASCII names without a prefix,
 * attributes in double quotes that declare no namespace, and text that means itself in both versions
 * of XML. For such markup the result is that of saxes. `text` contains no half of a surrogate pair.
 */
export function readPlainElement(
  text: string,
  start: number,
  parent: XmlShape,
  depth: number,
): PlainElement | null {
  if (text.charCodeAt(start) !== LESS) return null;
  const cursor = cursorAt(text, start);
  const child = parent.children.get(readName(cursor));
  if (child === undefined || child.shape.kind === "text") return null;
  const node = readElement(cursor, child.name, child.shape, depth + 1);
  if (node === null || cursor.size > MAX_ELEMENT_SIZE) return null;
  return { name: child.name, node, end: cursor.at, lineFeeds: cursor.lineFeeds };
}

/** Reads on after the name of the start tag. Without a shape it only checks that the element is plain. */
function readElement(
  cursor: PlainCursor,
  name: string,
  shape: XmlShape | null,
  depth: number,
): XmlNode | null {
  if (depth > MAX_DEPTH) return null;
  const node: XmlNode = shape === null ? NOWHERE : {};
  const tag = readStartTag(cursor);
  if (tag === "not plain") return null;
  if (shape !== null) {
    cursor.size += ELEMENT_COST;
    for (const name of shape.attributes) {
      const value = attributeNamed(cursor, name);
      if (value === undefined) continue;
      node[name] = value;
      cursor.size += value.length;
    }
  }
  if (tag === "closed") return node;
  while (passText(cursor)) {
    if (cursor.text.charCodeAt(cursor.at + 1) === SLASH) {
      return readEndTag(cursor, name) ? node : null;
    }
    if (!readChild(cursor, shape, node, depth + 1)) return null;
  }
  return null;
}

function readChild(
  cursor: PlainCursor,
  shape: XmlShape | null,
  node: XmlNode,
  depth: number,
): boolean {
  const name = readName(cursor);
  const child = shape?.children.get(name);
  // A plain tag has no prefix and declares no namespace.
  if (child === undefined || child.shape === FOREIGN_TEXT) {
    return name !== "" && readElement(cursor, name, null, depth) !== null;
  }
  if (child.shape.kind === "text") {
    const text = readText(cursor, child.name, depth);
    if (text === null) return false;
    cursor.size += ELEMENT_COST + text.length;
    node[child.name] ??= text;
    return true;
  }
  const below = readElement(cursor, child.name, child.shape, depth);
  if (below === null) return false;
  attach(node, child.name, below, child.shape.kind);
  return true;
}

/** The element's own text, without that of its children. */
function readText(cursor: PlainCursor, name: string, depth: number): string | null {
  if (depth > MAX_DEPTH) return null;
  const tag = readStartTag(cursor);
  if (tag !== "open") return tag === "closed" ? "" : null;
  let text = "";
  for (let from = cursor.at; passText(cursor); from = cursor.at) {
    const part = cursor.text.slice(from, cursor.at);
    text = text === "" ? part : text + part;
    if (cursor.text.charCodeAt(cursor.at + 1) === SLASH) {
      return readEndTag(cursor, name) ? text : null;
    }
    if (!readChild(cursor, null, NOWHERE, depth + 1)) return null;
  }
  return null;
}

/** Moves to the next `<`; false when something before it is not plain. */
function passText(cursor: PlainCursor): boolean {
  const { text } = cursor;
  let { at } = cursor;
  for (; ; at++) {
    const code = text.charCodeAt(at);
    if (((CHARACTERS[code] ?? 0) & TEXT) !== 0) continue;
    if (code === LINE_FEED) cursor.lineFeeds++;
    // saxes refuses `]]>` in text.
    else if (code !== BRACKET || text.charCodeAt(at + 1) === BRACKET) break;
  }
  cursor.at = at;
  return text.charCodeAt(at) === LESS;
}
