/** The trimmed text of a child or attribute; undefined without any. */
export function textOf(node: XmlNode | undefined, name: string): string | undefined {
  const value = node?.[name];
  if (typeof value !== "string") return undefined;
  const text = value.trim();
  return text === "" ? undefined : text;
}

export function childOf(node: XmlNode | undefined, name: string): XmlNode | undefined {
  const value = node?.[name];
  return typeof value === "object" && !Array.isArray(value) ? value : undefined;
}

export function childrenOf(node: XmlNode | undefined, name: string): readonly XmlNode[] {
  const value = node?.[name];
  return Array.isArray(value) ? value : [];
}

/** Adds a closed element to its parent. If the shape allows only one, the first stays. */
export function attach(
  parent: XmlNode,
  name: string,
  value: XmlValue,
  kind: XmlShape["kind"],
): void {
  const present = parent[name];
  if (kind !== "repeated") parent[name] = present ?? value;
  else if (Array.isArray(present)) present.push(value as XmlNode);
  else parent[name] = [value as XmlNode];
}

/** A start tag's attribute by its local name, whatever its prefix. */
export function attributeOf(
  attributes: Readonly<Record<string, string>>,
  name: string,
): string | undefined {
  let value = attributes[name];
  if (value !== undefined) return value;
  const suffix = `:${name}`;
  for (const name in attributes) if (name.endsWith(suffix)) value = attributes[name];
  return value;
}

/** The kept part of an element by local names. Text is unchanged; what may repeat is a list. */
export type XmlNode = { [member: string]: XmlValue };
export type XmlValue = string | XmlNode | XmlNode[];

/** Deeper documents are refused; QuakeML's deepest path has ten levels. */
export const MAX_DEPTH = 64;
/** Characters of one tag, text or comment, which saxes holds until it is complete. */
export const MAX_TOKEN = 4 * 1024 * 1024;
/** Characters kept of one streamed element, with ELEMENT_COST added per kept element. */
export const MAX_ELEMENT_SIZE = 4 * 1024 * 1024;
export const ELEMENT_COST = 64;

/** The children and attributes of an element to keep; all others are skipped. */
export type XmlShape = {
  readonly children: ReadonlyMap<string, XmlChild>;
  readonly attributes: readonly string[];
  readonly kind: "text" | "single" | "repeated";
};

/** The name is the table's own string: a parsed string would need a lookup at each use as a key. */
export type XmlChild = { readonly name: string; readonly shape: XmlShape };

const NO_CHILDREN: ReadonlyMap<string, XmlChild> = new Map();

/** An element that contains only text. */
export const TEXT: XmlShape = { children: NO_CHILDREN, attributes: [], kind: "text" };

/** A text element in a namespace of its own: without that declaration the name is unknown. */
export const FOREIGN_TEXT: XmlShape = { ...TEXT };

/** An element that occurs once; of several, the first is kept. */
export function element(
  children: Readonly<Record<string, XmlShape>>,
  attributes: readonly string[] = [],
): XmlShape {
  const entries = Object.entries(children).map(([name, shape]): [string, XmlChild] => [
    name,
    { name, shape },
  ]);
  return { children: new Map(entries), attributes, kind: "single" };
}

/** An element that may occur several times. */
export function repeated(shape: XmlShape): XmlShape {
  return { ...shape, kind: "repeated" };
}

/** Children that contain only text. */
export function texts(...names: readonly string[]): Readonly<Record<string, XmlShape>> {
  return Object.fromEntries(names.map((name) => [name, TEXT]));
}
