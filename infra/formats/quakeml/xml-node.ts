import type { XmlNode } from "./xml-shape.ts";

/** The text of a child or attribute without blanks around it, undefined when there is none. */
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
