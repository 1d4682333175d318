import type { JsonObject } from "#contracts/seismic-event/seismic-event.ts";
import { type TimePartNames, timePartNames } from "#contracts/seismic-event/split-time.ts";
import { readSplitTime } from "../split-time-warning.ts";
import type { MeantColumn } from "./column-meaning.ts";
import type { RowNotes } from "./row-notebook.ts";
import { dropScedcMagnitude, isScedc } from "./scedc.ts";

/** Changes or checks a row after all its cells were read. */
export type RowFinisher = (row: JsonObject, fields: readonly string[], notes: RowNotes) => void;

export type FinisherOptions = {
  /** ZMAP's years are decimal: the row gets the whole year, and the decimal one is kept under `extra`. */
  readonly decimalYear: boolean;
};

/** The steps that complete each row after its cells were read. */
export function rowFinishers(
  names: readonly string[],
  columns: readonly MeantColumn[],
  { decimalYear }: FinisherOptions,
): RowFinisher[] {
  const finishers: RowFinisher[] = [];
  const gives = (field: MeantColumn["meaning"]) => columns.some(({ meaning }) => meaning === field);
  // Validation refuses an event whose magnitude is missing. The file has no column for it, which
  // says "unknown".
  if (!gives("magnitude")) finishers.push(setUnknownMagnitude);
  if (isScedc(names)) finishers.push(dropScedcMagnitude(names));
  if (decimalYear) finishers.push(splitDecimalYear);
  const parts = timePartNames(names.filter((_, i) => columns[i]?.meaning === "part"));
  const whole = names.filter((_, i) => isTimeColumn(columns[i]));
  if (parts !== null) finishers.push(checkSplitTime(parts, whole));
  return finishers;
}

function setUnknownMagnitude(row: JsonObject): void {
  row["magnitude"] = null;
}

function splitDecimalYear(row: JsonObject, _: readonly string[], notes: RowNotes): void {
  const year = row["year"];
  if (typeof year !== "number" || Number.isInteger(year)) return;
  notes.keep("decimal_year", year);
  row["year"] = Math.floor(year);
}

function isTimeColumn(column: MeantColumn | undefined): boolean {
  return column?.meaning === "time" || column?.meaning === "date";
}

/**
 * Warns of parts that do not make a time, in rows without another one. The parts stay in the row,
 * whose consumer makes the same time of them.
 */
function checkSplitTime(parts: TimePartNames, whole: readonly string[]): RowFinisher {
  return (row, _, notes) => {
    if (whole.some((name) => row[name] !== null)) return;
    const { warning } = readSplitTime(row, parts);
    if (warning !== null) notes.warn("time", warning);
  };
}
