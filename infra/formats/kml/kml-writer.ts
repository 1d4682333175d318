import { type ExportRow, FIELD } from "../export-row.ts";
import type { ExportedCatalogue, FormatWriter } from "../format-writer.ts";
import { kmlData, kmlSchema } from "./kml-fields.ts";
import { kmlStyles, styleUrl } from "./kml-styles.ts";
import { xmlText } from "./xml-text.ts";

/**
 * Writes KML 2.2 (OGC 07-147r2), a Placemark on each line: coloured by depth, sized by magnitude,
 * every attribute as typed data. Points lie on the ground, as in USGS's KML, because viewers do not
 * show what is below it. Characters that XML cannot hold are replaced: KML is for looking at.
 */
export function createKmlWriter({
  catalogue,
  version,
  exportedAt,
}: ExportedCatalogue): FormatWriter {
  return {
    begin: () =>
      '<?xml version="1.0" encoding="UTF-8"?>\n' +
      '<kml xmlns="http://www.opengis.net/kml/2.2">\n' +
      `<Document><name>${xmlText(catalogue.name)}</name>\n` +
      `<description>version ${version}, exported ${exportedAt}</description>\n` +
      `${kmlStyles()}${kmlSchema()}`,
    row: placemark,
    end: () => "</Document>\n</kml>\n",
  };
}

function placemark(row: ExportRow): string {
  const magnitude = row[FIELD.magnitude] ?? null;
  const depth = row[FIELD.depth] ?? null;
  return (
    `<Placemark><name>${xmlText(titleOf(magnitude, row[FIELD.region] ?? null))}</name>` +
    `<TimeStamp><when>${row[FIELD.time]}</when></TimeStamp>` +
    `<styleUrl>${styleUrl(depth, magnitude)}</styleUrl>` +
    `${kmlData(row)}<Point><altitudeMode>clampToGround</altitudeMode>` +
    `<coordinates>${row[FIELD.longitude]},${row[FIELD.latitude]},0</coordinates></Point></Placemark>\n`
  );
}

/** As USGS titles events: one decimal, a question mark where there is no magnitude. */
function titleOf(magnitude: string | null, region: string | null): string {
  const size = magnitude === null ? "M ?" : `M ${Number(magnitude).toFixed(1)}`;
  return region === null ? size : `${size} - ${region}`;
}
