import {
  type Foreign,
  type ForeignAttribute,
  MAX_FOREIGN_DEPTH,
} from "#contracts/bulletin/bulletin.ts";
import { MAX_DEPTH } from "../../xml/xml-limits.ts";
import { elementOf } from "../reading/foreign-element.ts";
import type { OpenObject } from "../reading/foreign-of-object.ts";
import type { Namespaces } from "../reading/namespaces.ts";
import { foreignAttribute, type ObjectBuilder, type Resolve } from "../reading/object-builder.ts";
import type { TypePlan } from "../reading/type-plans.ts";
import {
  COLON,
  type PlainCursor,
  passText,
  readEndTag,
  readName,
  readStartTag,
  SLASH,
} from "./plain-tags.ts";

/** What plain markup is read into. */
export type PlainTarget = {
  readonly builder: ObjectBuilder;
  readonly namespaces: Namespaces;
};

const NO_ATTRIBUTES: readonly ForeignAttribute[] = [];

/** Attributes of the last start tag. */
export function leafAttributes(
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
export function readForeign(
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
export function passElement(cursor: PlainCursor, name: string, depth: number): boolean {
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
export function readPrefixed(
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
