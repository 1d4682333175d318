import { OWN_GIVEN_ID } from "#contracts/bulletin/own-members.ts";
import type { Foreign, ForeignAttribute } from "#contracts/bulletin/quakeml.ts";
import { isJsonObject, type JsonValue } from "#contracts/seismic-event/seismic-event.ts";
import { isServiceId } from "../bulletin/members.ts";

/**
 * Elements and attributes of our own namespace by which XML that is valid by its schema says what the
 * schema refuses; our reader puts it back.
 *
 * | Form | Says |
 * |---|---|
 * | attribute `ec:givenID` beside an id of the service | the id that the object was given; references to the one mean the other |
 * | `<ec:given member="pickID">text</ec:given>` | a value of the object's member |
 * | `<ec:given name="type">text</ec:given>` | an element of QuakeML 1.2 that is not valid there, which is in `foreign` |
 * | `<ec:given>JSON</ec:given>`, attribute `ec:given` | members, and entries of `foreign` under that name |
 * | attribute `ec:member="0 2"` | the member `member` |
 */
export const OWN_FORMS = { givenId: OWN_GIVEN_ID, given: "given", member: "member" } as const;

export const BED_1_2 = "http://quakeml.org/xmlns/bed/1.2";

/** In ids of the service that stand for another until the file is read. */
const STAND_IN = "given/";

/** The place of a stand-in for the id of the nth object of its kind. */
export function standInPlace(index: number): string {
  return STAND_IN + index;
}

export function isStandIn(id: string): boolean {
  return isServiceId(id) && id.includes(`/${STAND_IN}`);
}

export type Given = {
  readonly members: Readonly<Record<string, JsonValue>>;
  readonly foreign: readonly Foreign[];
};

/** What an element `given` says; null when our writer cannot have written it. */
export function givenIn({ text = "", attributes = [] }: Foreign): Given | null {
  const [attribute] = attributes;
  if (attribute === undefined) return givenInJson(text);
  if (attributes.length > 1) return null;
  if (attribute.name === "member") return { members: { [attribute.text]: text }, foreign: [] };
  if (attribute.name !== "name") return null;
  const foreign = { ns: BED_1_2, name: attribute.text, ...(text !== "" && { text }) };
  return { members: {}, foreign: [foreign] };
}

/** What a text `given` says: an object of members. */
export function givenInJson(text: string): Given | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  if (!isJsonObject(value)) return null;
  const { foreign = [], ...members } = value;
  return isForeignList(foreign) ? { members, foreign } : null;
}

/** Deeper JSON could overflow the stack. */
const MAX_DEPTH = 64;

function isForeignList(value: unknown, depth = 0): value is Foreign[] {
  return Array.isArray(value) && depth < MAX_DEPTH && value.every((item) => isForeign(item, depth));
}

function isForeign(value: unknown, depth: number): boolean {
  if (!isJsonObject(value)) return false;
  const { ns, name, attribute, at, text, attributes, children, ...others } = value;
  return (
    typeof ns === "string" &&
    typeof name === "string" &&
    (attribute === undefined || attribute === true) &&
    isTextOrNone(at) &&
    isTextOrNone(text) &&
    (attributes === undefined || (Array.isArray(attributes) && attributes.every(isAttribute))) &&
    (children === undefined || isForeignList(children, depth + 1)) &&
    Object.keys(others).length === 0
  );
}

function isAttribute(value: unknown): value is ForeignAttribute {
  if (!isJsonObject(value)) return false;
  const { ns, name, text, ...others } = value;
  return (
    isTextOrNone(ns) &&
    typeof name === "string" &&
    typeof text === "string" &&
    Object.keys(others).length === 0
  );
}

function isTextOrNone(value: unknown): boolean {
  return value === undefined || typeof value === "string";
}
