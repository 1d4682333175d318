import { compactEventId } from "#contracts/seismic-event/event-id.ts";
import { timeToMilliseconds } from "#contracts/seismic-event/origin-time.ts";
import { flinnEngdahlRegion } from "../geography/flinn-engdahl.ts";
import { FACADE_FIELD, isDeleted, millisecondTime } from "./facade-row.ts";
import { type ExportRow, FIELD } from "./format-writer.ts";

/** What clients of the FDSN event service are told of an event that is not in its record as it is. */

/**
 * Ids that survive in every format, in an address and in a list with commas: visible ASCII without
 * comma, pipe and double quote, not beginning like a spreadsheet's formula or the guard before one.
 */
const PORTABLE_ID = /^(?![=+\-@'])[!#-+\--{}~]+$/;

/** `source_id` where every format can carry it, else our id as 32 hexadecimal digits. */
export function clientId(row: ExportRow): string {
  const sourceId = row[FIELD.source_id] ?? null;
  if (sourceId !== null && PORTABLE_ID.test(sourceId)) return sourceId;
  return compactEventId(row[FIELD.id] ?? "");
}

/** `region`; for an event without one its Flinn-Engdahl region. */
export function placeOf(row: ExportRow): string {
  return row[FIELD.region] ?? flinnEngdahlRegionOf(row);
}

export function flinnEngdahlRegionOf(row: ExportRow): string {
  return flinnEngdahlRegion(Number(row[FIELD.latitude]), Number(row[FIELD.longitude]));
}

/** USGS ComCat's review status, of a removed event `deleted`; null where neither status nor mode is known. */
export function reviewStatus(row: ExportRow): "automatic" | "reviewed" | "deleted" | null {
  const status = row[FIELD.evaluation_status] ?? null;
  const mode = row[FIELD.evaluation_mode] ?? null;
  if (status === "rejected" || isDeleted(row)) return "deleted";
  if (mode === "manual" || (status !== null && status !== "preliminary")) return "reviewed";
  return mode === null && status === null ? null : "automatic";
}

/** Milliseconds since 1970-01-01T00:00:00Z of a canonical time, rounded towards the past. */
export function epochMilliseconds(canonical: string): number {
  return timeToMilliseconds(millisecondTime(canonical));
}

export function hasBulletin(row: ExportRow): boolean {
  return (row[FACADE_FIELD.bulletin_sha256] ?? null) !== null;
}

/** When the version that last changed or removed the event was committed. */
export function updatedOf(row: ExportRow): string | null {
  return row[FACADE_FIELD.updated] ?? null;
}
