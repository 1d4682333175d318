import { SaxesParser } from "saxes";

const DOUBLE = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;

/**
 * The leaves of the events of a QuakeML document: paths of names with namespaces, and the text of each
 * attribute and element that has one; numbers as doubles. QuakeML's namespaces count as one.
 */
export function leavesOf(xml: string): string[] {
  const parser = new SaxesParser({ xmlns: true });
  const path: { name: string; text: string; hasChildren: boolean }[] = [];
  const leaves: string[] = [];
  const within = () => path.some(({ name }) => name === "event");
  const where = () => path.map(({ name }) => name).join("/");
  parser.on("opentag", ({ uri, local, attributes }) => {
    const parent = path.at(-1);
    if (parent !== undefined) parent.hasChildren = true;
    path.push({ name: nameOf(uri, local), text: "", hasChildren: false });
    if (!within()) return;
    for (const { uri: ns, local: name, prefix, value } of Object.values(attributes)) {
      if (prefix === "xmlns" || (prefix === "" && name === "xmlns")) continue;
      leaves.push(`${where()}@${nameOf(ns, name)}=${normal(value)}`);
    }
  });
  const addText = (text: string) => {
    const top = path.at(-1);
    if (top !== undefined) top.text += text;
  };
  parser.on("text", addText);
  parser.on("cdata", addText);
  parser.on("closetag", () => {
    const { text = "", hasChildren = false } = path.at(-1) ?? {};
    if (within() && text.trim() !== "" && !hasChildren) leaves.push(`${where()}=${normal(text)}`);
    path.pop();
  });
  parser.write(xml).close();
  return leaves.sort();
}

function nameOf(uri: string, local: string): string {
  return uri === "" || uri.includes("quakeml.org/") ? local : `{${uri}}${local}`;
}

function normal(text: string): string {
  const trimmed = text.trim();
  return DOUBLE.test(trimmed) ? String(Number(trimmed) + 0) : trimmed;
}
