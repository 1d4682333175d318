import type { Bulletin } from "#contracts/bulletin/bulletin.ts";
import { ATTRIBUTES, type Attribute } from "#contracts/seismic-event/attributes.ts";
import {
  BULLETIN_SHA256,
  EXPORT_FIELDS,
  type ExportedCatalogue,
  type ExportField,
  type ExportRow,
  FIELD,
  type FormatWriter,
} from "../format-writer.ts";
import { createListWriter } from "./list-writer.ts";

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

/** Writes fields of a row as the members of an object, without braces. */
type MembersWriter = (row: ExportRow) => string;

/** Numbers and structures in a row are JSON already and are copied as text. */
export function createMembersWriter(fields: readonly ExportField[]): MembersWriter {
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
