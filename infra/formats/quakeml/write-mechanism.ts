import { parseTime } from "#contracts/seismic-event/parse-time.ts";
import { isJsonObject } from "#contracts/seismic-event/seismic-event.ts";
import { isResourceId } from "./shared/event-ids.ts";
import { FOCAL_MECHANISM, type MechanismShape, type MemberKind } from "./shared/mechanism-shape.ts";
import { escapeXml, isExact } from "./shared/xml-text.ts";

const MAX_INT = 2 ** 31 - 1;

type Json = Readonly<Record<string, unknown>>;

/** Ids for mechanisms and elements that lack their own. */
export type MechanismIds = {
  readonly mechanism: string;
  readonly tensor: string;
  readonly origin: string;
};

/** `exact` is false when a value has no place in QuakeML and would be lost. */
type ElementText = { readonly xml: string; readonly exact: boolean };

export function writeMechanism(mechanism: Json, ids: MechanismIds): ElementText {
  return writeStructure("focalMechanism", mechanism, FOCAL_MECHANISM, ids);
}

/** An object as the element of its shape; `ids` replace missing identifiers. */
export function writeStructure(
  root: string,
  structure: Json,
  shape: MechanismShape,
  ids: MechanismIds | null,
): ElementText {
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
