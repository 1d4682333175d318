import type { XmlNode } from "../xml/xml-shape.ts";

export type XmlTreeSink = {
  /** A child of the streamed element is complete; `line` is where its start tag begins. */
  readonly element: (name: string, node: XmlNode, line: number) => void;
  /** A child of the streamed element that holds more than can be kept, and is skipped. */
  readonly tooLarge: (name: string, line: number) => void;
  /**
   * Nothing can be read any more: told once, nothing comes after it. `within` is the line of the
   * streamed element's child that is cut off, if one is.
   */
  readonly fault: (line: number, message: string, within: number | null) => void;
};
