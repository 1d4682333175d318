import { SaxesParser } from "saxes";

/** What a plot shows, read from its SVG. */
export type ReadPlot = {
  readonly width: number;
  /** All texts, in their order. */
  readonly texts: readonly string[];
  /** How many pieces there are of a kind of marks: discs, bars, stretches of lines. */
  readonly marks: (kind: string) => number;
};

/** @throws Error where it is not well-formed */
export function readSvg(svg: string): ReadPlot {
  const texts: string[] = [];
  const pieces = new Map<string, number>();
  const kinds = [""];
  let width = 0;
  const parser = new SaxesParser();
  parser.on("error", (error) => {
    throw error;
  });
  parser.on("opentag", ({ name, attributes }) => {
    const { class: own = "", d = "" } = attributes;
    const kind = own || (kinds.at(-1) ?? "");
    kinds.push(kind);
    const drawn = name === "circle" ? 1 : d.split("M").length - 1;
    pieces.set(kind, (pieces.get(kind) ?? 0) + drawn);
    if (name === "svg") width = Number(attributes["width"]);
    if (name === "text") texts.push("");
  });
  parser.on("text", (text) => texts.push(`${texts.pop() ?? ""}${text}`));
  parser.on("closetag", () => kinds.pop());
  parser.write(svg).close();
  return { width, texts, marks: (kind) => pieces.get(kind) ?? 0 };
}
