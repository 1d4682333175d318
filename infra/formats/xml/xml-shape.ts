/**
 * What was kept of an XML element: children and attributes by local name. Text is as it stands in the
 * document, elements that may be repeated are lists.
 */
export type XmlNode = { [member: string]: XmlValue };
export type XmlValue = string | XmlNode | XmlNode[];

/** Deeper is no QuakeML, whose deepest path has ten levels. */
export const MAX_DEPTH = 64;
/** Characters of one tag, text or comment, which saxes holds until it is complete. */
export const MAX_TOKEN = 4 * 1024 * 1024;
/** Characters kept of one streamed element, each kept element counted as ELEMENT_COST. */
export const MAX_KEPT = 4 * 1024 * 1024;
export const ELEMENT_COST = 64;

/** Which children and attributes of an element are kept; everything else is skipped unread. */
export type XmlShape = {
  readonly children: ReadonlyMap<string, XmlChild>;
  readonly attributes: readonly string[];
  readonly kind: "text" | "single" | "repeated";
};

/** The name is the table's own text: parsed ones would have to be looked up at every use as a key. */
export type XmlChild = { readonly name: string; readonly shape: XmlShape };

const NO_CHILDREN: ReadonlyMap<string, XmlChild> = new Map();

/** An element that holds text alone. */
export const TEXT: XmlShape = { children: NO_CHILDREN, attributes: [], kind: "text" };

/** The same of a namespace of its own: where nothing declares that, the name is nobody's. */
export const FOREIGN_TEXT: XmlShape = { ...TEXT };

/** An element that is there once; of several, the first is kept. */
export function element(
  children: Readonly<Record<string, XmlShape>>,
  attributes: readonly string[] = [],
): XmlShape {
  const named = Object.entries(children).map(([name, shape]): [string, XmlChild] => [
    name,
    { name, shape },
  ]);
  return { children: new Map(named), attributes, kind: "single" };
}

/** The same for an element that may be there several times. */
export function repeated(shape: XmlShape): XmlShape {
  return { ...shape, kind: "repeated" };
}

/** Children that hold text alone. */
export function texts(...names: readonly string[]): Readonly<Record<string, XmlShape>> {
  return Object.fromEntries(names.map((name) => [name, TEXT]));
}
