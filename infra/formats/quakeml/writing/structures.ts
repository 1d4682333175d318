/** What a row holds as JSON, members under `extra` and mechanisms, as elements of QuakeML. */

import { methodOfConverted } from "#contracts/seismic-event/public-ids.ts";
import { isJsonObject, type JsonObject } from "#contracts/seismic-event/seismic-event.ts";
import { parseTime } from "#contracts/seismic-event/time.ts";
import { exactJson } from "../../../json/json-text.ts";
import { isResourceId } from "../../bulletin/members.ts";
import {
  ANY_MEMBER,
  FOCAL_MECHANISM,
  isPlainCircle,
  MAGNITUDE_AGENCY,
  MAGNITUDE_METHOD,
  type MechanismShape,
  type MemberKind,
  ORIGIN_FLAGS,
  ORIGIN_IDS,
  ORIGIN_UNCERTAINTY,
  radiusOf,
  UNCERTAINTY,
} from "../../bulletin/row.ts";
import { decimalNumber } from "../../written-values.ts";
import { escapeXml, isExact, simple, wrapped } from "../../xml/xml.ts";

const METRES_TO_KILOMETRES = -3;
const LONGEST_AGENCY = 64;

export type ExtraXml = ReturnType<typeof writeExtra>;

/**
 * Puts members that the reader kept under `extra` back in their places. Members that the schema
 * would refuse there, or that would be read differently, stay in the rest.
 * @param extra JSON text
 * @param kilometres `horizontal_uncertainty`
 * @returns elements for the origin and the magnitude; the originUncertainty, "" when the attribute contains all of it;
 * the rest of `extra` as JSON text, null when nothing is left
 */
export function writeExtra(extra: string | null, kilometres: string | null, hasMagnitude: boolean) {
  if (extra === null || !ANY_MEMBER.test(extra)) {
    return { origin: "", uncertainty: "", magnitude: "", rest: extra };
  }
  const values = JSON.parse(extra) as JsonObject;
  const rest: JsonObject = { ...values };
  const place = (name: string, xml: string): string => {
    if (xml !== "") delete rest[name];
    return xml;
  };

  let origin = "";
  for (const [name, member] of Object.entries(ORIGIN_FLAGS)) {
    const flag = values[name];
    if (typeof flag === "boolean") origin += place(name, simple(member, String(flag)));
  }
  for (const [name, member] of Object.entries(ORIGIN_IDS)) {
    origin += place(name, idElement(member, values[name]));
  }
  const uncertainty = place(UNCERTAINTY, uncertaintyElement(values[UNCERTAINTY], kilometres));
  let magnitude = "";
  if (hasMagnitude) {
    const own = place(MAGNITUDE_METHOD, idElement("methodID", values[MAGNITUDE_METHOD]));
    const made = methodOfConverted(values);
    magnitude += own === "" && made !== null ? simple("methodID", escapeXml(made)) : own;
    magnitude += place(MAGNITUDE_AGENCY, agencyElement(values[MAGNITUDE_AGENCY]));
  }
  const isNothingLeft = Object.keys(rest).length === 0;
  return { origin, uncertainty, magnitude, rest: isNothingLeft ? null : exactJson(rest) };
}

function idElement(member: string, id: unknown): string {
  return isResourceId(id) ? simple(member, escapeXml(id)) : "";
}

function agencyElement(agency: unknown): string {
  if (typeof agency !== "string" || agency.length > LONGEST_AGENCY || !isExact(agency)) return "";
  return wrapped("creationInfo", simple("agencyID", escapeXml(agency)));
}

function uncertaintyElement(uncertainty: unknown, kilometres: string | null): string {
  if (!isJsonObject(uncertainty)) return "";
  if (Object.keys(uncertainty).length === 0 || isPlainCircle(uncertainty)) return "";
  const radius = radiusOf(uncertainty);
  const ofRadius =
    radius === undefined ? null : decimalNumber(String(radius), METRES_TO_KILOMETRES);
  // The attribute was edited since, or belongs to another solution.
  if (ofRadius !== (kilometres === null ? null : Number(kilometres))) return "";
  const { xml, exact } = writeStructure("originUncertainty", uncertainty, ORIGIN_UNCERTAINTY, null);
  return exact ? xml : "";
}

