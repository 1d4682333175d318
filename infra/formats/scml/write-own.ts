import type { Foreign } from "#contracts/bulletin/bulletin.ts";
import { isScmlNamespace } from "../xml/content-namespaces.ts";
import { xmlAttribute, xmlText } from "../xml/xml-text.ts";
import { isWritten, type OwnShape, type OwnStructure, type OwnText } from "./own-shapes.ts";

/** Elements that SCML has alone are foreign in a bulletin, in the namespace of the version they came from. */
export function isOwn({ ns, attribute }: Foreign): boolean {
  return attribute !== true && isScmlNamespace(ns);
}

/** A foreign element as SCML has it; null if the schema refuses it. */
export function writeOwn(foreign: Foreign, shape: OwnShape): string | null {
  const { name, text = "", attributes = [], children = [] } = foreign;
  if (typeof shape === "object" && !("words" in shape)) return writeStructure(foreign, shape);
  if (attributes.length > 0 || children.length > 0) return null;
  const fits = typeof shape === "string" ? isWritten(shape, text) : shape.words.includes(text);
  return fits ? `<${name}>${xmlText(text)}</${name}>` : null;
}

function writeStructure(foreign: Foreign, shape: OwnStructure): string | null {
  const attributes = writeAttributes(foreign, shape.attributes ?? {});
  const elements = writeElements(foreign, shape);
  const given = [...(foreign.attributes ?? []), ...(foreign.children ?? [])];
  const isWhole = shape.required.every((name) => given.some((one) => one.name === name));
  if (attributes === null || elements === null || !isWhole) return null;
  return `<${foreign.name}${attributes}>${elements}</${foreign.name}>`;
}

function writeAttributes(
  { attributes = [] }: Foreign,
  known: Readonly<Record<string, OwnText>>,
): string | null {
  let xml = "";
  for (const { ns, name, text } of attributes) {
    const kind = known[name];
    if (ns !== undefined || kind === undefined || !isWritten(kind, text)) return null;
    xml += ` ${name}="${xmlAttribute(text)}"`;
  }
  return xml;
}

function writeElements(
  { children = [] }: Foreign,
  { elements = {}, lists = [] }: OwnStructure,
): string | null {
  if (children.some((child) => !isOwn(child) || elements[child.name] === undefined)) return null;
  let xml = "";
  for (const [name, shape] of Object.entries(elements)) {
    const named = children.filter((child) => child.name === name);
    if (named.length > 1 && !lists.includes(name)) return null;
    for (const child of named) {
      const written = writeOwn(child, shape);
      if (written === null) return null;
      xml += written;
    }
  }
  return xml;
}
