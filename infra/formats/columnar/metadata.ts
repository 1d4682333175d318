import type { ExportedCatalogue } from "../format-writer.ts";
import type { FileMetadata } from "./columnar-writer.ts";
import type { Extent } from "./points.ts";

/** The column of points, after the others; never null. */
export const GEOMETRY = "geometry";

/** What the JSON export tells of the catalogue, as a file's key-value metadata. */
export function catalogueMetadata({
  catalogue,
  version,
}: Pick<ExportedCatalogue, "catalogue" | "version">): FileMetadata {
  return [
    { key: "catalogue", value: JSON.stringify(catalogue) },
    { key: "version", value: String(version) },
  ];
}

/** The value of the key `geo` (GeoParquet 1.1, "Metadata"). Without `crs` it is OGC:CRS84. */
export function geoParquetMetadata({ types, bbox }: Extent): object {
  const column = { encoding: "WKB", geometry_types: types, ...(bbox && { bbox }) };
  return { version: "1.1.0", primary_column: GEOMETRY, columns: { [GEOMETRY]: column } };
}

/** Of the column of points (GeoArrow 0.2, "Extension types"). */
export const GEOARROW_METADATA: readonly (readonly [string, string])[] = [
  ["ARROW:extension:name", "geoarrow.wkb"],
  ["ARROW:extension:metadata", JSON.stringify({ crs: "OGC:CRS84", crs_type: "authority_code" })],
];
