import { ATTRIBUTES, type Attribute } from "#contracts/seismic-event/attributes.ts";
import { EXPORT_FIELDS, type ExportField, type ExportRow, FIELD } from "../export-row.ts";

/** Text that a JSON string holds as it is; half a surrogate pair would be no UTF-8. */
const PLAIN = /^[ !#-[\]-\ud7ff\ue000-\uffff]*$/;

/** The JSON string of a text; most texts need no more than quotes. */
export function jsonString(text: string): string {
  return PLAIN.test(text) ? `"${text}"` : JSON.stringify(text);
}

/** Writes some fields of a row as the members of an object, without its braces. */
export type MembersWriter = (row: ExportRow) => string;

/** Numbers and structures of a row are JSON already; numbers are not printed anew. */
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

/** What stands before the value of the member with this place in its object. */
export function memberHead(field: ExportField, place: number): string {
  return `${place === 0 ? "" : ","}${JSON.stringify(field)}:`;
}

/** The fields of an event as the API answers them; `source_events` stands only where there are some. */
export const ANSWERED_FIELDS = EXPORT_FIELDS.filter((name) => name !== "source_events");

/** Whether values are texts, and not JSON already. */
export function isTextField(field: ExportField): boolean {
  if (field === "id" || field === "time") return true;
  if (!(field in ATTRIBUTES)) return false;
  const { kind }: Attribute = ATTRIBUTES[field as keyof typeof ATTRIBUTES];
  return kind === "text" || kind === "enumeration";
}
