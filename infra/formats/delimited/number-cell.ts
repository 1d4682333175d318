import type { Attribute, AttributeName } from "#contracts/seismic-event/attributes.ts";
import {
  isMissingWord,
  movedPoint,
  numberOf,
  writtenDecimal,
} from "#contracts/seismic-event/number-text.ts";
import type { JsonValue } from "#contracts/seismic-event/seismic-event.ts";
import { type ColumnUnit, converted } from "#contracts/seismic-event/written-units.ts";
import type { FileSense } from "../file-sense.ts";
import { standsForUnknown, ZERO_IS_UNKNOWN } from "../unknown-numbers.ts";
import { isDecimalComma, pointNumber, quoteForMessage } from "./cell.ts";
import type { CellReader, RowNotes } from "./row-notes.ts";

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

export const COMMAS_ARE_POINTS = "decimal commas are read as points";

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
