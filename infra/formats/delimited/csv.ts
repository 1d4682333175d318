import { ATTRIBUTES } from "#contracts/seismic-event/attributes.ts";
import { guardFormula } from "#contracts/text.ts";
import {
  EXPORT_FIELDS,
  type ExportField,
  type ExportRow,
  type FormatWriter,
} from "../format-writer.ts";

const LINE_END = "\r\n";
/** Includes blanks at either end, because readers drop unquoted ones. */
const NEEDS_QUOTES = /[",\r\n]|^\s|\s$/;

type Writing = "plain" | "text" | "json";

const WRITINGS: readonly Writing[] = EXPORT_FIELDS.map(writingOf);

/**
 * Writes CSV (RFC 4180, with CRLF): a header of canonical names, then one record per event with
 * empty fields for unknown values. Texts that a spreadsheet would run as formulas get a leading `'`,
 * which `/api/upload` removes. Nothing of an event is lost.
 */
export function createCsvWriter(): FormatWriter {
  return { begin: () => CSV_HEADER, row: csvRecord, end: () => "" };
}

export const CSV_HEADER = EXPORT_FIELDS.join(",") + LINE_END;

export function csvRecord(row: ExportRow): string {
  let record = "";
  for (let i = 0; i < WRITINGS.length; i++) {
    if (i > 0) record += ",";
    const value = row[i];
    if (value === null || value === undefined) continue;
    const writing = WRITINGS[i];
    if (writing === "plain") record += value;
    else record += quoteField(writing === "text" ? guardFormula(value) : value);
  }
  return record + LINE_END;
}

export function quoteField(text: string): string {
  return NEEDS_QUOTES.test(text) ? quoted(text) : text;
}

export function quoted(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}

/** Numbers, times, our ids and enumerations never need quotes. */
function writingOf(field: ExportField): Writing {
  switch (field) {
    case "id":
    case "time":
      return "plain";
    case "focal_mechanisms":
    case "extra":
    case "source_events":
      return "json";
    default:
      return ATTRIBUTES[field].kind === "text" ? "text" : "plain";
  }
}
