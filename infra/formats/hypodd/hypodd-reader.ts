import type { TextLine } from "../fixed-columns.ts";
import type { FormatReader, RowSink } from "../format-reader.ts";
import { createBlockReader, type LinePlace } from "../lines/block-reader.ts";
import { readPhases } from "./read-phases.ts";
import { RELOCATION_COLUMNS, readRelocation } from "./read-relocation.ts";
import { isCalendar, isNumber, isPosition, wordsOf } from "./words.ts";

/** Lines by which a file is recognised. */
const FIRST_LINES = 20;

/**
 * A reader of hypoDD's phase data (`.pha`, `phase.dat`), and of relocations (`.reloc`, `.loc`, and
 * those of tomoDD), which are solutions of events that are known by their ids.
 */
export function createHypoddReader(sink: RowSink): FormatReader {
  let isBegun = false;
  return createBlockReader(sink, {
    format: "hypodd",
    place(line, block) {
      // Names of columns may stand above the events.
      isBegun ||= /\d/.test(line.text);
      return isBegun ? placeOf(line, block) : "outside";
    },
    read: (block) => (block.some(isHeader) ? readPhases(block) : readRelocation(block)),
  });
}

function placeOf(line: TextLine, block: readonly TextLine[]): LinePlace {
  if (line.text.trim() === "") return "outside";
  if (isHeader(line)) return "first";
  return block.length > 0 ? "within" : "last";
}

function isHeader({ text }: TextLine): boolean {
  return text.trimStart().startsWith("#");
}

/** True for a file most of whose first lines are phase data, or relocated events. */
export function isHypodd(lines: readonly string[]): boolean {
  const filled = lines.filter((line) => line.trim() !== "").slice(0, FIRST_LINES);
  const fits = filled.some(isPhaseHeader)
    ? (line: string) => isPhaseHeader(line) || isPhase(line)
    : isRelocation;
  const fitting = filled.filter(fits).length;
  return fitting > 0 && fitting * 2 >= filled.length;
}

function isPhaseHeader(line: string): boolean {
  const [first, ...others] = wordsOf(line);
  // The last is the id, which may be any word.
  const isWhole = first === "#" && others.length === 14 && others.slice(0, -1).every(isNumber);
  return isWhole && isCalendar(others) && isPosition(others.slice(6));
}

function isPhase(line: string): boolean {
  const [, seconds = "", weight = "", ...others] = wordsOf(line);
  return others.length === 1 && isNumber(seconds) && isNumber(weight);
}

function isRelocation(line: string): boolean {
  const words = wordsOf(line);
  const [id = ""] = words;
  const isTable = RELOCATION_COLUMNS.has(words.length) && words.every(isNumber);
  return isTable && /^\d+$/.test(id) && isPosition(words.slice(1)) && isCalendar(words.slice(10));
}
