import type { FormatReader, RowSink } from "../format-reader.ts";
import { createDocumentReader } from "./document-reader.ts";
import { ROWS, WHOLE } from "./reading/type-plans.ts";

export type QuakemlOptions = {
  /** True for an agency's answer: the importer itself handles a lack of events and repeated ids. */
  readonly isAnswer?: boolean;
  /** True to read events whole: rows come with bulletins, and elements are counted. */
  readonly bulletins?: boolean;
};

/**
 * A reader of QuakeML 1.0, 1.1, 1.2 and its real-time variant in any namespace: one row per event,
 * from its preferred origin and magnitude, with depth and uncertainties in kilometres. Rows have
 * canonical names; the full public id, creation time, version and the members in `extra-members.ts`
 * are under `extra`. In the real-time variant events whose objects stand beside them come in the steps of the
 * end, as in SCML, and take as much memory until then. With `bulletins`, a row comes with all that the document says of the event, unless
 * our own writer made the event of a row alone; else all but what is in the row is skipped.
 *
 * An event without origin, time, latitude or longitude is an error at the line of its start tag.
 * Malformed or truncated XML, a DOCTYPE, nesting beyond 64 levels and a single text of more than 4
 * Mi characters end the reading with an error; earlier events are rows.
 */
export function createQuakemlReader(
  sink: RowSink,
  { isAnswer = false, bulletins = false }: QuakemlOptions = {},
): FormatReader {
  const document = bulletins ? WHOLE : ROWS;
  return createDocumentReader(sink, { format: "quakeml", document, isAnswer, bulletins });
}
