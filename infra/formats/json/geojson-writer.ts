import { opposite, shiftDecimal } from "../decimal-number.ts";
import {
  type ExportedCatalogue,
  type ExportRow,
  FIELD,
  type FormatWriter,
} from "../format-writer.ts";
import { ANSWERED_FIELDS, createMembersWriter, jsonString } from "./json-writer.ts";
import { createListWriter } from "./list-writer.ts";

/** All fields but the id, which is the Feature's. */
const PROPERTIES = ANSWERED_FIELDS.filter((name) => name !== "id");

/**
 * Writes a FeatureCollection (RFC 7946) with one Feature per line. A Feature's id is the event's;
 * its point includes the height above the ellipsoid in metres (−1000 · depth) if the depth is known;
 * its properties are all attributes, with the depth in kilometres. Catalogue and version are foreign
 * members of the collection.
 */
export function createGeojsonWriter({ catalogue, version }: ExportedCatalogue): FormatWriter {
  return createListWriter(
    `{"type":"FeatureCollection","catalogue":${JSON.stringify(catalogue)},"version":${version},"features":[`,
    (row) => featureOf(row),
  );
}

const propertiesOf = createMembersWriter(PROPERTIES);

/**
 * The Feature of an event.
 * @param further members at its end, each after a comma
 * @param property further properties, each after a comma
 */
export function featureOf(row: ExportRow, further = "", property = ""): string {
  const depth = row[FIELD.depth] ?? null;
  // Metres above the surface from kilometres below it, without changing any digit.
  const height = depth === null ? "" : `,${opposite(shiftDecimal(depth, 3) ?? "0")}`;
  const sources = row[FIELD.source_events] ?? null;
  const last = sources === null ? "" : `,"source_events":${sources}`;
  return (
    `{"type":"Feature","id":${jsonString(row[FIELD.id] ?? "")},` +
    `"geometry":{"type":"Point","coordinates":[${row[FIELD.longitude]},${row[FIELD.latitude]}${height}]},` +
    `"properties":{${propertiesOf(row)}${last}${property}}${further}}`
  );
}
