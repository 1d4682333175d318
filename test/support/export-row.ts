import type { SeismicEvent } from "#contracts/seismic-event/seismic-event.ts";
import { EXPORT_FIELDS, type ExportRow } from "#infra/formats/format-writer.ts";

/** The row of an event given as an object. */
export function exportRowOf(event: SeismicEvent): ExportRow {
  return EXPORT_FIELDS.map((name) => {
    const value = event[name];
    if (value === null || value === undefined) return null;
    return typeof value === "object" ? JSON.stringify(value) : String(value);
  });
}
