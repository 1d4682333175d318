import type { OpenObject } from "../reading/foreign-of-object.ts";
import type { Completed } from "../reading/open-elements.ts";
import type { DocumentPlan, TypePlan } from "../reading/type-plans.ts";
import type { PlainTarget } from "./plain-foreign.ts";
import { readPlainChild, readPlainObject } from "./plain-object.ts";
import { type PlainCursor, readName } from "./plain-tags.ts";

type Parent = { readonly type: TypePlan; readonly object: OpenObject };

/**
 * Reads the plain element at the cursor: a child of an open object, which is then added to it, or a
 * child of eventParameters, which is returned. Null unless it is plain, complete and within the limits.
 */
export function readPlainElement(
  cursor: PlainCursor,
  target: PlainTarget & { readonly document: DocumentPlan },
  parent: Parent | null,
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
