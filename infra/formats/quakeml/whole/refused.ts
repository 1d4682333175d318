import type { Foreign } from "#contracts/bulletin/bulletin.ts";
import { exactJson } from "../../../json/exact-json.ts";
import { OWN_PREFIX } from "../shared/event-ids.ts";
import { BED_1_2, OWN_FORMS } from "../shared/own-forms.ts";
import { isWritable, xmlAttributeText, xmlElementText } from "./xml-escapes.ts";

/** What the schema refuses of one object. */
export type Refused = { members: Record<string, unknown> | null; foreign: Foreign[] | null };

export function refuseMember(refused: Refused, name: string, value: unknown): void {
  refused.members ??= {};
  refused.members[name] = value;
}

export function refuseForeign(refused: Refused, item: Foreign): void {
  refused.foreign ??= [];
  refused.foreign.push(item);
}

const GIVEN = `${OWN_PREFIX}:${OWN_FORMS.given}`;

/** What the schema refuses, as elements: simple things by name and text, others as JSON. */
export function givenElements({ members, foreign }: Refused): string {
  let xml = "";
  for (const [name, value] of Object.entries(members ?? {})) {
    const text = String(value);
    xml += isWritable(text)
      ? `<${GIVEN} member="${name}">${xmlElementText(text)}</${GIVEN}>`
      : givenJson({ members: { [name]: value }, foreign: null });
  }
  for (const item of foreign ?? []) {
    const { ns, name, text = "", attribute, attributes, children } = item;
    const isSimple = ns === BED_1_2 && !attribute && !attributes && !children;
    xml +=
      isSimple && isWritable(text) && isWritable(name)
        ? `<${GIVEN} name="${xmlAttributeText(name)}">${xmlElementText(text)}</${GIVEN}>`
        : givenJson({ members: null, foreign: [item] });
  }
  return xml;
}

function givenJson(refused: Refused): string {
  return `<${GIVEN}>${xmlElementText(jsonOf(refused))}</${GIVEN}>`;
}

/** In ASCII, since XML has no place for some characters. */
export function jsonOf({ members, foreign }: Refused): string {
  const json = exactJson({ ...members, ...(foreign !== null && { foreign }) });
  return json.replaceAll(
    /[^\x20-\x7e]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
