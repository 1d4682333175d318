import type { Attribute, AttributeName } from "#contracts/seismic-event/attributes.ts";
import { normaliseName } from "#contracts/seismic-event/names.ts";
import type { JsonObject, JsonValue } from "#contracts/seismic-event/seismic-event.ts";
import { parseTime } from "#contracts/seismic-event/time.ts";
import {
  type ColumnUnit,
  converted,
  isMagnitudeType,
  isMissingWord,
  isNumeric,
  movedPoint,
  numberOf,
  writtenDecimal,
} from "#contracts/seismic-event/written-numbers.ts";
import { writtenTime } from "#contracts/seismic-event/written-times.ts";
import { isBlank, unguardFormula } from "#contracts/text.ts";
import { type FileSense, timeOfEpoch } from "../file-sense.ts";
import { mapEventType, spacedName, standsForUnknown, ZERO_IS_UNKNOWN } from "../written-values.ts";

/** Remarks of cell readers on the current row. */
export type RowNotes = {
  readonly warn: (column: string, message: string) => void;
  /** Warns once per column and `topic`, which is the message by default. */
  readonly warnOnce: (column: string, message: string, topic?: string) => void;
  /** Keeps the original of a value that the row holds changed. */
  readonly keep: (column: string, original: JsonValue) => void;
};

/** The value of one cell. Blanks around unquoted text are removed already. */
export type CellReader = (text: string, notes: RowNotes) => JsonValue;

/** Changes or checks a row after all its cells were read. */
export type RowFinisher = (row: JsonObject, fields: readonly string[], notes: RowNotes) => void;

export type NumberColumn = Pick<Attribute, "min" | "max" | "unit"> & {
  readonly column: string;
  /** The attribute of the numbers; absent in foreign columns. */
  readonly attribute?: AttributeName;
  /** Values in the column times ten to this power have the attribute's unit. Default 0. */
  readonly places?: number;
  /** The row's key says the attribute's unit, so that values are converted to it. */
  readonly converts?: boolean;
  /** The unit that plain numbers are converted from. */
  readonly said?: ColumnUnit | undefined;
  /** True where 0 stands for an unknown value. */
  readonly unknownAtZero?: boolean;
  /** Reads depths whose unit is not said. */
  readonly sense?: FileSense["depth"] | undefined;
};

const COMMAS_ARE_POINTS = "decimal commas are read as points";

/**
 * Reads numbers. `nan`, `null`, `-` and the like become null; so do sentinels beyond the column's
 * range (−9 as a magnitude, −999 as a latitude, −1 as a count), with the original kept. Values out
 * of range and other text are returned unchanged with a warning.
 */
export function numberCell(column: NumberColumn): CellReader {
  const { min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY, unknownAtZero } = column;
  const { places = 0, converts = false, said, sense } = column;

  /** A plain number, as depths are sensed; a text for one that cannot be read. */
  function sensed(plain: number, notes: RowNotes): number | string {
    if (sense === undefined || Number.isNaN(plain)) return plain;
    const { depth, remark } = sense(plain);
    if (remark !== null) notes.warnOnce(column.column, remark);
    return depth;
  }

  return (text, notes) => {
    if (text === "") return null;
    const plain = sensed(numberOf(text), notes);
    if (typeof plain === "string") return plain;
    const isMoved = converts && places !== 0 && !Number.isNaN(plain);
    const inUnit = said === undefined ? plain : converted(plain, said);
    const number = isMoved ? Number(movedPoint(text.trim(), places)) : inUnit;
    if (number === 0 && unknownAtZero === true) {
      notes.warnOnce(column.column, ZERO_IS_UNKNOWN);
      notes.keep(column.column, 0);
      return null;
    }
    if (number >= min && number <= max) return number;
    return Number.isNaN(number)
      ? readOtherText(text, column, notes)
      : readOutOfRange(number, text, column, notes);
  };
}

function readOutOfRange(
  number: number,
  text: string,
  column: NumberColumn,
  notes: RowNotes,
): number | null {
  const { min = 0, max, attribute = null } = column;
  if (standsForUnknown(attribute, number, { min, max })) {
    notes.warn(column.column, `${text} stands for "not known"; it is kept under extra`);
    notes.keep(column.column, number);
    return null;
  }
  const unit = column.unit === undefined ? "" : ` ${column.unit}`;
  const range = max === undefined ? `less than ${min}` : `not between ${min} and ${max}`;
  notes.warn(column.column, `${text} is ${range}${unit}`);
  return number;
}

