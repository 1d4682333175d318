import type { Inclusion } from "#contracts/fdsn/query.ts";
import { compactEventId } from "#contracts/seismic-event/ids.ts";
import { timeToMilliseconds } from "#contracts/seismic-event/time.ts";
import { flinnEngdahlRegion } from "../geography/flinn-engdahl.ts";
import {
  type CitedCatalogue,
  EXPORT_FIELDS,
  type ExportedCatalogue,
  type ExportRow,
  FIELD,
  type FormatWriter,
} from "./format-writer.ts";

/** The version of the FDSN Web Service Specification for events that the service implements. */
export const FDSN_VERSION = "1.2.0";

/**
 * The fields of an event for clients of the FDSN event service: those of an export, then
 * - `bulletin_sha256`: the hash of the event's bulletin; null for none;
 * - `updated`: when the version that last changed the event was committed, ISO 8601 UTC;
 * - `members`: where all origins or magnitudes are asked for, the members of a merged event: JSON text
 *   of a list of events as the API answers them, each with `chosen` as in `source_events`. Else null;
 * - `matched`: where any magnitude is meant, the place in its bulletin of that by which the event was
 *   found, from 0. Else null;
 * - `deleted`: a text where a version has removed the event and the row is its last. Else null.
 */
export const FACADE_FIELDS = [
  ...EXPORT_FIELDS,
  "bulletin_sha256",
  "updated",
  "members",
  "matched",
  "deleted",
] as const;

/** The index of each field that only these rows have. */
export const FACADE_FIELD = {
  bulletin_sha256: FACADE_FIELDS.indexOf("bulletin_sha256"),
  updated: FACADE_FIELDS.indexOf("updated"),
  members: FACADE_FIELDS.indexOf("members"),
  matched: FACADE_FIELDS.indexOf("matched"),
  deleted: FACADE_FIELDS.indexOf("deleted"),
} as const;

/** An answer of the event service, for its head and its links; `exportedAt` is when it was made. */
export type FacadeAnswer = ExportedCatalogue<CitedCatalogue> & {
  /** Base address of the event service: `https://host/api/catalogues/<id>/fdsnws/event/1`. */
  readonly service: string;
  /** Address of the catalogue; that of an event is `<address>/events/<id>`. */
  readonly address: string;
  /** The whole address that was asked for. */
  readonly request: string;
  readonly title: string;
  /** Number of its events. */
  readonly count: number;
  /** Number of all events that match, whatever limit and offset; absent where nothing tells of it. */
  readonly total?: number;
  /** As asked for; null without a limit. */
  readonly limit: number | null;
  /** Of the first event, from 1. */
  readonly offset: number;
  /** Whether QuakeML has the origins of a merged event's members too. */
  readonly allOrigins: boolean;
  /** Whether QuakeML has the magnitudes of a merged event's members too. */
  readonly allMagnitudes: boolean;
  /** What QuakeML has of the events' bulletins; null where it is made of rows alone. */
  readonly inclusion: Inclusion | null;
};

const WHOLE_SECONDS = "2016-11-13T11:02:56".length;
const MILLISECONDS = WHOLE_SECONDS + 4;
const MICROSECONDS = WHOLE_SECONDS + 7;

/**
 * A canonical time with 0, 3 or 6 fractional digits: Python before 3.11 and Julia read no others.
 * Zeros are added, no digit is lost.
 */
export function paddedTime(canonical: string): string {
  const length = canonical.length - 1;
  if (length === WHOLE_SECONDS || length === MILLISECONDS || length === MICROSECONDS) {
    return canonical;
  }
  const digits = length < MILLISECONDS ? MILLISECONDS : MICROSECONDS;
  return `${canonical.slice(0, -1).padEnd(digits, "0")}Z`;
}

/** A canonical time with 3 fractional digits; further ones are cut off, towards the past. */
export function millisecondTime(canonical: string): string {
  const end = canonical.length - 1;
  if (end >= MILLISECONDS) return `${canonical.slice(0, MILLISECONDS)}Z`;
  const text = canonical.slice(0, end);
  return `${(end === WHOLE_SECONDS ? `${text}.` : text).padEnd(MILLISECONDS, "0")}Z`;
}

export function withPaddedTime(row: ExportRow): ExportRow {
  const time = row[FIELD.time] ?? "";
  const padded = paddedTime(time);
  return padded === time ? row : row.with(FIELD.time, padded);
}

export function withPaddedTimes(writer: FormatWriter): FormatWriter {
  return { ...writer, row: (row) => writer.row(withPaddedTime(row)) };
}

export function isDeleted(row: ExportRow): boolean {
  return (row[FACADE_FIELD.deleted] ?? null) !== null;
}

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
