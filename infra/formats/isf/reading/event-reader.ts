import { FaultyLine, type TextLine } from "../../fixed-columns.ts";
import type { Column } from "../columns/column.ts";
import { MAGNITUDE, ORIGIN } from "../columns/origin-columns.ts";
import { PHASE, PHASE_INFORMATION } from "../columns/phase-columns.ts";
import type { MechanismPart } from "../shared/blocks.ts";
import {
  type Block,
  blockBegunBy,
  commentIn,
  isKept,
  MECHANISM_HEADERS,
  ORIGIN_ID,
  startsWithWord,
} from "../shared/blocks.ts";
import type { Title } from "../shared/message-lines.ts";
import type { EventLines, MechanismLines, NotedLine, Warn } from "./event-lines.ts";
import { readColumns } from "./read-columns.ts";

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
  const noted = (columns: readonly Column[]): NotedLine => {
    const drafts = readColumns(columns, line, {}, (message) => warn(line.number, message));
    return { line, comments: [], drafts };
  };
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
