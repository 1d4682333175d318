import type { TextLine } from "../fixed-columns.ts";
import type { FormatReader, RowSink } from "../format-reader.ts";
import { createBlockReader, type LinePlace } from "../lines/block-reader.ts";
import { isOriginLine, versionIn } from "./line-types.ts";
import { readNordic } from "./read-event.ts";

/** A line has 80 columns, of phases the last may be left out. */
const LEAST_COLUMNS = 79;
/** So many lines of nothing but hypocentres are a list of events. */
const LIST_LINES = 100;
const LIST_CHARACTERS = LIST_LINES * 100;
/** Most ids remembered to find repeated ones. */
const MAX_REMEMBERED = 500_000;
/** A line that ends in the middle may become a hypocentre. */
const BEGUN = /^(?: (?:\d{0,4}|\d{4} [ \d].*))?$/;

/**
 * A reader of SEISAN's Nordic format, old and new: an event ends with an empty line. A file of lines of
 * type 1 alone, without empty ones, is a list of events, each a line.
 */
export function createNordicReader(sink: RowSink): FormatReader {
  let head = "";
  /** Null while only hypocentres have come. */
  let isList: boolean | null = null;
  const nameOnce = createNames();
  const reader = createBlockReader(sink, {
    format: "nordic",
    end: "an empty line",
    mayEndAfter: ({ text }, isClosed) => isClosed && text.length >= LEAST_COLUMNS,
    place: (line, block) => placeOf(line, block, isList === true),
    read: (block, warn) => readNordic(block, (id) => nameOnce(id, block[0]?.number ?? 1, warn)),
  });

  function decide(isLast: boolean): void {
    isList = isListOfOrigins(head, isLast);
    if (isList === null) return;
    reader.write(head);
    head = "";
  }

  return {
    write(text) {
      if (isList !== null) {
        reader.write(text);
        return;
      }
      head += text;
      decide(false);
    },
    *end() {
      if (isList === null) decide(true);
      return yield* reader.end();
    },
  };
}

/** True for a file that has a hypocentre or a heading of phases in its first lines. */
export function isNordic(lines: readonly string[]): boolean {
  return lines.some((line) => isOriginLine(line) || versionIn(line) !== undefined);
}

/** Null where more text decides. */
function isListOfOrigins(head: string, isLast: boolean): boolean | null {
  const lines = head.split(/\r\n?|\n/);
  const rest = lines.pop() ?? "";
  if (!lines.every(isOriginLine)) return false;
  if (!isLast) return head.length < LIST_CHARACTERS ? null : lines.length >= LIST_LINES;
  if (rest === "" || isOriginLine(rest)) return true;
  return lines.length > 1 && BEGUN.test(rest);
}

function placeOf({ text }: TextLine, block: readonly TextLine[], isList: boolean): LinePlace {
  const isOpen = block.length > 0;
  if (text.trim() === "") return isOpen ? "last" : "outside";
  return isList && !isOpen && isOriginLine(text) ? "last" : "within";
}

/** Events of one file that have the same id get different ones: they are different events. */
function createNames() {
  const names = new Map<string, number>();
  return (id: string, line: number, warn: (line: number, message: string) => void): string => {
    const count = (names.get(id) ?? 0) + 1;
    if (count > 1 || names.size < MAX_REMEMBERED) names.set(id, count);
    if (count === 1) return id;
    const name = `${id}-${count}`;
    warn(line, `the id ${id} was there before: this event's is ${name}`);
    return name;
  };
}
