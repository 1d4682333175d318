import type { QuakemlObject } from "#contracts/bulletin/quakeml.ts";
import {
  columnsOf,
  FaultyLine,
  integerIn,
  numberIn,
  type TextLine,
} from "../lines/fixed-columns.ts";
import {
  type Block,
  blockBegunBy,
  commentIn,
  isKept,
  type KeptBlock,
  MECHANISM_HEADERS,
  type MechanismPart,
  ORIGIN_ID,
  startsWithWord,
  type Title,
} from "./blocks.ts";
import {
  type Column,
  type Drafts,
  draftOf,
  MAGNITUDE,
  nameOf,
  ORIGIN,
  PHASE,
  PHASE_INFORMATION,
  put,
  putForeign,
} from "./columns.ts";

const DATE_AT_START = /^\s*\d{4}[/-]/;
/** A line of values, or a second header, of a mechanism. */
const MECHANISM_LINE = /^[#+]\s/;

/** Where in an event's lines the reader is. */
type Place = {
  block: Block | null;
  /** What comments are about; null before the block's first line. */
  last: NotedLine | null;
  mechanism: MechanismLines | null;
  /** Of the phases that follow. */
  originId: string | null;
};

/**
 * What an event's lines say, which are put together when all are there.
 * @param block the lines after the title
 * @throws FaultyLine
 */
export function linesOfEvent(title: Title, block: readonly TextLine[], warn: Warn): EventLines {
  const lines: EventLines = {
    ...title,
    comments: [],
    origins: [],
    magnitudes: [],
    phases: [],
    information: [],
    kept: [],
  };
  let place = beginningOf(null);
  let isAfterBlank = false;
  for (const line of block) {
    const wasAfterBlank = isAfterBlank;
    isAfterBlank = line.text.trim() === "";
    if (isAfterBlank) continue;
    const next = blockBegunBy(line.text);
    const comment = isKept(place.block) ? null : commentIn(line.text);
    if (next !== null) place = beginningOf(next);
    else if (comment !== null) takeComment(lines, place, comment, line);
    else {
      try {
        takeValues(lines, place, line, warn);
      } catch (error) {
        // A blank line ends a block: what follows and is none of it begins another.
        if (!(error instanceof FaultyLine && wasAfterBlank)) throw error;
        place = beginningOf(null);
        takeValues(lines, place, line, warn);
      }
    }
  }
  return lines;
}

function beginningOf(block: Block | null): Place {
  return { block, last: null, mechanism: null, originId: null };
}

function takeComment(lines: EventLines, place: Place, text: string, line: TextLine): void {
  const origin = place.block === "origins" ? lines.origins.at(-1) : undefined;
  const part = origin === undefined ? null : mechanismPartOf(text);
  if (origin !== undefined && part !== null) {
    place.mechanism = { part, lines: [line] };
    origin.mechanisms.push(place.mechanism);
  } else if (place.mechanism !== null && MECHANISM_LINE.test(text)) {
    place.mechanism.lines.push(line);
  } else if (place.block === "phases" && startsWithWord(text, ORIGIN_ID)) {
    place.originId = text.slice(ORIGIN_ID.length).trim();
  } else {
    place.mechanism = null;
    addComment(place.last?.comments ?? lines.comments, text);
  }
}

function takeValues(lines: EventLines, place: Place, line: TextLine, warn: Warn): void {
  const noted = (columns: readonly Column[]): NotedLine => ({
    line,
    comments: [],
    drafts: readColumns(columns, line, {}, warn),
  });
  place.mechanism = null;
  switch (place.block) {
    case "origins":
      if (!DATE_AT_START.test(line.text)) {
        throw new FaultyLine(line.number, "the line of an origin does not begin with a date");
      }
      place.last = added(lines.origins, { ...noted(ORIGIN), mechanisms: [] });
      break;
    case "magnitudes":
      place.last = added(lines.magnitudes, noted(MAGNITUDE));
      break;
    case "phases":
      place.last = added(lines.phases, { ...noted(PHASE), originId: place.originId });
      break;
    case "information":
      place.last = added(lines.information, noted(PHASE_INFORMATION));
      break;
    case null:
      place.block = "unknownBlock";
      warn(line.number, "a block that is not known is kept as it stands");
      lines.kept.push({ block: place.block, text: line.text.trimEnd() });
      break;
    default:
      lines.kept.push({ block: place.block, text: line.text.trimEnd() });
  }
}

function added<T>(list: T[], item: T): T {
  list.push(item);
  return item;
}

function mechanismPartOf(text: string): MechanismPart | null {
  const parts = Object.keys(MECHANISM_HEADERS) as MechanismPart[];
  return parts.find((part) => startsWithWord(text, `#${part}`)) ?? null;
}

/** A text that begins with `+` goes on with the comment before it. */
function addComment(comments: string[], text: string): void {
  const before = comments.at(-1);
  if (text.startsWith("+") && before !== undefined) {
    comments[comments.length - 1] = `${before}\n${text.slice(1)}`;
  } else comments.push(text);
}

/** A line of an origin, a magnitude, a phase or of phase information, with its comments. */
export type NotedLine = {
  readonly line: TextLine;
  readonly drafts: Drafts;
  /** Texts between the parentheses, several lines of one joined by line feeds. */
  readonly comments: string[];
};

/** The lines of one comment of a mechanism: headers, then values. */
export type MechanismLines = { readonly part: MechanismPart; readonly lines: TextLine[] };

export type OriginLine = NotedLine & { readonly mechanisms: MechanismLines[] };

/** `originId` is what a comment before the phase's line says of its origin, null without one. */
export type PhaseLine = NotedLine & { readonly originId: string | null };

/** What the lines from one event's title to the next say. */
export type EventLines = {
  readonly id: string;
  readonly region: string;
  readonly comments: string[];
  readonly origins: OriginLine[];
  readonly magnitudes: NotedLine[];
  readonly phases: PhaseLine[];
  readonly information: NotedLine[];
  readonly kept: { readonly block: KeptBlock; readonly text: string }[];
};

export type Warn = (line: number, message: string) => void;

/** An origin of the bulletin with the line that it comes from. */
export type ReadOrigin = {
  readonly origin: QuakemlObject<"Origin">;
  readonly source: OriginLine;
};

/** How files say that they do not know a code or a letter. */
const UNKNOWN = { text: /^\?+$/, code: /^[_?]$/, real: /^$/, integer: /^$/ } as const;

/**
 * Puts the values of a line into drafts. A letter that stands for nothing known, and a number that was
 * too long for its columns, become foreign elements under the column's name, with a warning.
 * @param scale the power of ten that the line names
 * @throws FaultyLine where a number is none
 */
export function readColumns(
  columns: readonly Column[],
  line: TextLine,
  drafts: Drafts,
  warn: Warn,
  scale = 0,
): Drafts {
  for (const column of columns) {
    const text = columnsOf(line, column.from, column.to);
    if (text === "" || UNKNOWN[column.kind].test(text)) continue;
    const value = valueIn(column, line, text, scale);
    if (value === undefined) {
      const held = `columns ${column.from} to ${column.to} hold ${JSON.stringify(text)}`;
      warn(line.number, `${held}, kept as foreign`);
      putForeign(draftOf(drafts, column.object), nameOf(column), text);
    } else put(drafts, column, column.isForeign ? text : value);
  }
  return drafts;
}

function valueIn(column: Column, line: TextLine, text: string, scale: number): unknown {
  const { from, to, kind, places = 0, isScaled, codes = {} } = column;
  switch (kind) {
    case "text":
      return text;
    case "code":
      return codes[text.toLowerCase()];
    case "integer":
      return integerIn(line, from, to);
    case "real":
      return numberIn(line, from, to, places + (isScaled ? scale : 0));
  }
}
