import type { XmlNode, XmlShape, XmlValue } from "./xml-shape.ts";

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
  for (const given in attributes) if (given.endsWith(suffix)) value = attributes[given];
  return value;
}
