/**
 * Plain markup (no prefix, entity, comment or CDATA), read in half of saxes' time with the same result: at anything
 * else saxes reads the element from its beginning, so all errors are its. A property test holds the two together.
 */

import {
  type Foreign,
  type ForeignAttribute,
  MAX_FOREIGN_DEPTH,
} from "#contracts/bulletin/quakeml.ts";
import { foreignAttribute, type ObjectBuilder, type Resolve } from "./object-builder.ts";
import type { Namespaces } from "./open-elements.ts";
import {
  type Completed,
  type DocumentPlan,
  elementOf,
  type MemberPlan,
  type OpenObject,
  type TypePlan,
} from "./type-plans.ts";

/** After this many consecutive elements that are not plain, saxes reads the rest of the piece. */
const MAX_REFUSED = 16;

type XmlRoutes = {
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

/**
 * Reads the plain element at the cursor: a child of an open object, which is then added to it, or a
 * child of eventParameters, which is returned. Null unless it is plain, complete and within the limits.
 */
export function readPlainElement(
  cursor: PlainCursor,
  target: PlainTarget & { readonly document: DocumentPlan },
  parent: { readonly type: TypePlan; readonly object: OpenObject } | null,
  depth: number,
): Completed | "added" | null {
  if (parent !== null) {
    return readPlainChild(cursor, target, parent.type, parent.object, depth) ? "added" : null;
  }
  const { builder, document, namespaces } = target;
  const plan = document.elements.get(readName(cursor));
  const type = plan?.type ?? null;
  if (plan === undefined || type === null) return null;
  builder.begin();
  const object = readPlainObject(cursor, target, plan, type, depth);
  if (object === null || builder.isBeyondLimit()) return null;
  return { plan, object, ns: namespaces.byDefault(), isValid: builder.complete(type, object) };
}

const NO_ATTRIBUTES: readonly ForeignAttribute[] = [];

/**
 * Reads the child of an object that begins at the cursor, at `depth`, and adds it to the object. False
 * unless the child is complete and plain markup: tags with ASCII names, attributes in double quotes that
 * declare no namespace, and text that means itself in both versions of XML. For such markup the result
 * is that of saxes.
 */
function readPlainChild(
  cursor: PlainCursor,
  target: PlainTarget,
  type: TypePlan,
  object: OpenObject,
  depth: number,
): boolean {
  if (depth > MAX_DEPTH) return false;
  const name = readName(cursor);
  if (cursor.text.charCodeAt(cursor.at) === COLON) {
    return readPrefixed(cursor, target, type, object, name, depth);
  }
  const plan = type.elements.get(name);
  if (plan === undefined) {
    return name !== "" && readUnknown(cursor, target, type, object, name, depth);
  }
  if (!plan.many && object[plan.name] !== undefined) {
    return readTaken(cursor, target, type, object, plan, depth);
  }
  if (plan.type === null) return readLeaf(cursor, target, type, object, plan);
  const child = readPlainObject(cursor, target, plan, plan.type, depth);
  if (child === null) return false;
  target.builder.put(type, object, plan, child, target.namespaces.byDefault());
  return true;
}

/** Reads an object on after the name of its start tag. */
function readPlainObject(
  cursor: PlainCursor,
  target: PlainTarget,
  plan: MemberPlan,
  type: TypePlan,
  depth: number,
): OpenObject | null {
  const { builder, namespaces } = target;
  const object: OpenObject = {};
  const tag = readStartTag(cursor);
  if (tag === "not plain") return null;
  builder.open(plan);
  for (let i = 0; i < cursor.attributes; i++) {
    const name = cursor.names[i] ?? "";
    builder.putAttribute(type, object, name, cursor.values[i] ?? "", namespaces.resolve);
  }
  let text = "";
  for (let from = cursor.at; tag === "open"; from = cursor.at) {
    if (!passText(cursor)) return null;
    if (type.text !== null) text += cursor.text.slice(from, cursor.at);
    if (cursor.text.charCodeAt(cursor.at + 1) === SLASH) {
      if (!readEndTag(cursor, plan.element)) return null;
      break;
    }
    if (!readPlainChild(cursor, target, type, object, depth + 1)) return null;
  }
  if (type.text !== null) {
    builder.putLeaf(type, object, type.text, text, namespaces.byDefault(), NO_ATTRIBUTES);
  }
  return object;
}

function readLeaf(
  cursor: PlainCursor,
  { builder, namespaces }: PlainTarget,
  type: TypePlan,
  object: OpenObject,
  plan: MemberPlan,
): boolean {
  const tag = readStartTag(cursor);
  if (tag === "not plain") return false;
  const attributes = leafAttributes(cursor, builder.isWhole, namespaces.resolve);
  let text = "";
  if (tag === "open") {
    const from = cursor.at;
    if (!passText(cursor)) return false;
    text = cursor.text.slice(from, cursor.at);
    // Children of simple elements are for saxes.
    if (cursor.text.charCodeAt(cursor.at + 1) !== SLASH) return false;
    if (!readEndTag(cursor, plan.element)) return false;
  }
  builder.putLeaf(type, object, plan, text, namespaces.byDefault(), attributes);
  return true;
}

/** A further element of a member that is single. */
function readTaken(
  cursor: PlainCursor,
  target: PlainTarget,
  type: TypePlan,
  object: OpenObject,
  plan: MemberPlan,
  depth: number,
): boolean {
  if (!target.builder.isWhole) return passElement(cursor, plan.element, depth);
  const item = readForeign(cursor, target, "", plan.element, depth, 1);
  if (item !== null) target.builder.putInvalid(type, object, item);
  return item !== null;
}

/** An element that is none of its parent's members, in the default namespace. */
function readUnknown(
  cursor: PlainCursor,
  target: PlainTarget,
  type: TypePlan,
  object: OpenObject,
  name: string,
  depth: number,
): boolean {
  const { builder, namespaces } = target;
  if (!builder.isKept(type, namespaces.byDefault(), name)) return passElement(cursor, name, depth);
  const { isQuakeml } = namespaces.nameOf(name, false);
  const item = readForeign(cursor, target, "", name, depth, 1);
  if (item === null) return false;
  if (isQuakeml && !type.beyond.has(name)) builder.putInvalid(type, object, item);
  else builder.putForeign(type, object, item);
  return true;
}

/** What plain markup is read into. */
type PlainTarget = {
  readonly builder: ObjectBuilder;
  readonly namespaces: Namespaces;
};

/** Attributes of the last start tag. */
function leafAttributes(
  cursor: PlainCursor,
  isKept: boolean,
  resolve: Resolve,
): readonly ForeignAttribute[] {
  if (cursor.attributes === 0 || !isKept) return NO_ATTRIBUTES;
  const list: ForeignAttribute[] = [];
  for (let i = 0; i < cursor.attributes; i++) {
    list.push(foreignAttribute(cursor.names[i] ?? "", cursor.values[i] ?? "", resolve));
  }
  return list;
}

/**
 * Reads an element that is none of its parent's members on after the name of its start tag. Null when
 * it is not plain.
 */
function readForeign(
  cursor: PlainCursor,
  target: PlainTarget,
  prefix: string,
  name: string,
  depth: number,
  level: number,
): Foreign | null {
  if (depth > MAX_DEPTH || level > MAX_FOREIGN_DEPTH) return null;
  const { builder, namespaces } = target;
  const ns = prefix === "" ? namespaces.byDefault() : (namespaces.resolve(prefix) ?? prefix);
  const tag = readStartTag(cursor);
  if (tag === "not plain") return null;
  const attributes = leafAttributes(cursor, true, namespaces.resolve);
  builder.openForeign(ns, name);
  const children: Foreign[] = [];
  let text = "";
  for (let from = cursor.at; tag === "open"; from = cursor.at) {
    if (!passText(cursor)) return null;
    text += cursor.text.slice(from, cursor.at);
    if (cursor.text.charCodeAt(cursor.at + 1) === SLASH) {
      if (!readEndTag(cursor, prefix === "" ? name : `${prefix}:${name}`)) return null;
      break;
    }
    const first = readName(cursor);
    const hasPrefix = cursor.text.charCodeAt(cursor.at) === COLON;
    const local = hasPrefix ? readName(cursor) : first;
    if (local === "") return null;
    const childPrefix = hasPrefix ? first : "";
    const child = readForeign(cursor, target, childPrefix, local, depth + 1, level + 1);
    if (child === null) return null;
    children.push(child);
  }
  return elementOf(ns, name, text, attributes, children);
}

/** Checks on after the name of a start tag that the element is plain, and passes it. */
function passElement(cursor: PlainCursor, name: string, depth: number): boolean {
  if (depth > MAX_DEPTH) return false;
  const tag = readStartTag(cursor);
  if (tag !== "open") return tag === "closed";
  while (passText(cursor)) {
    if (cursor.text.charCodeAt(cursor.at + 1) === SLASH) return readEndTag(cursor, name);
    const first = readName(cursor);
    const hasPrefix = cursor.text.charCodeAt(cursor.at) === COLON;
    const local = hasPrefix ? readName(cursor) : first;
    if (local === "") return false;
    if (!passElement(cursor, hasPrefix ? `${first}:${local}` : local, depth + 1)) return false;
  }
  return false;
}

/** Reads a child with a prefix, of which the cursor is behind; one of QuakeML's is for saxes. */
function readPrefixed(
  cursor: PlainCursor,
  target: PlainTarget,
  type: TypePlan,
  object: OpenObject,
  prefix: string,
  depth: number,
): boolean {
  const { builder, namespaces } = target;
  const local = readName(cursor);
  if (prefix === "" || local === "") return false;
  const name = `${prefix}:${local}`;
  const { ns, isQuakeml } = namespaces.nameOf(name, false);
  if (isQuakeml) return false;
  if (!builder.isKept(type, ns, local)) return passElement(cursor, name, depth);
  const item = readForeign(cursor, target, prefix, local, depth, 1);
  if (item !== null) builder.putForeign(type, object, item);
  return item !== null;
}

/** The roles of a character in plain markup, as bits. */
const TEXT = 1;
const VALUE = 2;
const NAME_START = 4;
const NAME = 8;
const BLANK = 16;

const TAB = 0x09;
const LINE_FEED = 0x0a;
const SPACE = 0x20;
const QUOTE = 0x22;
const SLASH = 0x2f;
const COLON = 0x3a;
const LESS = 0x3c;
const EQUAL = 0x3d;
const GREATER = 0x3e;
const BRACKET = 0x5d;

/** Each attribute is compared with all before it: saxes reads tags with more. */
const MAX_ATTRIBUTES = 64;

const LETTERS = /[A-Za-z_]/;
const DIGITS = /[\d.-]/;
/** Markup, and characters that only one of XML 1.0 and 1.1 takes for a line break or refuses. */
const NOT_TEXT = /[^\t\u0020-\u007e\u00a0-\uffff]|[&<\]\u2028\ufffe\uffff]/;

