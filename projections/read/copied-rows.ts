import { countsStored } from "#contracts/bulletin/counts.ts";
import type { Bulletin } from "#contracts/bulletin/quakeml.ts";
import { bulletinOfRow } from "#contracts/bulletin/row.ts";
import type { ColumnName } from "#contracts/http/events.ts";
import {
  ATTRIBUTE_NAMES,
  ATTRIBUTES,
  STRUCTURED_NAMES,
} from "#contracts/seismic-event/attributes.ts";
import { emptyRecord, type SeismicEventRecord } from "#contracts/seismic-event/seismic-event.ts";
import { type BulletinPiece, unpackBulletin } from "#infra/bulletins/packed-bulletin.ts";
import { BULLETIN_SHA256, type ExportRow, FIELD } from "#infra/formats/format-writer.ts";
import type { KeptBulletin } from "#infra/log/chunks.ts";
import type { TextRow } from "#infra/postgres/copy/copied.ts";

/*
 * Apart from the queries: the threads that only write what was copied need none of their libraries, some
 * 15 MiB in each.
 */

/** The fields of an export row. */
export const FIELD_NAMES = ["event_id", "time", ...ATTRIBUTE_NAMES, ...STRUCTURED_NAMES];
/** The fields of an export row, followed by its bulletin's hash and the digits of the time. */
export const EVENT_COLUMN_NAMES = [...FIELD_NAMES, "bulletin_sha256", "time_digits"];
export const EVENT_COLUMN_COUNT = EVENT_COLUMN_NAMES.length;

/** How COPY begins bytes, which it writes as hexadecimal digits. */
const COPIED_BYTES = "\\x";

const PART_BYTES = 2;
const LENGTH_BYTES = 4;

/** Converts a row copied with `EVENT_COLUMNS` to an export row, reusing its array. */
export function toExportRow(row: TextRow): ExportRow {
  const digits = row.pop();
  row[FIELD.time] = toIsoTime(row[FIELD.time] as string, Number(digits));
  const sha256 = row[BULLETIN_SHA256];
  // Rows of the event service have the time of their last change there, which is no such text.
  if (sha256?.startsWith(COPIED_BYTES)) row[BULLETIN_SHA256] = sha256.slice(COPIED_BYTES.length);
  return row;
}

const SECONDS_END = "2016-11-13 11:02:56".length;

/** PostgreSQL's text of a time in ISO 8601, with the submitted number of fractional digits. */
export function toIsoTime(text: string, digits: number): string {
  const seconds = `${text.slice(0, 10)}T${text.slice(11, SECONDS_END)}`;
  if (digits === 0) return `${seconds}Z`;
  const fraction = text[SECONDS_END] === "." ? text.slice(SECONDS_END + 1, text.indexOf("+")) : "";
  return `${seconds}.${fraction.padEnd(digits, "0")}Z`;
}

/** The JSON of an event with its bulletin, where it has one. @param event the JSON without it */
export function withBulletin(event: string, bulletin: Bulletin | null): string {
  return bulletin === null
    ? event
    : `${event.slice(0, -1)},"bulletin":${JSON.stringify(bulletin)}}`;
}

/** The same, with a bulletin as COPY writes it. @throws CorruptBulletin */
export function withCopiedBulletin(event: string, source: Buffer): string {
  return withBulletin(event, readCopiedBulletin(source.toString("latin1")));
}

/** The bulletin in a copied value of `bulletinColumn`. @throws CorruptBulletin */
export function readCopiedBulletin(text: string | null): Bulletin | null {
  if (text === null) return null;
  const bytes = Buffer.from(text.slice(COPIED_BYTES.length), "hex");
  const pieces: Pick<BulletinPiece, "part" | "bytes">[] = [];
  for (let from = 0; from < bytes.length; ) {
    const part = bytes.readInt16BE(from);
    const begin = from + PART_BYTES + LENGTH_BYTES;
    const end = begin + bytes.readInt32BE(from + PART_BYTES);
    pieces.push({ part, bytes: bytes.subarray(begin, end) });
    from = end;
  }
  return unpackBulletin(pieces);
}

/** What a row of read_model.seismic_events knows of its bulletin. */
export const KEPT_BULLETIN_COLUMNS = [
  "bulletin_sha256",
  "bulletin_revision",
  "bulletin_counts",
] as const;

/** KEPT_BULLETIN_COLUMNS of a copied row, which begin at `place`; null without a bulletin. */
export function readKeptBulletin(row: TextRow, place: number): KeptBulletin | null {
  const [sha256 = null, revision = null, counts = null] = row.slice(place);
  if (sha256 === null || revision === null || counts === null) return null;
  return {
    sha256: sha256.slice(COPIED_BYTES.length),
    revision: Number(revision),
    counts: countsStored(counts.slice(1, -1).split(",").map(Number)),
  };
}

/** Makes the values of rows copied as text those of an export row; the rows' arrays are reused. */
export function toColumnRow(columns: readonly ColumnName[]): (row: TextRow) => ExportRow {
  const time = columns.indexOf("time");
  return (row) => {
    const digits = row.pop();
    if (time >= 0) row[time] = toIsoTime(row[time] as string, Number(digits));
    return row;
  };
}

/** Reads records from copied rows of read_model.seismic_events with the given columns. */
export function createRecordReader(
  columns: readonly string[],
): (row: TextRow) => SeismicEventRecord {
  const time = columns.indexOf("time");
  const timeDigits = columns.indexOf("time_digits");
  const scalars = ATTRIBUTE_NAMES.map((name) => {
    const { kind } = ATTRIBUTES[name];
    const isNumber = kind === "number" || kind === "integer";
    return { name, isNumber, place: columns.indexOf(name) };
  });
  const structures = STRUCTURED_NAMES.flatMap((name) => {
    const place = columns.indexOf(name);
    return place === -1 ? [] : [{ name, place }];
  });

  return (row) => {
    const at = toIsoTime(row[time] as string, Number(row[timeDigits]));
    const record = emptyRecord({ time: at, latitude: 0, longitude: 0 });
    const values = record as Record<string, unknown>;
    for (const { name, isNumber, place } of scalars) {
      const text = row[place];
      if (text !== null && text !== undefined) values[name] = isNumber ? Number(text) : text;
    }
    for (const { name, place } of structures) {
      const text = row[place];
      if (text !== null && text !== undefined) values[name] = JSON.parse(text);
    }
    return record;
  };
}

/** An event's bulletin, made of its row where it has none. */
export type EventBulletin = { readonly id: string; readonly bulletin: Bulletin };

/** Reads rows copied as text with EVENT_COLUMNS and then a column of `bulletinColumn`. */
export function createEventBulletinReader(): (row: TextRow) => EventBulletin {
  const recordOf = createRecordReader(EVENT_COLUMN_NAMES);
  return (row) => {
    const id = row[0] as string;
    const bulletin = readCopiedBulletin(row[EVENT_COLUMN_NAMES.length] ?? null);
    return { id, bulletin: bulletin ?? bulletinOfRow({ id, ...recordOf(row) }) };
  };
}
