import { FIELD } from "../export-row.ts";
import type { ExportedCatalogue, FormatWriter } from "../format-writer.ts";
import { ANSWERED_FIELDS, createMembersWriter } from "./members-writer.ts";

/**
 * Writes `{catalogue, version, events}` (contract §9), an event on each line and each as the API
 * answers it: every attribute, null where it is not known, and `source_events` of merged events.
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