/** The bits of every UTF-16 unit. Line feeds, which are counted, and `]` have no TEXT bit. */
const CHARACTERS: Uint8Array = Uint8Array.from({ length: 0x1_0000 }, (_, code) =>
  bitsOf(String.fromCharCode(code)),
);

function bitsOf(character: string): number {
  let bits = 0;
  if (!NOT_TEXT.test(character)) bits |= TEXT;
  if (character === "]" || (bits === TEXT && !/["\t]/.test(character))) bits |= VALUE;
  if (LETTERS.test(character)) bits |= NAME_START | NAME;
  if (DIGITS.test(character)) bits |= NAME;
  if (/[\t\n ]/.test(character)) bits |= BLANK;
  return bits;
}

/**
 * No markup goes on over it. Behind a text it keeps the index of every character that is looked at within the
 * text: code that has once looked beyond is slower for ever.
 */
const TEXT_END = "\0";

export type PlainCursor = {
  /** With TEXT_END behind it. */
  readonly text: string;
  at: number;
  lineFeeds: number;
  /** Number of attributes of the last start tag; later entries are old. */
  attributes: number;
  readonly names: string[];
  readonly values: string[];
};

export function cursorAt(text: string, at: number): PlainCursor {
  return { text, at, lineFeeds: 0, attributes: 0, names: [], values: [] };
}

/** The name of the start tag at the cursor; "" when there is no plain one. */
function readName(cursor: PlainCursor): string {
  const { text } = cursor;
  const from = cursor.at + 1;
  if (((CHARACTERS[text.charCodeAt(from)] ?? 0) & NAME_START) === 0) return "";
  let at = from + 1;
  while (((CHARACTERS[text.charCodeAt(at)] ?? 0) & NAME) !== 0) at++;
  cursor.at = at;
  return text.slice(from, at);
}

/** Reads on after the name of a start tag. */
function readStartTag(cursor: PlainCursor): "open" | "closed" | "not plain" {
  const { text } = cursor;
  cursor.attributes = 0;
  if (text.charCodeAt(cursor.at) === GREATER) {
    cursor.at++;
    return "open";
  }
  if (!readAttributes(cursor)) return "not plain";
  const isClosed = text.charCodeAt(cursor.at) === SLASH;
  if (isClosed) cursor.at++;
  if (text.charCodeAt(cursor.at) !== GREATER) return "not plain";
  cursor.at++;
  return isClosed ? "closed" : "open";
}

function readEndTag(cursor: PlainCursor, name: string): boolean {
  const from = cursor.at + 2;
  const to = from + name.length;
  cursor.at = to + 1;
  return cursor.text.startsWith(name, from) && cursor.text.charCodeAt(to) === GREATER;
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

function readAttributes(cursor: PlainCursor): boolean {
  const { text, names, values } = cursor;
  let { at } = cursor;
  let count = 0;
  for (;;) {
    const blanks = at;
    for (; ((CHARACTERS[text.charCodeAt(at)] ?? 0) & BLANK) !== 0; at++) {
      if (text.charCodeAt(at) === LINE_FEED) cursor.lineFeeds++;
    }
    if (((CHARACTERS[text.charCodeAt(at)] ?? 0) & NAME_START) === 0) break;
    if (at === blanks || count === MAX_ATTRIBUTES) return false;
    const from = at;
    for (let code = text.charCodeAt(at); ; code = text.charCodeAt(at)) {
      if (((CHARACTERS[code] ?? 0) & NAME) === 0 && code !== COLON) break;
      at++;
    }
    const name = text.slice(from, at);
    if (name.startsWith("xmlns")) return false;
    for (let i = 0; i < count; i++) if (names[i] === name) return false;
    if (text.charCodeAt(at) !== EQUAL || text.charCodeAt(at + 1) !== QUOTE) return false;
    const valueFrom = at + 2;
    at = valueFrom;
    while (((CHARACTERS[text.charCodeAt(at)] ?? 0) & VALUE) !== 0) at++;
    if (text.charCodeAt(at) !== QUOTE) return false;
    names[count] = name;
    values[count++] = text.slice(valueFrom, at++);
  }
  cursor.attributes = count;
  cursor.at = at;
  return true;
}

/** Deeper documents are refused; QuakeML's deepest path has ten levels. */
export const MAX_DEPTH = 64;
/** Characters of one tag, text or comment, which saxes holds until it is complete. */
export const MAX_TOKEN = 4 * 1024 * 1024;
