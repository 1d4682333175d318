import { SaxesParser } from "saxes";

/** An element with what clients look at. */
export type XmlElement = {
  /** Without its prefix. */
  readonly name: string;
  readonly prefix: string;
  readonly uri: string;
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: XmlElement[];
  text: string;
};

/** The root of a whole, well-formed document. */
export function readXml(text: string): XmlElement {
  const parser = new SaxesParser({ xmlns: true });
  const open: XmlElement[] = [];
  let root: XmlElement | undefined;
  parser.on("error", (error) => {
    throw error;
  });
  parser.on("opentag", ({ local, prefix, uri, attributes }) => {
    const named = Object.values(attributes).map(({ name, value }) => [name, value] as const);
    const element = {
      name: local,
      prefix,
      uri,
      attributes: new Map(named),
      children: [],
      text: "",
    };
    open.at(-1)?.children.push(element);
    root ??= element;
    open.push(element);
  });
  parser.on("text", (piece) => {
    const element = open.at(-1);
    if (element !== undefined) element.text += piece;
  });
  parser.on("closetag", () => {
    open.pop();
  });
  parser.write(text).close();
  if (root === undefined) throw new Error("there is no element");
  return root;
}

/** The elements below one, of a name, in the order of the document. */
export function descendants(element: XmlElement, name: string): XmlElement[] {
  return element.children.flatMap((child) => [
    ...(child.name === name ? [child] : []),
    ...descendants(child, name),
  ]);
}
