import { unguardFormula } from "#contracts/formula-guard.ts";
import { isMagnitudeType } from "#contracts/seismic-event/magnitude-types.ts";
import { isMissingWord, isNumeric, numberOf } from "#contracts/seismic-event/number-text.ts";
import { parseTime } from "#contracts/seismic-event/parse-time.ts";
import type { JsonValue } from "#contracts/seismic-event/seismic-event.ts";
import { writtenTime } from "#contracts/seismic-event/written-time.ts";
import type { ColumnUnit } from "#contracts/seismic-event/written-units.ts";
import type { FileSense } from "../file-sense.ts";
import { mapEventType, spacedName } from "../legacy-event-types.ts";
import { timeOfEpoch } from "../time-sense.ts";
import { isBlank, isCode, isDecimalComma, pointNumber, quoteForMessage } from "./cell.ts";
import { COMMAS_ARE_POINTS } from "./number-cell.ts";
import type { CellReader } from "./row-notes.ts";

const MAX_DEPTH = 32;
/** Completes a time of day. */
const ANY_DATE = "2000-01-01";

/** Free text, without the guard that our export puts before formulas. */
export function textCell(column: string, maxLength: number): CellReader {
  return (text, notes) => {
    if (isBlank(text)) return null;
    const bare = unguardFormula(text);
    if (bare.length > maxLength) notes.warn(column, `is longer than ${maxLength} characters`);
    return bare;
  };
}

/** What programs write for a number that is not there; other such words may be a foreign text. */
const NO_NUMBER = /^(?:nan|nat|null|none|n\/a|<na>|#n\/a)$/i;

/** A foreign column: decimal texts become numbers in whatever notation, codes stay text. */
export const unknownCell: CellReader = (text) => {
  if (text.length <= 4 && NO_NUMBER.test(text)) return null;
  if (text.charCodeAt(0) > 57) return text;
  const number = numberOf(text);
  if (Number.isNaN(number)) return isBlank(text) ? null : text;
  return isCode(text) ? text : number + 0;
};

/** A foreign column of numbers, which may have decimal commas. */
export function foreignNumberCell(column: string): CellReader {
  return (text, notes) => {
    if (!isDecimalComma(text)) return unknownCell(text, notes);
    notes.warnOnce(column, COMMAS_ARE_POINTS);
    return pointNumber(text);
  };
}

/** A column of codes, some of which look like numbers. */
export const codeCell: CellReader = (text) => (isBlank(text) ? null : text);

/** An enumeration's values. An unknown one becomes null and is kept under `extra`. */
export function enumerationCell(column: string, values: readonly string[]): CellReader {
  const names = new Set(values.map((value) => value.toLowerCase()));
  return mappingCell(column, (text) => (names.has(spacedName(text)) ? text : null));
}

/** QuakeML's event types and their older names; AFAD's are types of magnitudes, which stay. */
export function eventTypeCell(column: string): CellReader {
  const cell = mappingCell(column, (text) => {
    const type = mapEventType(text);
    return type === spacedName(text) ? text : type;
  });
  return (text, notes) => {
    if (!isMagnitudeType(text)) return cell(text, notes);
    notes.warnOnce(column, "types of magnitudes are read as such, not as types of events");
    return text;
  };
}

function mappingCell(column: string, translate: (text: string) => string | null): CellReader {
  // Columns repeat few values: a lookup for every cell would cost as much as the row's other texts.
  let usual: string | null = null;
  return (text, notes) => {
    if (text === usual) return text;
    if (isBlank(text) || isMissingWord(text)) return null;
    const value = translate(text);
    if (value === text) {
      usual = text;
      return text;
    }
    notes.keep(column, text);
    const quoted = quoteForMessage(text);
    notes.warn(
      column,
      value === null
        ? `${quoted} is none of the values known for it; it is kept under extra`
        : `${quoted} is read as ${JSON.stringify(value)}`,
    );
    return value;
  };
}

export type TimeColumn = {
  /** Its date or its time of day may be in another column. */
  readonly mayBePart: boolean;
  readonly sense: FileSense;
  /** What numbers are said to count since 1970. */
  readonly said?: ColumnUnit | undefined;
};

/** A time in ISO 8601. */
export function timeCell(column: string, { mayBePart, sense, said }: TimeColumn): CellReader {
  return (text, notes) => {
    const counted = said !== undefined && isNumeric(text) ? timeOfEpoch(Number(text), said) : null;
    if (counted !== null) return counted;
    if (parseTime(text) !== null) return text;
    if (isBlank(text) || isMissingWord(text.trim())) return null;
    if (mayBePart && parseTime(`${ANY_DATE} ${text}`) !== null) return text;
    const ofDay = mayBePart ? writtenTime(`${ANY_DATE} ${text}`).get("ymd") : undefined;
    if (ofDay !== undefined) return ofDay.slice(ANY_DATE.length + 1, -1);
    const sensed = sense.time(text);
    if ("fault" in sensed) {
      notes.warn(column, `${quoteForMessage(text)} ${sensed.fault}`);
      if (sensed.isForeign !== true) return text;
      notes.keep(column, text);
      return null;
    }
    if (sensed.remark !== null) notes.warnOnce(column, sensed.remark);
    return sensed.time;
  };
}

/** A structure written as JSON text; other text is returned unchanged. */
export function structureCell(column: string): CellReader {
  return (text, notes) => {
    if (isBlank(text)) return null;
    if (!/^\s*[[{]/.test(text)) return unknownCell(text, notes);
    const value = parseStructure(text);
    if (value !== undefined) return value;
    notes.warn(column, `holds JSON that cannot be read or is nested deeper than ${MAX_DEPTH}`);
    return text;
  };
}

function parseStructure(text: string): JsonValue | undefined {
  try {
    return isDeep(text) ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Counts brackets outside strings: printing a value nested too deeply overflows the stack. */
function isDeep(json: string): boolean {
  let depth = 0;
  let inText = false;
  for (let at = 0; at < json.length; at++) {
    const mark = json[at];
    if (mark === "\\") at++;
    else if (mark === '"') inText = !inText;
    else if (inText) continue;
    else if (mark === "[" || mark === "{") depth++;
    else if (mark === "]" || mark === "}") depth--;
    if (depth > MAX_DEPTH) return true;
  }
  return false;
}
