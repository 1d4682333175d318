/** Events as JSON, as GeoJSON, and in the canonical form that is hashed. */

import type { Bulletin } from "#contracts/bulletin/quakeml.ts";
import {
  ATTRIBUTES,
  type Attribute,
  STRUCTURED_NAMES,
} from "#contracts/seismic-event/attributes.ts";
import { canonicalJson } from "../../json/json-text.ts";
import {
  BULLETIN_SHA256,
  EXPORT_FIELDS,
  type ExportedCatalogue,
  type ExportField,
  type ExportRow,
  FIELD,
  type FormatWriter,
} from "../format-writer.ts";
import { opposite, shiftDecimal } from "../written-values.ts";

/** Writes `{catalogue, version, events}` with one event per line, each in the API's form. */
export function createJsonWriter({
  catalogue,
  version,
  isRedacted = false,
}: ExportedCatalogue): FormatWriter {
  const redacted = isRedacted ? ',"redacted":true' : "";
  return createListWriter(
    `{"catalogue":${JSON.stringify(catalogue)},"version":${version}${redacted},"events":[`,
    eventJson,
  );
}

/**
 * An event as the API answers it, with its provenance and its bulletin's hash where there are any, and
 * with the bulletin itself where it is given.
 */
export function eventJson(row: ExportRow, bulletin: Bulletin | null = null): string {
  const sources = row[FIELD.source_events] ?? null;
  const last = sources === null ? "" : `,"source_events":${sources}`;
  const sha256 = row[BULLETIN_SHA256] ?? null;
  const ofBulletin = sha256 === null ? "" : `,"bulletin_sha256":"${sha256}"`;
  const whole = bulletin === null ? "" : `,"bulletin":${JSON.stringify(bulletin)}`;
  return `{${answeredMembers(row)}${last}${ofBulletin}${whole}}`;
}

/** Text that needs no escapes in JSON. Half a surrogate pair does: UTF-8 cannot encode it. */
const PLAIN = /^[ !#-[\]-\ud7ff\ue000-\uffff]*$/;

/** The JSON string of a text; for most texts just quotes are added. */
export function jsonString(text: string): string {
  return PLAIN.test(text) ? `"${text}"` : JSON.stringify(text);
}

export function textOrNull(text: string | null | undefined): string | null {
  return text === null || text === undefined ? null : jsonString(text);
}

/**
 * Writes fields of a row as the members of an object, without braces. Numbers and structures in a row are JSON
 * already and are copied as text.
 */
export function createMembersWriter(fields: readonly ExportField[]): (row: ExportRow) => string {
  const members = fields.map((field, i) => ({
    index: FIELD[field],
    head: memberHead(field, i),
    isText: isTextField(field),
  }));
  return (row) => {
    let text = "";
    for (let i = 0; i < members.length; i++) {
      const member = members[i];
      if (member === undefined) break;
      const value = row[member.index] ?? null;
      text += member.head;
      text += value !== null && member.isText ? jsonString(value) : value;
    }
    return text;
  };
}

/** The text before a member's value, given the member's place in its object. */
export function memberHead(field: string, place: number): string {
  return `${place === 0 ? "" : ","}${JSON.stringify(field)}:`;
}

/** The fields of an event in the API's answers; `source_events` is added only if there are any. */
export const ANSWERED_FIELDS = EXPORT_FIELDS.filter((name) => name !== "source_events");

const answeredMembers = createMembersWriter(ANSWERED_FIELDS);

/** Whether a field's values are plain text; other values are JSON already. */
export function isTextField(field: string): boolean {
  if (field === "id" || field === "time") return true;
  if (!(field in ATTRIBUTES)) return false;
  const { kind }: Attribute = ATTRIBUTES[field as keyof typeof ATTRIBUTES];
  return kind === "text" || kind === "enumeration";
}

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

const STRUCTURED: ReadonlySet<string> = new Set(STRUCTURED_NAMES);

const BULLETIN = "bulletin_sha256";
/** Left out where there is none. */
const OPTIONAL: readonly string[] = ["source_events", BULLETIN];

const MEMBERS = [...EXPORT_FIELDS, BULLETIN].toSorted().map((field, place) => ({
  index: field === BULLETIN ? BULLETIN_SHA256 : FIELD[field as ExportField],
  head: memberHead(field, place),
  kind: kindOf(field),
  isOptional: OPTIONAL.includes(field),
}));

/**
 * The line of an event in the canonical form of a version (`contracts/docs/versions.md`, The record): RFC 8785
 * JSON of the event as the JSON export writes it, then a line feed.
 */
export function canonicalLine(row: ExportRow): string {
  let text = "{";
  for (const { index, head, kind, isOptional } of MEMBERS) {
    const value = row[index] ?? null;
    if (value === null && isOptional) continue;
    text += head;
    if (value === null) text += "null";
    else if (kind === "text") text += jsonString(value);
    else if (kind === "number") text += canonicalNumber(value);
    else text += canonicalJson(JSON.parse(value));
  }
  return `${text}}\n`;
}

/** PostgreSQL and ECMAScript have the same digits for a number, but not the same exponents. */
function canonicalNumber(text: string): string {
  const isPlain = !text.includes("e") && text !== "-0";
  return isPlain ? text : String(Number(text));
}

function kindOf(field: string): "text" | "structure" | "number" {
  if (STRUCTURED.has(field)) return "structure";
  return isTextField(field) || field === BULLETIN ? "text" : "number";
}

/** Writes an item for each row, one on a line with commas between, after `head` and before what `end` returns. */
export function createListWriter(
  head: string,
  itemOf: (row: ExportRow, bulletin?: Bulletin | null) => string,
  { first = "\n", end = () => "\n]}\n" }: { first?: string; end?: () => string } = {},
): FormatWriter {
  let separator = first;
  return {
    begin: () => head,
    row(row, bulletin) {
      const text = separator + itemOf(row, bulletin);
      separator = ",\n";
      return text;
    },
    end,
  };
}
