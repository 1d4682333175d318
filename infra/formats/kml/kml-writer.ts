import { ATTRIBUTES, type Attribute } from "#contracts/seismic-event/attributes.ts";
import {
  EXPORT_FIELDS,
  type ExportedCatalogue,
  type ExportField,
  type ExportRow,
  FIELD,
  type FormatWriter,
} from "../format-writer.ts";
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

/** Text that needs no escape in XML: no markup, no carriage return, nothing beyond 16 bits. */
const PLAIN = /^[\t\n -%'-;=?-\ud7ff\ue000-\ufffd]*$/;

/** What XML 1.0 cannot express: most control characters, two non-characters, lone surrogates. */
const UNWRITABLE = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;

/**
 * Writes KML 2.2 (OGC 07-147r2) with one Placemark per line: coloured by depth, sized by magnitude,
 * every attribute as typed data. Points lie on the ground, as in USGS's KML, because viewers show
 * nothing below it. Characters that XML cannot express are replaced, since KML is for viewing.
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

/** A title in USGS's style: one decimal, a question mark for an unknown magnitude. */
function titleOf(magnitude: string | null, region: string | null): string {
  const size = magnitude === null ? "M ?" : `M ${Number(magnitude).toFixed(1)}`;
  return region === null ? size : `${size} - ${region}`;
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

/** An element's text; characters that XML cannot express become U+FFFD, the replacement character. */
function xmlText(text: string): string {
  if (PLAIN.test(text)) return text;
  return text
    .replace(UNWRITABLE, "\ufffd")
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll("\r", "&#13;");
}
