import { ATTRIBUTE_NAMES, STRUCTURED_NAMES } from "#contracts/seismic-event/attributes.ts";
import type { SeismicEvent } from "#contracts/seismic-event/seismic-event.ts";

/**
 * One event on its way out, a field per name of EXPORT_FIELDS: every attribute as text, null where it
 * is not known. Numbers are decimal texts that parse to the very same number (`5.2`, `1e-07`), the time
 * is canonical (ISO 8601 UTC, digits as given), structures are JSON texts. PostgreSQL hands rows over
 * like this, and most writers pass the texts on: parsing and printing a million numbers costs seconds.
 */
export type ExportRow = readonly (string | null)[];

export const EXPORT_FIELDS = ["id", "time", ...ATTRIBUTE_NAMES, ...STRUCTURED_NAMES] as const;
export type ExportField = (typeof EXPORT_FIELDS)[number];

/** The place of each field in a row. */
export const FIELD = Object.fromEntries(
  EXPORT_FIELDS.map((name, index) => [name, index]),
) as Readonly<Record<ExportField, number>>;

/** The row of an event that is at hand as an object. */
export function exportRowOf(event: SeismicEvent): ExportRow {
  return EXPORT_FIELDS.map((name) => {
    const value = event[name];
    if (value === null || value === undefined) return null;
    return typeof value === "object" ? JSON.stringify(value) : String(value);
  });
}
