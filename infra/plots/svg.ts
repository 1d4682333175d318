import { parseHTML } from "linkedom";
import { expressible } from "../formats/xml/xml-text.ts";

const NAMESPACE = "http://www.w3.org/2000/svg";

/** What drawing needs of an element of a document. */
export type SvgElement = {
  readonly setAttribute: (name: string, value: string) => void;
  readonly append: (...children: readonly (SvgElement | string)[]) => void;
  readonly toString: () => string;
};

type SvgDocument = { readonly createElementNS: (namespace: string, name: string) => SvgElement };

/** A document of its own for one drawing, without a browser. */
export function svgDocument(): SvgDocument {
  return parseHTML("<html></html>").document as unknown as SvgDocument;
}

const DOCUMENT = svgDocument();

export type Attributes = Readonly<Record<string, string | number>>;

export function element(
  name: string,
  attributes: Attributes,
  ...children: readonly (SvgElement | string)[]
): SvgElement {
  const node = DOCUMENT.createElementNS(NAMESPACE, name);
  for (const [attribute, value] of Object.entries(attributes)) {
    node.setAttribute(attribute, expressible(String(value)));
  }
  const content = children.map((child) => (typeof child === "string" ? expressible(child) : child));
  node.append(...content);
  return node;
}
