import { FIELD } from "../export-row.ts";
import type { ExportedCatalogue, FormatWriter } from "../format-writer.ts";
import { ANSWERED_FIELDS, createMembersWriter } from "./members-writer.ts";

/**
 * Writes `{catalogue, version, events}` with one event per line, each in the API's form: every
 * attribute, null if unknown, and `source_events` for merged events.
 */
export function createJsonWriter({ catalogue, version }: ExportedCatalogue): FormatWriter {
  const members = createMembersWriter(ANSWERED_FIELDS);
  let separator = "\n";

  return {
    begin: () => `{"catalogue":${JSON.stringify(catalogue)},"version":${version},"events":[`,
    row(row) {
      const sources = row[FIELD.source_events] ?? null;
      const last = sources === null ? "" : `,"source_events":${sources}`;
      const text = `${separator}{${members(row)}${last}}`;
      separator = ",\n";
      return text;
    },
    end: () => "\n]}\n",
  };
}
