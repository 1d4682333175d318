import { countsStored } from "#contracts/bulletin/counts.ts";
import type { Bulletin } from "#contracts/bulletin/quakeml.ts";
import { type BulletinPiece, unpackBulletin } from "#infra/bulletins/packed-bulletin.ts";
import { BULLETIN_SHA256, type ExportRow, FIELD } from "#infra/formats/format-writer.ts";
import type { KeptBulletin } from "#infra/log/chunks.ts";
import type { TextRow } from "#infra/postgres/copy/copy-out.ts";

/*
 * Apart from the queries: the threads that only write what was copied need none of their libraries, some
 * 15 MiB in each.
 */

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
