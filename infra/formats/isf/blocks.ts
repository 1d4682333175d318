import type { QuakemlObject } from "#contracts/bulletin/quakeml.ts";
import {
  columnsOf,
  FaultyLine,
  integerIn,
  numberIn,
  type TextLine,
} from "../lines/fixed-columns.ts";
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

/**
 * Lines that are no values: those of messages, titles, headers of blocks, comments with a
 * meaning.
 */

/** Parts of a mechanism, which are comments of their own. */
export type MechanismPart = "MOMTENS" | "FAULT_PLANE" | "PRINAX";

/** Blocks whose lines are kept as they stand. */
type KeptBlock = "effects" | "bibliography" | "unknownBlock";

/** Lines of other blocks that QuakeML has no place for, which are kept as well. */
export type KeptLine = KeptBlock | "origin" | "magnitude" | "phase" | "phaseInformation";

type Block = "origins" | "magnitudes" | "phases" | "information" | KeptBlock;

/** Lines above the blocks' columns, as the writer writes them; the reader knows them by their first words. */
export const HEADERS: Readonly<Record<Exclude<Block, "unknownBlock">, string>> = {
  origins:
    "   Date       Time        Err   RMS Latitude Longitude  Smaj  Smin  Az Depth   Err Ndef Nsta Gap  mdist  Mdist Qual   Author      OrigID    Rep   DPdep   Err Sgp",
  magnitudes: "Magnitude  Err Nsta Author      OrigID",
  phases:
    "Sta     Dist  EvAz Phase        Time      TRes  Azim AzRes   Slow   SRes Def   SNR       Amp   Per Qual Magnitude    ArrID    Agy   Deploy   Ln Auth  Rep   PCh ACh L   Lat       Lon     Elev    Depth",
  information:
    "Net      Chan F Low_F HighF AuthPhas    Date     eTime wTime eAzim wAzim  eSlow wSlow      eAmp  ePer eMag Author      ArrID",
  effects: "Effects              Loctyp Location           Intensity Scale Author",
  bibliography: "Year  Volume Page1 Page2    Journal",
};

/** Lines above the values of a mechanism, without their parentheses. */
export const MECHANISM_HEADERS: Readonly<Record<MechanismPart, readonly string[]>> = {
  MOMTENS: [
    "(#MOMTENS sc    M0 fCLVD    MRR    MTT    MPP    MRT    MTP    MPR NST1 NST2 Author   )",
    "(#             eM0 eCLVD    eRR    eTT    ePP    eRT    eTP    ePR NCO1 NCO2 Duration )",
  ],
  FAULT_PLANE: ["(#FAULT_PLANE Typ Strike   Dip    Rake  NP  NS Plane Author   )"],
  PRINAX: [
    "(#PRINAX sc  T_val T_azim  T_pl  B_val B_azim  B_pl  P_val P_azim  P_pl Author   )",
    "(+             eTv    eTa   eTp    eBv    eBa   eBp    ePv    ePa   ePp fCLVD    )",
  ],
};

/** Words by which a header is known, since files differ in their blanks and later columns. */
const FIRST_WORDS: readonly (readonly [Block, string])[] = [
  ["origins", "date time err rms"],
  ["magnitudes", "magnitude err nsta author"],
  ["phases", "sta dist evaz phase"],
  ["information", "net chan f low_f"],
  ["effects", "effects loctyp location"],
  ["bibliography", "year volume page1 page2"],
];

const WORDS = 4;
/** Longer words than any header has end the comparison early. */
const HEADER_BEGINNING = 80;

/** The block that a line begins, null for another line. */
export function blockBegunBy(text: string): Block | null {
  const words = text.trim().slice(0, HEADER_BEGINNING).toLowerCase().split(/\s+/);
  const first = words.slice(0, WORDS).join(" ");
  const isIt = ([, beginning]: readonly [Block, string]) =>
    first === beginning || first.startsWith(`${beginning} `);
  return FIRST_WORDS.find(isIt)?.[0] ?? null;
}

function isKept(block: Block | null): block is KeptBlock {
  return block === "effects" || block === "bibliography" || block === "unknownBlock";
}

export function startsWithWord(text: string, word: string): boolean {
  const rest = text.slice(word.length);
  return text.startsWith(word) && (rest === "" || rest.startsWith(" "));
}

/** What stands between a comment's parentheses, null for a line that is no comment. */
export function commentIn(text: string): string | null {
  const trimmed = text.trim();
  if (!trimmed.startsWith("(")) return null;
  return trimmed.slice(1, trimmed.endsWith(")") ? -1 : undefined);
}

/** Comments that say something of the origin before them, by their first word. */
export const PRIME = "#PRIME";
export const CENTROID = "#CENTROID";
export const ORIGIN_ID = "#OrigID";
/** Says the same of the magnitude before it, for which ISF has no word of its own. */
export const PREFERRED = "#PREFERRED";

const DATA_TYPE = /^\s*(?:<[^<>]{0,200}>\s*){0,9}data_type\s+(\S+)(?:\s+(\S+))?/i;
const TITLE = /^event\s+(\S+)/i;
const STOP = /^\s*stop\s*$/i;

/** Kinds of data that are events with their titles. */
const OF_EVENTS: readonly string[] = ["bulletin", "event"];

/** A kind of data that a line of a message announces. */
export type AnnouncedData = { readonly isBulletin: boolean; readonly format: string };

/** What a line announces, null for another line. */
export function dataAnnouncedBy(text: string): AnnouncedData | null {
  const match = DATA_TYPE.exec(text);
  if (match === null) return null;
  const isBulletin = OF_EVENTS.includes(match[1]?.toLowerCase() ?? "");
  return { isBulletin, format: match[2] ?? "IMS1.0" };
}

/** True for the line that ends a message. */
export function isStop(text: string): boolean {
  return STOP.test(text);
}

/** True for a line that is the message's, not an event's. */
export function isMessageLine(text: string): boolean {
  return isStop(text) || dataAnnouncedBy(text) !== null;
}

type Title = { readonly id: string; readonly region: string };

/** The id and the region in an event's title, null for another line. */
export function titleIn(text: string): Title | null {
  const trimmed = text.trim();
  const match = TITLE.exec(trimmed);
  if (match === null) return null;
  return { id: match[1] ?? "", region: trimmed.slice(match[0].length).trim() };
}

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
