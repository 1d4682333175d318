import { type ExportRow, FIELD } from "#infra/formats/export-row.ts";
import type { TextRow } from "#infra/postgres/text-copy.ts";

/** The export row of a row that was copied as event-rows names its columns; the row itself is used up. */
export function toExportRow(row: TextRow): ExportRow {
  const digits = row.pop();
  row[FIELD.time] = isoTime(row[FIELD.time] as string, Number(digits));
  return row;
}

const SECONDS_END = "2016-11-13 11:02:56".length;

/** PostgreSQL's text of a time, with the fractional digits that were given. */
export function isoTime(text: string, digits: number): string {
  const seconds = `${text.slice(0, 10)}T${text.slice(11, SECONDS_END)}`;
  if (digits === 0) return `${seconds}Z`;
  const fraction = text[SECONDS_END] === "." ? text.slice(SECONDS_END + 1, text.indexOf("+")) : "";
  return `${seconds}.${fraction.padEnd(digits, "0")}Z`;
}
