import { guardFormula } from "#contracts/formula-guard.ts";
import { isJsonObject } from "#contracts/seismic-event/seismic-event.ts";
import { quoted, quoteField } from "../delimited/csv-writer.ts";
import { clientId, placeOf, reviewStatus, updatedOf } from "../facade-event.ts";
import { millisecondTime } from "../facade-row.ts";
import { type ExportRow, FIELD, type FormatWriter } from "../format-writer.ts";
import { MAGNITUDE_AGENCY } from "../quakeml/shared/extra-members.ts";

const HEADER =
  "time,latitude,longitude,depth,mag,magType,nst,gap,dmin,rms,net,id,updated,place,type," +
  "horizontalError,depthError,magError,magNst,status,locationSource,magSource\n";

/**
 * Writes USGS ComCat's CSV: its 22 columns, times with milliseconds, kilometres, `place` always quoted, other
 * texts where RFC 4180 asks for it. A text that a spreadsheet would run as a formula gets a leading `'`.
 */
export function createComcatCsvWriter(): FormatWriter {
  return { begin: () => HEADER, row: recordOf, end: () => "" };
}

function recordOf(row: ExportRow): string {
  const agency = textCell(row[FIELD.agency_id]);
  return (
    `${millisecondTime(row[FIELD.time] ?? "")},${row[FIELD.latitude]},${row[FIELD.longitude]},` +
    `${cell(row, FIELD.depth)},${cell(row, FIELD.magnitude)},` +
    `${textCell(row[FIELD.magnitude_type])},${cell(row, FIELD.used_station_count)},` +
    `${cell(row, FIELD.azimuthal_gap)},${cell(row, FIELD.minimum_distance)},` +
    `${cell(row, FIELD.standard_error)},${agency},${clientId(row)},` +
    `${updatedCell(row)},${quoted(guardFormula(placeOf(row)))},${cell(row, FIELD.event_type)},` +
    `${cell(row, FIELD.horizontal_uncertainty)},${cell(row, FIELD.depth_uncertainty)},` +
    `${cell(row, FIELD.magnitude_uncertainty)},${cell(row, FIELD.magnitude_station_count)},` +
    `${reviewStatus(row) ?? ""},${agency},${textCell(magnitudeAgency(row))}\n`
  );
}

function updatedCell(row: ExportRow): string {
  const updated = updatedOf(row);
  return updated === null ? "" : millisecondTime(updated);
}

/** Kept by the reader of QuakeML; else unknown, since an agency may take another's magnitude. */
function magnitudeAgency(row: ExportRow): string | null {
  const extra = row[FIELD.extra] ?? null;
  if (extra?.includes(MAGNITUDE_AGENCY) !== true) return null;
  const members: unknown = JSON.parse(extra);
  const agency = isJsonObject(members) ? members[MAGNITUDE_AGENCY] : null;
  return typeof agency === "string" ? agency : null;
}

function cell(row: ExportRow, field: number): string {
  return row[field] ?? "";
}

function textCell(text: string | null | undefined): string {
  if (text === null || text === undefined) return "";
  return quoteField(guardFormula(text));
}
