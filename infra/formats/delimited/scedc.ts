import { normaliseName } from "#contracts/seismic-event/input-names.ts";
import type { CellReader, RowFinisher } from "./row-notes.ts";

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
