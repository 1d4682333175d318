import { ATTRIBUTES, type Attribute } from "#contracts/seismic-event/attributes.ts";
import {
  type CitedCatalogue,
  EXPORT_FIELDS,
  type ExportedCatalogue,
  type ExportField,
  type ExportRow,
  FIELD,
  type FormatWriter,
  metadataText,
} from "../format-writer.ts";
import { xmlText } from "../xml/xml.ts";

/** USGS's depth classes, up to and including `maxKm`. Colours are `aabbggrr`, warm above. */
const DEPTH_CLASSES = [
  { name: "35", maxKm: 35, colour: "ff0000ff" },
  { name: "70", maxKm: 70, colour: "ff0080ff" },
  { name: "150", maxKm: 150, colour: "ff00ffff" },
  { name: "300", maxKm: 300, colour: "ff00ff00" },
  { name: "500", maxKm: 500, colour: "ffff8000" },
  { name: "deeper", maxKm: Number.POSITIVE_INFINITY, colour: "ffff0000" },
] as const;

const UNKNOWN_DEPTH = { name: "unknown", colour: "ffc0c0c0" } as const;

const MAX_SIZE = 8;
const SMALLEST_ICON = 0.3;
const ICON_PER_MAGNITUDE = 0.2;
const ICON = "http://maps.google.com/mapfiles/kml/shapes/shaded_dot.png";

/** All styles that `styleUrl` refers to: a colour per depth class, a size per whole magnitude. */
function kmlStyles(): string {
  let text = "";
  for (const { name, colour } of [...DEPTH_CLASSES, UNKNOWN_DEPTH]) {
    for (let size = 0; size <= MAX_SIZE; size++) {
      const scale = (SMALLEST_ICON + ICON_PER_MAGNITUDE * size).toFixed(1);
      text +=
        `<Style id="depth-${name}-size-${size}"><IconStyle><color>${colour}</color>` +
        `<scale>${scale}</scale><Icon><href>${ICON}</href></Icon></IconStyle>` +
        "<LabelStyle><scale>0</scale></LabelStyle></Style>\n";
    }
  }
  return text;
}

/** The style for a depth in kilometres and a magnitude, as decimal texts or null. */
function styleUrl(depth: string | null, magnitude: string | null): string {
  const size =
    magnitude === null ? 0 : Math.min(MAX_SIZE, Math.max(0, Math.floor(Number(magnitude))));
  return `#depth-${depthClass(depth)}-size-${size}`;
}

function depthClass(depth: string | null): string {
  if (depth === null) return UNKNOWN_DEPTH.name;
  const km = Number(depth);
  return DEPTH_CLASSES.find(({ maxKm }) => km <= maxKm)?.name ?? UNKNOWN_DEPTH.name;
}

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
  { catalogue, version, exportedAt }: ExportedCatalogue<CitedCatalogue>,
  placeOf: (row: ExportRow) => string | null = (row) => row[FIELD.region] ?? null,
): FormatWriter {
  const { metadata } = catalogue;
  const described = metadata === null ? "" : `\n${xmlText(metadataText(metadata))}`;
  return {
    begin: () =>
      '<?xml version="1.0" encoding="UTF-8"?>\n' +
      '<kml xmlns="http://www.opengis.net/kml/2.2">\n' +
      `<Document><name>${xmlText(catalogue.name)}</name>\n` +
      `<description>version ${version}, exported ${exportedAt}${described}</description>\n` +
      `${kmlStyles()}${kmlSchema()}`,
    row: (row) => placemark(row, placeOf(row)),
    end: () => "</Document>\n</kml>\n",
  };
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
