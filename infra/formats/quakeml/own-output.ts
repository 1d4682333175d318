import { type ExportRow, FIELD } from "../format-writer.ts";
import { OWN_ELEMENT, OWN_PREFIX } from "./shared/event-ids.ts";
import { escapeJson, escapeXml, isExpressible } from "./shared/xml-text.ts";

/** Members for our own element, as JSON text. */
export type OwnOutput = { own: string };

/** Escaped text, "" for none. Text that would not be restored goes into our own element too. */
export function nativeText(
  row: ExportRow,
  name: "region" | "magnitude_type" | "agency_id" | "author",
  output: OwnOutput,
): string {
  const text = row[FIELD[name]] ?? "";
  if (text === "") return "";
  const expressible = isExpressible(text);
  const trimmed = text.trim();
  if (!expressible || trimmed !== text) own(output, name, JSON.stringify(text));
  return expressible ? escapeXml(trimmed) : "";
}

/** Adds an attribute's name and its value as JSON text. */
export function own(output: OwnOutput, name: string, json: string | null | undefined): void {
  if (json === null || json === undefined) return;
  addOwn(output, `"${name}":${json}`);
}

/** Adds members, which may be none. */
export function addOwn(output: OwnOutput, members: string): void {
  if (output.own !== "" && members !== "") output.own += ",";
  output.own += members;
}

/** The element of all that was added; "" without any. */
export function ownElement({ own: members }: OwnOutput): string {
  if (members === "") return "";
  const name = `${OWN_PREFIX}:${OWN_ELEMENT}`;
  return `<${name}>{${escapeJson(members)}}</${name}>`;
}
