import { type ExportRow, FIELD } from "#infra/formats/format-writer.ts";
import type { TextRow } from "#infra/postgres/copy/text-copy.ts";

/** Converts a row copied with the columns of event-rows to an export row, reusing its array. */
export function toExportRow(row: TextRow): ExportRow {
  const digits = row.pop();
  row[FIELD.time] = isoTime(row[FIELD.time] as string, Number(digits));
  return row;
}

const SECONDS_END = "2016-11-13 11:02:56".length;

/** PostgreSQL's text of a time in ISO 8601, with the submitted number of fractional digits. */
export function isoTime(text: string, digits: number): string {
  const seconds = `${text.slice(0, 10)}T${text.slice(11, SECONDS_END)}`;
  if (digits === 0) return `${seconds}Z`;
  const fraction = text[SECONDS_END] === "." ? text.slice(SECONDS_END + 1, text.indexOf("+")) : "";
  return `${seconds}.${fraction.padEnd(digits, "0")}Z`;
}
