import type { Foreign } from "#contracts/bulletin/bulletin.ts";
import type { TypeName } from "#contracts/bulletin/quakeml-types.ts";
import { isScmlNamespace } from "../xml/content-namespaces.ts";
import { xmlAttribute, xmlText } from "../xml/xml-text.ts";
import { kilometresOf, OF_THE_UNIT } from "./kilometres.ts";
import type { Losses } from "./losses.ts";
import { type OwnMember, SCML_TYPES, type SharedMember } from "./members.ts";
import { isWritten } from "./own-shapes.ts";
import { isOwn, writeOwn } from "./write-own.ts";

/** An object of a QuakeML type by its members. */
export type Members = { readonly [member: string]: unknown; readonly foreign?: readonly Foreign[] };

export type ObjectToWrite = {
  /** SCML's name of the element. */
  readonly name: string;
  readonly type: TypeName;
  readonly object: Members;
  /** Its numbers are in kilometres. */
  readonly isKilometres?: boolean;
  /** Further elements for its end, as XML. */
  readonly further?: string;
};

/** Where the writing of an object stands. */
type Writing = {
  readonly object: Members;
  readonly isKilometres: boolean;
  /** Foreign elements and attributes that are not written yet. */
  readonly left: Set<Foreign>;
  readonly lose: (member: string, number?: number) => void;
};

/** What losses and messages call a type. */
export const kindOf = (type: TypeName): string => type.slice(0, 1).toLowerCase() + type.slice(1);

/**
 * Returns the writer of objects. It gives null where an object lacks what SCML requires; what else
 * SCML has no place for is counted.
 */
export function createObjectWriter(losses: Losses) {
  function write({ name, type, object, isKilometres = false, further = "" }: ObjectToWrite) {
    const kind = kindOf(type);
    const writing: Writing = {
      object,
      isKilometres,
      left: new Set(object.foreign),
      lose: (member, number) => losses.count(`${kind}.${member}`, number),
    };
    const { elements, without } = SCML_TYPES[type];
    const attributes = writeAttributes(type, writing);
    if (attributes === null) return null;
    let xml = "";
    for (const place of elements.values()) {
      const written = "own" in place ? writeOwnMember(place, writing) : writePlace(place, writing);
      if (written === null) return null;
      xml += written;
    }
    for (const member of without) writing.lose(member, sizeOf(object[member]));
    losses.count(`foreign elements and attributes of ${kind}`, writing.left.size);
    const content = xml + further;
    return content === ""
      ? `<${name}${attributes}/>`
      : `<${name}${attributes}>${content}</${name}>`;
  }

  /** The element of one or two members of QuakeML; of two, SCML holds one. */
  function writePlace(place: readonly SharedMember[], writing: Writing): string | null {
    const given = place.find(({ member }) => writing.object[member] !== undefined) ?? place[0];
    if (given === undefined) return "";
    for (const other of place) {
      if (other !== given) writing.lose(other.member, sizeOf(writing.object[other.member]));
    }
    const written = writeMember(given, writing);
    if (written !== "") return written;
    if (given.standIn !== undefined) return `<${given.name}>${given.standIn}</${given.name}>`;
    return given.isRequired ? null : "";
  }

  /** "" without a value that SCML takes. */
  function writeMember(shared: SharedMember, writing: Writing): string {
    const { member, name, field, isList } = shared;
    const value = writing.object[member];
    const word = furtherWord(shared, writing);
    if (word !== null) return `<${name}>${word}</${name}>`;
    if (value === undefined) return "";
    const items: readonly unknown[] = Array.isArray(value) ? value : [value];
    const taken = isList ? items : items.slice(0, 1);
    const written = taken.map((item) =>
      field.kind === "object"
        ? writeChild(shared, item as Members, writing)
        : writeSimple(shared, item, writing),
    );
    const kept = written.filter((xml) => xml !== null);
    writing.lose(member, items.length - kept.length);
    return kept.join("");
  }

  function writeChild(shared: SharedMember, object: Members, { lose }: Writing): string | null {
    const { name, member, field, isNumber, isKilometres } = shared;
    if (!isNumber) return write({ name, type: field.type as TypeName, object, isKilometres });
    const { value, ...others } = object;
    lose(`${member}'s other members`, Object.keys(others).length);
    return value === undefined ? null : `<${name}>${value}</${name}>`;
  }

  return write;
}

function writeSimple(shared: SharedMember, value: unknown, writing: Writing): string | null {
  const { name, member, isKilometres } = shared;
  const inKilometres = isKilometres || (writing.isKilometres && OF_THE_UNIT.has(member));
  if (inKilometres) return `<${name}>${kilometresOf(value)}</${name}>`;
  const written = writeValue(shared, value);
  if (written === null) return null;
  if (written.isNear) writing.lose(`${member} (the nearest is written)`);
  return `<${name}>${written.text}</${name}>`;
}

function writeAttributes(type: TypeName, { object, left }: Writing): string | null {
  const { attributes, ownAttributes } = SCML_TYPES[type];
  let xml = "";
  for (const { name, member, isRequired } of attributes) {
    const value = object[member];
    if (value !== undefined) xml += ` ${name}="${xmlAttribute(String(value))}"`;
    else if (isRequired) return null;
  }
  for (const foreign of object.foreign ?? []) {
    const { ns, name, text = "", attribute, at } = foreign;
    if (attribute !== true || at !== undefined || !ownAttributes.includes(name)) continue;
    if ((ns !== "" && !isScmlNamespace(ns)) || !isWritten("boolean", text)) continue;
    left.delete(foreign);
    xml += ` ${name}="${text.trim()}"`;
  }
  return xml;
}

function writeOwnMember({ name, own, isList }: OwnMember, { object, left }: Writing): string {
  let xml = "";
  for (const foreign of object.foreign ?? []) {
    if (foreign.name !== name || !isOwn(foreign) || (xml !== "" && !isList)) continue;
    const written = writeOwn(foreign, own);
    if (written === null) continue;
    left.delete(foreign);
    xml += written;
  }
  return xml;
}

/** The word of SCML's own that stands for a value; null without one. */
function furtherWord({ name, member, words }: SharedMember, writing: Writing): string | null {
  const { further } = words;
  if (further === undefined || writing.object[member] !== undefined) return null;
  const found = writing.object.foreign?.find((foreign) => {
    const { text = "" } = foreign;
    if (foreign.name !== name || !isOwn(foreign)) return false;
    return further === "any" || further.includes(text);
  });
  if (found === undefined) return null;
  const written = writeOwn(found, "text");
  if (written === null) return null;
  writing.left.delete(found);
  return xmlText(found.text ?? "");
}

function sizeOf(value: unknown): number {
  if (value === undefined) return 0;
  return Array.isArray(value) ? value.length : 1;
}

/** A value that is no object, and whether SCML has it only by a word that comes near. */
type WrittenValue = { readonly text: string; readonly isNear?: true };

/** A simple member's value as SCML has it; null if SCML cannot. */
function writeValue({ field, words }: SharedMember, value: unknown): WrittenValue | null {
  const text = String(value);
  switch (field.kind) {
    case "time":
      return isWritten("time", text) ? { text } : null;
    case "enumeration": {
      const near = words.nearest?.[text];
      return near === undefined
        ? { text: words.words?.[text] ?? text }
        : { text: near, isNear: true };
    }
    case "real":
    case "integer":
    case "boolean":
      return { text };
    case "text":
    case "id":
    case "reference":
    case "resource":
      return { text: xmlText(text) };
    case "object":
      return null;
  }
}
