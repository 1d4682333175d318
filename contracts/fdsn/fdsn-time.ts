import { parseTime } from "../seismic-event/parse-time.ts";

/** A `+` that was not encoded is a blank after decoding. */
const OFFSET_AFTER_BLANK = / (?=\d\d:?\d\d$)/;

/**
 * The canonical form (`contracts/seismic-event/origin-time.ts`) of a time in a query; null for any
 * other text.
 *
 * The standard has `YYYY-MM-DDThh:mm:ss` with up to six fractional digits and `YYYY-MM-DD`, always UTC
 * (FDSN Web Service Specification 1.1, p. 6). Clients and published addresses also have a zone, a
 * blank for the `T`, no seconds, more digits, second 60 and 24:00:00.
 */
export function parseFdsnTime(text: string): string | null {
  return parseTime(text, "down") ?? parseTime(text.replace(OFFSET_AFTER_BLANK, "+"), "down");
}