const MAX_INT = 2 ** 31 - 1;

type Json = Readonly<Record<string, unknown>>;

/** Ids for mechanisms and elements that lack their own. */
type MechanismIds = {
  readonly mechanism: string;
  readonly tensor: string;
  readonly origin: string;
};

/** `exact` is false when a value has no place in QuakeML and would be lost. */
export function writeMechanism(mechanism: Json, ids: MechanismIds) {
  return writeStructure("focalMechanism", mechanism, FOCAL_MECHANISM, ids);
}

/** An object as the element of its shape; `ids` replace missing identifiers. */
function writeStructure(
  root: string,
  structure: Json,
  shape: MechanismShape,
  ids: MechanismIds | null,
) {
  const writing: Writing = { ids, exact: true };
  const xml = writeElement(writing, root, structure, shape, ids?.mechanism ?? null);
  return { xml, exact: writing.exact };
}

/** What has been written so far of one structure. */
type Writing = { readonly ids: MechanismIds | null; exact: boolean };

function writeElement(
  writing: Writing,
  name: string,
  object: Json,
  shape: MechanismShape,
  id: string | null,
): string {
  let attributes = id === null ? "" : ` publicID="${escapeXml(publicId(writing, object, id))}"`;
  let children = "";
  for (const member in object) {
    const kind = Object.hasOwn(shape, member) ? shape[member] : undefined;
    const value = object[member];
    if (kind === "publicID") continue;
    if (kind === undefined) writing.exact = false;
    else if (kind === "attribute") attributes += writeAttribute(writing, member, value);
    else children += writeMember(writing, member, kind, value);
  }
  const { ids } = writing;
  if (ids !== null && name === "momentTensor" && !isResourceId(object["derivedOriginID"])) {
    children += `<derivedOriginID>${ids.origin}</derivedOriginID>`;
  }
  return `<${name}${attributes}>${children}</${name}>`;
}

function publicId(writing: Writing, object: Json, standIn: string): string {
  if (!Object.hasOwn(object, "publicID")) return standIn;
  const id = object["publicID"];
  if (isResourceId(id)) return id;
  writing.exact = false;
  return standIn;
}

function writeAttribute(writing: Writing, member: string, value: unknown): string {
  if (Number.isSafeInteger(value)) return ` ${member}="${value}"`;
  writing.exact = false;
  return "";
}

function writeMember(writing: Writing, member: string, kind: MemberKind, value: unknown): string {
  if (typeof kind === "object" && "list" in kind)
    return writeList(writing, member, kind.list, value);
  if (typeof kind === "object" && "members" in kind) {
    if (isJsonObject(value)) {
      const id = member === "momentTensor" ? (writing.ids?.tensor ?? null) : null;
      return writeElement(writing, member, value, kind.members, id);
    }
  } else if (isValid(kind, value)) {
    const text = typeof value === "string" ? escapeXml(value) : String(value);
    return kind === "quantity"
      ? `<${member}><value>${text}</value></${member}>`
      : `<${member}>${text}</${member}>`;
  }
  writing.exact = false;
  return "";
}

function writeList(
  writing: Writing,
  member: string,
  shape: MechanismShape,
  value: unknown,
): string {
  if (Array.isArray(value) && value.length > 0 && value.every(isJsonObject)) {
    return value.map((item) => writeElement(writing, member, item, shape, null)).join("");
  }
  writing.exact = false;
  return "";
}

function isValid(kind: MemberKind, value: unknown): boolean {
  if (typeof kind === "object") {
    if (typeof value !== "string") return false;
    if ("values" in kind) return kind.values.includes(value);
    return "maxLength" in kind && value.length <= kind.maxLength && isExact(value);
  }
  switch (kind) {
    case "quantity":
    case "real":
      return Number.isFinite(value) && !Object.is(value, -0);
    case "integer":
    case "attribute":
      return Number.isSafeInteger(value);
    case "int":
      return Number.isInteger(value) && Math.abs(value as number) <= MAX_INT;
    case "id":
    case "publicID":
      return isResourceId(value);
    case "time":
      return typeof value === "string" && parseTime(value) === value;
  }
}
