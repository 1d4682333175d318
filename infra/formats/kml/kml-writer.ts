import { ATTRIBUTES, type Attribute } from "#contracts/seismic-event/attributes.ts";
import {
  EXPORT_FIELDS,
  type ExportedCatalogue,
  type ExportField,
  type ExportRow,
  FIELD,
  type FormatWriter,
} from "../format-writer.ts";
import { metadataText } from "../metadata-text.ts";
import { xmlText } from "../xml/xml-text.ts";
import { kmlStyles, styleUrl } from "./kml-styles.ts";

const KML_TYPES = {
  number: "double",
  integer: "int",
  text: "string",
  enumeration: "string",
} as const;

const FIELDS = EXPORT_FIELDS.map((name) => ({
  index: FIELD[name],
  head: `<SimpleData name="${name}">`,
  isNumber: typeOf(name) !== "string",
}));

/**
 * Writes KML 2.2 (OGC 07-147r2) with one Placemark per line: coloured by depth, sized by magnitude,
 * every attribute as typed data. Points lie on the ground, as in USGS's KML, because viewers show
 * nothing below it. Characters that XML cannot express are replaced, since KML is for viewing.
 * @param placeOf the place in an event's title; null for none
 */
export function createKmlWriter(
  { catalogue, version, exportedAt }: ExportedCatalogue,
  placeOf: (row: ExportRow) => string | null = regionOf,
): FormatWriter {
  return {
    begin: () =>
      '<?xml version="1.0" encoding="UTF-8"?>\n' +
      '<kml xmlns="http://www.opengis.net/kml/2.2">\n' +
      `<Document><name>${xmlText(catalogue.name)}</name>\n` +
      `<description>version ${version}, exported ${exportedAt}${describe(catalogue)}</description>\n` +
      `${kmlStyles()}${kmlSchema()}`,
    row: (row) => placemark(row, placeOf(row)),
    end: () => "</Document>\n</kml>\n",
  };
}

function describe({ metadata }: ExportedCatalogue["catalogue"]): string {
  return metadata === null ? "" : `\n${xmlText(metadataText(metadata))}`;
}

function regionOf(row: ExportRow): string | null {
  return row[FIELD.region] ?? null;
}

function placemark(row: ExportRow, place: string | null): string {
  const magnitude = row[FIELD.magnitude] ?? null;
  const depth = row[FIELD.depth] ?? null;
  return (
    `<Placemark><name>${xmlText(titleOf(magnitude, place))}</name>` +
    `<TimeStamp><when>${row[FIELD.time]}</when></TimeStamp>` +
    `<styleUrl>${styleUrl(depth, magnitude)}</styleUrl>` +
    `${kmlData(row)}<Point><altitudeMode>clampToGround</altitudeMode>` +
    `<coordinates>${row[FIELD.longitude]},${row[FIELD.latitude]},0</coordinates></Point></Placemark>\n`
  );
}

/** A title in USGS's style: one decimal, a question mark for an unknown magnitude. */
function titleOf(magnitude: string | null, place: string | null): string {
  const size = magnitude === null ? "M ?" : `M ${Number(magnitude).toFixed(1)}`;
  return place === null ? size : `${size} - ${place}`;
}

/** Declares the fields, so that geographic software knows which are numeric. */
function kmlSchema(): string {
  const fields = EXPORT_FIELDS.map(
    (name) => `<SimpleField type="${typeOf(name)}" name="${name}"></SimpleField>\n`,
  );
  return `<Schema name="event" id="event">\n${fields.join("")}</Schema>\n`;
}

/** All known fields of an event; structures as JSON text. */
function kmlData(row: ExportRow): string {
  let text = '<ExtendedData><SchemaData schemaUrl="#event">';
  for (const { index, head, isNumber } of FIELDS) {
    const value = row[index] ?? null;
    if (value !== null) text += `${head}${isNumber ? value : xmlText(value)}</SimpleData>`;
  }
  return `${text}</SchemaData></ExtendedData>`;
}

function typeOf(name: ExportField): string {
  if (!(name in ATTRIBUTES)) return "string";
  const { kind }: Attribute = ATTRIBUTES[name as keyof typeof ATTRIBUTES];
  return KML_TYPES[kind];
}
