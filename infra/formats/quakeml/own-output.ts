import { OWN_ELEMENT, OWN_PREFIX } from "./own-namespace.ts";
import { escapeJson } from "./xml-text.ts";

/** What of an event goes to our own element: members of a JSON object. */
export type OwnOutput = { own: string };

/** The name of an attribute and its value, JSON text already. */
export function own(output: OwnOutput, name: string, json: string | null | undefined): void {
  if (json === null || json === undefined) return;
  output.own += `${output.own === "" ? "" : ","}"${name}":${json}`;
}

export function ownElement({ own: members }: OwnOutput): string {
  if (members === "") return "";
  const name = `${OWN_PREFIX}:${OWN_ELEMENT}`;
  return `<${name}>{${escapeJson(members)}}</${name}>`;
}
