import { z } from "zod";
import {
  asOf,
  filteredQuery,
  filterShape,
  includedBulletin,
  nameIn,
  orderBy,
} from "../query/parameters.ts";
import { COUNTED_OBJECTS } from "../seismic-event/bulletin-objects.ts";
import { operation, sharedAt } from "./operation.ts";

/** The export formats with media type and file extension. */
export const EXPORT_FORMATS = {
  csv: { contentType: "text/csv; charset=utf-8; header=present", extension: "csv" },
  json: { contentType: "application/json; charset=utf-8", extension: "json" },
  geojson: { contentType: "application/geo+json", extension: "geojson" },
  kml: { contentType: "application/vnd.google-earth.kml+xml", extension: "kml" },
  quakeml: { contentType: "application/xml", extension: "xml" },
  isf: { contentType: "text/plain; charset=utf-8", extension: "isf" },
  // After ISF, since it is what text/plain alone asks for.
  text: { contentType: "text/plain; charset=utf-8", extension: "txt" },
  parquet: { contentType: "application/vnd.apache.parquet", extension: "parquet" },
  arrow: { contentType: "application/vnd.apache.arrow.stream", extension: "arrows" },
} as const;

export type ExportFormat = keyof typeof EXPORT_FORMATS;

/** The formats in which tables of bulletins are. */
export const TABLE_FORMATS = ["csv", "json", "parquet", "arrow"] as const satisfies ExportFormat[];

const ExportTable = z.enum(["events", ...COUNTED_OBJECTS]);
export type ExportTable = z.output<typeof ExportTable>;

/** How much QuakeML tells, the default first: whole events, or what their rows show. */
const QuakemlDetail = z.enum(["full", "summary"]);
/** How QuakeML has what its schema refuses, the default first: marked, or as it was given. */
export const QuakemlForm = z.enum(["valid", "given"]);
export type QuakemlForm = z.output<typeof QuakemlForm>;

export const ExportQuery = filteredQuery({
  format: nameIn(EXPORT_FORMATS)
    .optional()
    .describe("without it the media type of Accept decides; default csv"),
  table: ExportTable.optional().describe(
    `in ${TABLE_FORMATS.join(", ")}: a row for each event, or for each object of that kind in the events' bulletins; default events`,
  ),
  include: includedBulletin.describe(
    "of json: adds the bulletin of each event that has one; it does not change hashes",
  ),
  detail: QuakemlDetail.optional().describe(
    "of quakeml: full, with all that is known of each event (default), or summary, what its row shows",
  ),
  form: QuakemlForm.optional().describe(
    "of quakeml in full: valid by the schema, with our marks on what it refuses (default), or as given",
  ),
  ...filterShape,
  orderBy,
  asOf,
});

export const exportCatalogue = operation("GET", "/api/catalogues/:id/export", {
  summary: "All events of a catalogue, or those that satisfy all filters, as a file",
  access: "viewer",
  alsoAt: sharedAt("/export"),
  caching: "revalidated",
  query: ExportQuery,
  answer: z.string().describe("the file"),
  contentTypes: [...new Set(Object.values(EXPORT_FORMATS).map((format) => format.contentType))],
});
