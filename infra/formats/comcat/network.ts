import { type ExportRow, FIELD } from "../format-writer.ts";

/**
 * What an event's id begins with of its agency's name, in any case: `us` of `us7000abcd` by US. ComCat's ids
 * are network and code; where an agency's are not, this is "" and the whole id is the code.
 */
export function networkOf(row: ExportRow, id: string): string {
  const agency = row[FIELD.agency_id] ?? "";
  if (agency === "" || agency.length >= id.length) return "";
  const start = id.slice(0, agency.length);
  return start.toLowerCase() === agency.toLowerCase() ? start : "";
}
