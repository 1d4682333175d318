import { type CitedCatalogue, type ExportRow, FIELD, type FormatWriter } from "../format-writer.ts";

/** The columns of FDSN text (FDSN Event Web Service 1.2). */
export const FDSN_COLUMNS =
  "EventID Time Latitude Longitude Depth/km Author Catalog Contributor ContributorID MagType Magnitude MagAuthor EventLocationName EventType".split(
    " ",
  );

/** The delimiter, line ends of any kind, and NUL, which ends strings in C. */
const UNWRITABLE = /[|\r\n\v\f\0\u0085\u2028\u2029]+/g;

/** What an event is called in its line. */
type Naming = {
  /** EventID. */
  readonly idOf: (row: ExportRow) => string;
  /** EventLocationName; "" for none. */
  readonly placeOf: (row: ExportRow) => string;
};

const AS_STORED: Naming = {
  idOf: (row) => textOf(row, FIELD.source_id) || textOf(row, FIELD.id),
  placeOf: (row) => row[FIELD.region] ?? "",
};

/**
 * Writes the text format of the FDSN Event Web Service 1.2: 14 columns, unknown values empty, times
 * without a zone as agencies write them.
 *
 * EventID and ContributorID are the `source_id`; without one, EventID is our `id`. Author is
 * `author`, Catalog the catalogue's name, Contributor `agency_id`. MagAuthor stays empty, since it
 * is unknown. The format has no quoting: delimiters and line ends in texts become blanks, blanks
 * around texts are lost, and so are attributes without a column.
 */
export function createFdsnTextWriter(
  { catalogue }: { readonly catalogue: Pick<CitedCatalogue, "name"> },
  naming: Naming = AS_STORED,
): FormatWriter {
  const name = cleanText(catalogue.name);
  return {
    begin: () => `#${FDSN_COLUMNS.join("|")}\n`,
    row: (row) => lineOf(row, name, naming),
    end: () => "",
  };
}

function lineOf(row: ExportRow, catalogue: string, { idOf, placeOf }: Naming): string {
  const sourceId = textOf(row, FIELD.source_id);
  const time = row[FIELD.time] ?? "";
  return (
    `${idOf(row)}|` +
    `${time.endsWith("Z") ? time.slice(0, -1) : time}|` +
    `${row[FIELD.latitude] ?? ""}|${row[FIELD.longitude] ?? ""}|${row[FIELD.depth] ?? ""}|` +
    `${textOf(row, FIELD.author)}|${catalogue}|${textOf(row, FIELD.agency_id)}|${sourceId}|` +
    `${textOf(row, FIELD.magnitude_type)}|${row[FIELD.magnitude] ?? ""}||` +
    `${cleanText(placeOf(row))}|${row[FIELD.event_type] ?? ""}\n`
  );
}

function textOf(row: ExportRow, field: number): string {
  const text = row[field];
  return text === null || text === undefined ? "" : cleanText(text);
}

/** Text as a cell can hold it. */
export function cleanText(text: string): string {
  return text.replace(UNWRITABLE, " ").trim();
}

/**
 * The form of a name by which it is compared with what lists show of it: they cannot hold bars and line ends, and
 * readers of theirs take several blanks for one.
 */
export function listedName(name: string): string {
  return cleanText(name).replaceAll(/\s+/g, " ").toLowerCase();
}
