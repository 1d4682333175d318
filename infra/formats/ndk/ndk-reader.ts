import type { TextLine } from "../fixed-columns.ts";
import type { FormatReader, RowSink } from "../format-reader.ts";
import { createBlockReader, type LinePlace } from "../lines/block-reader.ts";
import { NDK_LINES, readNdk } from "./read-ndk.ts";

/** A first line: its date stands in the same columns of each. */
const HYPOCENTRE = /^.{5}\d{4}\/[ \d]\d\/[ \d]\d /;
const CENTROID = /^CENTROID: *-?\d*\.\d/;
/** The exponent and the first component of a tensor. */
const TENSOR = /^\d\d +-?\d*\.\d/;

/** A reader of the Global CMT project's format `ndk`: five lines of 80 columns for each event. */
export function createNdkReader(sink: RowSink): FormatReader {
  return createBlockReader(sink, { format: "ndk", place, read: readNdk });
}

/** True for a file that has a centroid above its tensor in its first lines. */
export function isNdk(lines: readonly string[]): boolean {
  return lines.some((line, i) => CENTROID.test(line) && TENSOR.test(lines[i + 1] ?? ""));
}

function place({ text }: TextLine, block: readonly TextLine[]): LinePlace {
  if (text.trim() === "") return "outside";
  return HYPOCENTRE.test(text) || block.length % NDK_LINES === 0 ? "first" : "within";
}
