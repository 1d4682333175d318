import type { ForeignAttribute } from "#contracts/bulletin/bulletin.ts";
import { MAX_DEPTH } from "../../xml/xml-limits.ts";
import type { OpenObject } from "../reading/foreign-of-object.ts";
import type { MemberPlan, TypePlan } from "../reading/type-plans.ts";
import {
  leafAttributes,
  type PlainTarget,
  passElement,
  readForeign,
  readPrefixed,
} from "./plain-foreign.ts";
import {
  COLON,
  type PlainCursor,
  passText,
  readEndTag,
  readName,
  readStartTag,
  SLASH,
} from "./plain-tags.ts";

const NO_ATTRIBUTES: readonly ForeignAttribute[] = [];

/**
 * Reads the child of an object that begins at the cursor, at `depth`, and adds it to the object. False
 * unless the child is complete and plain markup: tags with ASCII names, attributes in double quotes that
 * declare no namespace, and text that means itself in both versions of XML. For such markup the result
 * is that of saxes.
 */
export function readPlainChild(
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
export function readPlainObject(
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
