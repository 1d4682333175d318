import type { TextLine } from "../fixed-columns.ts";
import type { FormatReader, RowSink } from "../format-reader.ts";
import { createBlockReader, type LinePlace } from "../lines/block-reader.ts";
import { readHypocentre } from "./read-hypocentre.ts";

const BEGIN = /^NLLOC\s+"/;
const END = /^END_NLLOC\s*$/;

/** A reader of NonLinLoc's hypocentres and phases (`.hyp`), one or many in a file. */
export function createNonlinlocReader(sink: RowSink): FormatReader {
  return createBlockReader(sink, { format: "nonlinloc", place, read: readHypocentre });
}

/** True for a file whose first line with text begins a hypocentre. */
export function isNonlinloc(lines: readonly string[]): boolean {
  return BEGIN.test(lines.find((line) => line.trim() !== "") ?? "");
}

function place({ text }: TextLine, block: readonly TextLine[]): LinePlace {
  if (BEGIN.test(text)) return "first";
  if (block.length === 0) return "outside";
  return END.test(text) ? "last" : "within";
}
