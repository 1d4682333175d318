import { ATTRIBUTES, type Attribute } from "#contracts/seismic-event/attributes.ts";
import { EXPORT_FIELDS, type ExportField, type ExportRow, FIELD } from "../export-row.ts";
import { xmlText } from "./xml-text.ts";

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

/** The declaration of the fields, so that geographic software knows which are numbers. */
export function kmlSchema(): string {
  const fields = EXPORT_FIELDS.map(
    (name) => `<SimpleField type="${typeOf(name)}" name="${name}"></SimpleField>\n`,
  );
  return `<Schema name="event" id="event">\n${fields.join("")}</Schema>\n`;
}

/** All fields of an event that are known; structures are JSON text. */
export function kmlData(row: ExportRow): string {
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
