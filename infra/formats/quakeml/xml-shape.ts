/**
 * What was kept of an XML element: children and attributes by local name. Text is as it stands in the
 * document, elements that may be repeated are lists.
 */
export type XmlNode = { [member: string]: XmlValue };
export type XmlValue = string | XmlNode | XmlNode[];

/** Which children and attributes of an element are kept; everything else is skipped unread. */
export type XmlShape = {
  readonly children: ReadonlyMap<string, XmlShape>;
  readonly attributes: readonly string[];
  readonly kind: "text" | "single" | "repeated";
};

const NO_CHILDREN: ReadonlyMap<string, XmlShape> = new Map();

/** An element that holds text alone. */
export const TEXT: XmlShape = { children: NO_CHILDREN, attributes: [], kind: "text" };

/** An element that is there once; of several, the first is kept. */
export function element(
  children: Readonly<Record<string, XmlShape>>,
  attributes: readonly string[] = [],
): XmlShape {
  return { children: new Map(Object.entries(children)), attributes, kind: "single" };
}

/** The same for an element that may be there several times. */
export function repeated(shape: XmlShape): XmlShape {
  return { ...shape, kind: "repeated" };
}

/** Children that hold text alone. */
export function texts(...names: readonly string[]): Readonly<Record<string, XmlShape>> {
  return Object.fromEntries(names.map((name) => [name, TEXT]));
}
