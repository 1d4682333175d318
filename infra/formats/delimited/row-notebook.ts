import type { JsonObject, JsonValue } from "#contracts/seismic-event/seismic-event.ts";
import { isJsonObject } from "#contracts/seismic-event/seismic-event.ts";
import {
  isDateAlone,
  type TimePartNames,
  timePartNames,
} from "#contracts/seismic-event/split-time.ts";
import { clockOf } from "#contracts/seismic-event/written-time.ts";
import type { RowSink } from "../format-reader.ts";
import { readSplitTime } from "../split-time-warning.ts";
import type { MeantColumn } from "./columns.ts";
import type { RowFinisher, RowNotes } from "./row-notes.ts";
import { dropScedcMagnitude, isScedc } from "./scedc.ts";

export type RowNotebook = RowNotes & {
  readonly open: (line: number) => void;
  /** Adds the kept originals to the row's `extra`. */
  readonly close: (row: JsonObject, extraColumn: string) => void;
};

export function createRowNotebook(sink: Pick<RowSink, "warning">): RowNotebook {
  let line = 0;
  let originals: JsonObject | null = null;
  const topics = new Set<string>();

  function warn(column: string, message: string): void {
    sink.warning(line, `${column}: ${message}`);
  }

  return {
    warn,
    warnOnce(column, message, topic = message) {
      const key = `${column}: ${topic}`;
      if (topics.has(key)) return;
      topics.add(key);
      warn(column, message);
    },
    keep(column, original) {
      originals ??= {};
      originals[column] = original;
    },
    open(of) {
      line = of;
      originals = null;
    },
    close(row, extraColumn) {
      if (originals !== null) row[extraColumn] = merge(row[extraColumn], originals, extraColumn);
    },
  };
}

/** A value that the file itself has under a name stays; the original goes under it with `.1`. */
function merge(own: JsonValue | undefined, originals: JsonObject, column: string): JsonObject {
  if (own === null || own === undefined) return originals;
  const extra: JsonObject = isJsonObject(own) ? { ...own } : { [column]: own };
  for (const [name, value] of Object.entries(originals)) {
    extra[Object.hasOwn(extra, name) ? `${name}.1` : name] = value;
  }
  return extra;
}

export type FinisherOptions = {
  /** ZMAP's years are decimal: the row gets the whole year, and the decimal one is kept under `extra`. */
  readonly decimalYear: boolean;
};

/** A table's columns: their names in the file, and their keys in rows. */
export type ColumnNames = { readonly names: readonly string[]; readonly keys: readonly string[] };

/** The steps that complete each row after its cells were read. */
export function rowFinishers(
  { names, keys }: ColumnNames,
  columns: readonly MeantColumn[],
  { decimalYear }: FinisherOptions,
): RowFinisher[] {
  const finishers: RowFinisher[] = [];
  const gives = (field: MeantColumn["meaning"]) => columns.some(({ meaning }) => meaning === field);
  // Validation refuses a missing magnitude; a file without a column for it says "unknown".
  if (!gives("magnitude")) finishers.push(setUnknownMagnitude);
  if (isScedc(names)) finishers.push(dropScedcMagnitude(names, keys));
  if (decimalYear) finishers.push(splitDecimalYear);
  const parts = timePartNames(keys.filter((_, i) => columns[i]?.meaning === "part"));
  const whole = keys.filter((_, i) => isTimeColumn(columns[i]));
  if (parts !== null) finishers.push(checkSplitTime(parts, whole));
  const renamed = keys.flatMap((key, i) => {
    const name = names[i] ?? key;
    return columns[i]?.meaning === "part" && key !== name ? [{ key, name }] : [];
  });
  if (renamed.length > 0) finishers.push(keepUnusedParts(renamed, whole));
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

/** Warns of parts that make no time, in rows without a whole one. The parts stay in the row. */
function checkSplitTime(parts: TimePartNames, whole: readonly string[]): RowFinisher {
  return (row, _, notes) => {
    if (whole.some((name) => row[name] !== null)) return;
    const { warning } = readSplitTime(row, parts);
    if (warning !== null) notes.warn("time", warning);
  };
}

/** Parts beside a whole time are nothing but further values, under the file's own names. */
function keepUnusedParts(
  parts: readonly { readonly key: string; readonly name: string }[],
  whole: readonly string[],
): RowFinisher {
  return (row, _, notes) => {
    const texts = whole.flatMap((name) => (typeof row[name] === "string" ? [row[name]] : []));
    if (texts.every((text) => isDateAlone(text)) || texts.every((text) => clockOf(text) !== null)) {
      return;
    }
    for (const { key, name } of parts) {
      const value = row[key] ?? null;
      if (value !== null) notes.keep(name, value);
      delete row[key];
    }
  };
}
