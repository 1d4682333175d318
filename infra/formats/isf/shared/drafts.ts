import type { Foreign } from "#contracts/bulletin/bulletin.ts";
import { own } from "../../lines/own.ts";
import { OWN_NAMESPACE } from "../../quakeml/shared/event-ids.ts";
import type { Column } from "../columns/column.ts";

/** An object of a bulletin while it is put together. */
export type Draft = { [name: string]: unknown; foreign?: Foreign[] };

/** The objects that a line makes. */
export type Drafts = { [object: string]: Draft };

/** The objects of which a line is made. */
export type LineObjects = { readonly [object: string]: object | undefined };

export function draftOf(drafts: Drafts, object: string): Draft {
  drafts[object] ??= {};
  return drafts[object];
}

export function put(drafts: Drafts, { object, path, isForeign }: Column, value: unknown): void {
  let at = draftOf(drafts, object);
  for (const [i, name] of path.entries()) {
    if (isForeign) putForeign(at, name, String(value));
    else if (i === path.length - 1) at[name] = value;
    else at = at[name] === undefined ? open(at, name) : (at[name] as Draft);
  }
}

function open(at: Draft, name: string): Draft {
  const inner: Draft = {};
  at[name] = inner;
  return inner;
}

export function valueAt(objects: LineObjects, { object, path, isForeign }: Column): unknown {
  const one = objects[object];
  if (isForeign) return ownText(one, path[0] ?? "");
  return path.reduce<unknown>((at, name) => (at as Draft | undefined)?.[name], one);
}

/** Adds what QuakeML has no place for, under the service's own namespace. */
export function putForeign(draft: Draft, name: string, text: string): void {
  draft.foreign ??= [];
  draft.foreign.push(own(name, text));
}

type WithForeign = { readonly foreign?: readonly Foreign[] };

/** The text of an object's own foreign element. */
export function ownText(object: WithForeign | undefined, name: string): string | undefined {
  return object?.foreign?.find((one) => isOwn(one) && one.name === name)?.text;
}

export function ownTexts(object: WithForeign, name: string): readonly string[] {
  return (object.foreign ?? []).flatMap((one) =>
    isOwn(one) && one.name === name ? [one.text ?? ""] : [],
  );
}

export function isOwn({ ns, attribute }: Foreign): boolean {
  return ns === OWN_NAMESPACE && attribute === undefined;
}

/** Adds comments, in their order. */
export function putComments(object: Draft, comments: readonly string[]): void {
  if (comments.length > 0) object["comment"] = comments.map((text) => ({ text }));
}

export function hasValue(quantity: unknown): boolean {
  return (quantity as Draft | undefined)?.["value"] !== undefined;
}
