import { STRUCTURED_NAMES } from "#contracts/seismic-event/attributes.ts";
import {
  BULLETIN_SHA256,
  EXPORT_FIELDS,
  type ExportField,
  type ExportRow,
  FIELD,
} from "../format-writer.ts";
import { isTextField, jsonString, memberHead } from "../json/json-writer.ts";
import { canonicalJson } from "./canonical-json.ts";

const STRUCTURED: ReadonlySet<string> = new Set(STRUCTURED_NAMES);

type Kind = "text" | "structure" | "number";

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

function kindOf(field: string): Kind {
  if (STRUCTURED.has(field)) return "structure";
  return isTextField(field) || field === BULLETIN ? "text" : "number";
}