function readOtherText(text: string, of: NumberColumn, notes: RowNotes): JsonValue {
  const { column, attribute, places = 0, converts = false } = of;
  const trimmed = text.trim();
  if (trimmed === "" || isMissingWord(trimmed)) return null;
  const decimal = attribute === undefined ? null : writtenDecimal(attribute, trimmed);
  const number = Number(converts ? decimal : movedPoint(decimal ?? "", -places));
  if (decimal !== null && Number.isFinite(number)) {
    notes.warnOnce(column, `${quoteForMessage(trimmed)} is read as ${number}`, "read as a number");
    return number;
  }
  if (isDecimalComma(trimmed)) {
    notes.warnOnce(column, COMMAS_ARE_POINTS);
    return pointNumber(trimmed);
  }
  notes.warn(column, `${quoteForMessage(trimmed)} is not a number`);
  return text;
}

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

/**
 * A time in ISO 8601.
 * @param mayBePart its date or its time of day may be in another column
 * @param said what numbers are said to count since 1970
 */
export function timeCell(
  column: string,
  sense: FileSense,
  mayBePart: boolean,
  said?: ColumnUnit,
): CellReader {
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

/** SCEDC's letters for magnitude types ("SCEDC catalog format", magtype). */
const MAGNITUDE_TYPES: Readonly<Record<string, string>> = {
  b: "mb",
  c: "Mc",
  d: "Md",
  e: "Me",
  h: "Mh",
  l: "ML",
  lr: "MLr",
  s: "Ms",
  w: "Mw",
};
/** No magnitude; the number beside it is 0. */
const NO_MAGNITUDE = "n";

/** Recognises SCEDC's catalogue by the name of its date column. */
export function isScedc(names: readonly string[]): boolean {
  return names.some((name) => normaliseName(name) === "yyymmdd");
}

/** Reads a letter as its magnitude type. */
export function scedcMagnitudeType(column: string): CellReader {
  return (text, notes) => {
    if (text === "") return null;
    const type = Object.hasOwn(MAGNITUDE_TYPES, text) ? MAGNITUDE_TYPES[text] : undefined;
    if (type === undefined && text !== NO_MAGNITUDE) return text;
    notes.keep(column, text);
    notes.warnOnce(column, "letters are read as the magnitude types that SCEDC means by them");
    return type ?? null;
  };
}

/** Clears the magnitude in rows whose type says that there is none. */
export function dropScedcMagnitude(names: readonly string[], keys: readonly string[]): RowFinisher {
  const type = names.findIndex((name) => normaliseName(name) === "m");
  const [magnitude, column] = [keys[type - 1] ?? "", names[type - 1] ?? ""];
  return (row, fields, notes) => {
    const value = row[magnitude] ?? null;
    if (fields[type] !== NO_MAGNITUDE || value === null) return;
    notes.keep(column, value);
    row[magnitude] = null;
  };
}

/** Integers of fewer digits are exact doubles. */
const MAX_DIGITS = 16;

/**
 * True for decimal text that is a code, not a measurement: as a number it would lose digits (`007`,
 * integers beyond 2⁵³), or it is one only by chance (`12e4` among hexadecimal names).
 */
export function isCode(text: string): boolean {
  if (/^[+-]?0\d/.test(text) || /^\d+[eE]\d+$/.test(text)) return true;
  return text.length >= MAX_DIGITS && !/[.eE]/.test(text) && !Number.isSafeInteger(Number(text));
}

export function isTime(text: string): boolean {
  return parseTime(text) !== null;
}

export function isDecimalComma(text: string): boolean {
  return /^[+-]?\d+,\d+$/.test(text);
}

/** The number in a text that may have a decimal comma; NaN for other text. */
export function pointNumber(text: string): number {
  return numberOf(isDecimalComma(text) ? text.replace(",", ".") : text);
}

/** True for text that never stands in a header: a number, or the start of a date or time of day. */
export function isData(text: string): boolean {
  return isNumeric(text) || /^\d{1,4}[-/:.]\d/.test(text);
}

/** Shortens long texts for messages. */
function quoteForMessage(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text);
}
