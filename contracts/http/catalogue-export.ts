import { z } from "zod";
import { asOf, filteredQuery, filterShape, orderBy } from "../query/filter-parameters.ts";
import { CatalogueParams } from "./catalogue.ts";
import { operation } from "./operation.ts";

/** The export formats with media type and file extension. */
export const EXPORT_FORMATS = {
  csv: { contentType: "text/csv; charset=utf-8; header=present", extension: "csv" },
  json: { contentType: "application/json; charset=utf-8", extension: "json" },
  geojson: { contentType: "application/geo+json", extension: "geojson" },
  kml: { contentType: "application/vnd.google-earth.kml+xml", extension: "kml" },
  quakeml: { contentType: "application/xml", extension: "xml" },
  text: { contentType: "text/plain; charset=utf-8", extension: "txt" },
  parquet: { contentType: "application/vnd.apache.parquet", extension: "parquet" },
  arrow: { contentType: "application/vnd.apache.arrow.stream", extension: "arrows" },
} as const;

export type ExportFormat = keyof typeof EXPORT_FORMATS;

const FORMAT_NAMES = Object.keys(EXPORT_FORMATS) as [ExportFormat, ...ExportFormat[]];

export const ExportQuery = filteredQuery({
  format: z
    .enum(FORMAT_NAMES)
    .optional()
    .describe("without it the media type of Accept decides; default csv"),
  ...filterShape,
  orderBy,
  asOf,
});

export const exportCatalogue = operation({
  method: "GET",
  path: "/api/catalogues/:id/export",
  summary: "All events of a catalogue, or those that satisfy all filters, as a file",
  tag: "Catalogues",
  access: "viewer",
  alsoAt: [{ path: "/api/share/:token/export", access: "share", suffix: "Shared" }],
  rate: "read",
  caching: "revalidated",
  params: CatalogueParams,
  query: ExportQuery,
  success: {
    status: 200,
    schema: z.string().describe("the file"),
    contentTypes: Object.values(EXPORT_FORMATS).map(({ contentType }) => contentType),
  },
  errors: ["VALIDATION_ERROR", "NOT_FOUND"],
});
