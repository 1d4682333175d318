import {
  ATTRIBUTES,
  type Attribute,
  type AttributeName,
} from "#contracts/seismic-event/attributes.ts";
import type { JsonValue } from "#contracts/seismic-event/seismic-event.ts";
import { isUnknownAtZero, standsForUnknown, ZERO_IS_UNKNOWN } from "../unknown-numbers.ts";
import { isMissingWord, numberOf, quoteForMessage } from "./cell.ts";
import type { MeantColumn } from "./columns.ts";
import { scedcMagnitudeType } from "./known-layouts.ts";
import type { CellReader, RowNotes } from "./row-notebook.ts";
import {
  codeCell,
  enumerationCell,
  eventTypeCell,
  structureCell,
  textCell,
  timeCell,
  unknownCell,
} from "./text-cells.ts";

/** Length limit of texts whose attribute has none of its own. */
const DEFAULT_LENGTH = 255;
/** Uploads may use longitudes of −180 to 180 or of 0 to 360. */
const MAX_LONGITUDE = 360;

/** Properties of a file that all its columns share. */
export type TableTraits = {
  /** Dates have separate columns. */
  readonly splitDate: boolean;
  /** 0 stands for an unknown uncertainty, RMS or gap. */
  readonly zeroIsUnknown: boolean;
  /** Foreign columns with codes that look like numbers. */
  readonly codes: ReadonlySet<string>;
  readonly isScedc: boolean;
};

/** The reader for the cells of a column, by the column's meaning. */
export function columnReader(
  column: string,
  { meaning, places }: MeantColumn,
  traits: TableTraits,
): CellReader {
  switch (meaning) {
    case null:
      return traits.codes.has(column) ? codeCell : unknownCell;
    case "time":
    case "date":
      return timeCell(column, traits.splitDate);
    case "part":
      return numberCell({ column });
    case "focal_mechanisms":
    case "extra":
    case "source_events":
      return structureCell(column);
    case "event_type":
      return eventTypeCell(column);
    case "longitude":
      return numberCell({ ...ATTRIBUTES.longitude, column, max: MAX_LONGITUDE });
    case "depth":
      return numberCell({ ...depthIn(places), column, attribute: meaning });
    case "magnitude_type":
      return traits.isScedc ? scedcMagnitudeType(column) : attributeReader(column, meaning, traits);
    default:
      return attributeReader(column, meaning, traits);
  }
}

/** Without a unit in its name the column is read as kilometres; very large values get a warning. */
function depthIn(places: number): Omit<NumberColumn, "column"> {
  const { min, max, unit } = ATTRIBUTES.depth;
  if (places === 0) return { min, max, unit, suspectFrom: max };
  return { min: min * 10 ** -places, max: max * 10 ** -places, unit: "m" };
}

function attributeReader(
  column: string,
  name: AttributeName,
  { zeroIsUnknown }: TableTraits,
): CellReader {
  const attribute: Attribute = ATTRIBUTES[name];
  switch (attribute.kind) {
    case "number":
    case "integer": {
      const unknownAtZero = zeroIsUnknown && isUnknownAtZero(name);
      return numberCell({ ...attribute, column, attribute: name, unknownAtZero });
    }
    case "text":
      return textCell(column, attribute.maxLength ?? DEFAULT_LENGTH);
    case "enumeration":
      return enumerationCell(column, attribute.values ?? []);
    default: {
      const unknown: never = attribute.kind;
      throw new Error(`unknown kind of attribute: ${unknown}`);
    }
  }
}

type NumberColumn = Pick<Attribute, "min" | "max" | "unit"> & {
  readonly column: string;
  /** The attribute of the numbers; absent in foreign columns. */
  readonly attribute?: AttributeName;
  /** True where 0 stands for an unknown value. */
  readonly unknownAtZero?: boolean;
  /** Depths beyond this many kilometres, above or below sea level, look like metres. */
  readonly suspectFrom?: number;
};

/** The deepest earthquakes are at 700 km: limit in metres, with a margin. */
const MAX_METRES = 1_000_000;
const MAY_BE_METRES = "the depths may be metres, but are read as kilometres; said once";

const DECIMAL_COMMA = /^[+-]?\d+,\d+$/;

/**
 * Reads numbers. `nan`, `null`, `-` and the like become null; so do sentinels below the column's
 * range (−9 as a magnitude, −999 as a latitude, −1 as a count), with the original kept. Values out
 * of range and other text are returned unchanged with a warning.
 */
function numberCell(column: NumberColumn): CellReader {
  const { min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY, unknownAtZero } = column;
  return (text, notes) => {
    if (text === "") return null;
    const number = numberOf(text);
    if (number === 0 && unknownAtZero === true) return unknownZero(column.column, notes);
    if (number >= min && number <= max) return number;
    return Number.isNaN(number)
      ? readOtherText(text, column, notes)
      : readOutOfRange(number, text, column, notes);
  };
}

/** Such files have thousands of these: one warning is enough. */
function unknownZero(column: string, notes: RowNotes): null {
  notes.warnOnce(column, ZERO_IS_UNKNOWN);
  notes.keep(column, 0);
  return null;
}

function readOutOfRange(
  number: number,
  text: string,
  column: NumberColumn,
  notes: RowNotes,
): number | null {
  const { min = 0, max, attribute = null } = column;
  if (standsForUnknown(attribute, number, min)) {
    notes.warn(column.column, `${text} stands for "not known"; it is kept under extra`);
    notes.keep(column.column, number);
    return null;
  }
  const unit = column.unit === undefined ? "" : ` ${column.unit}`;
  const range = max === undefined ? `less than ${min}` : `not between ${min} and ${max}`;
  if (looksLikeMetres(number, column)) {
    notes.warnOnce(column.column, `${text} is ${range}${unit}: ${MAY_BE_METRES}`, MAY_BE_METRES);
  } else notes.warn(column.column, `${text} is ${range}${unit}`);
  return number;
}

function looksLikeMetres(number: number, { suspectFrom }: NumberColumn): boolean {
  const size = Math.abs(number);
  return suspectFrom !== undefined && size > suspectFrom && size <= MAX_METRES;
}

function readOtherText(text: string, { column }: NumberColumn, notes: RowNotes): JsonValue {
  const trimmed = text.trim();
  if (trimmed === "" || isMissingWord(trimmed)) return null;
  if (DECIMAL_COMMA.test(trimmed)) {
    notes.warnOnce(column, "decimal commas are read as points");
    return Number(trimmed.replace(",", "."));
  }
  notes.warn(column, `${quoteForMessage(trimmed)} is not a number`);
  return text;
}
