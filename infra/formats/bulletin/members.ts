/**
 * The members of a bulletin's objects: what they say by QuakeML's names, be it valid or not, an
 * event's ids among them.
 */

import { hash } from "node:crypto";
import { OWN_NAMESPACE as NAMESPACE, OWN_ATTRIBUTES } from "#contracts/bulletin/own-members.ts";
import type { Foreign, Kind } from "#contracts/bulletin/quakeml.ts";
import {
  EVENT_ID_PATH,
  isMadeOfRow,
  OWN_AUTHORITY,
  SOURCE_ID_PATH,
} from "#contracts/seismic-event/ids.ts";
import { bareId } from "#contracts/seismic-event/public-ids.ts";
import { isJsonObject } from "#contracts/seismic-event/seismic-event.ts";

/** An object of a bulletin by QuakeML's names of its members; times, ids and enumerations are text. */
export type Members = { readonly [member: string]: unknown };

/**
 * The trimmed text of a simple member, undefined without any. A value that QuakeML does not allow there
 * is in the object's `foreign`, and is text too.
 */
export function textOf(object: Members | undefined, name: string): string | undefined {
  if (object === undefined) return undefined;
  const value = object[name] ?? invalid(object, name)[0]?.text;
  if (typeof value === "string") {
    const text = value.trim();
    return text === "" ? undefined : text;
  }
  return typeof value === "number" || typeof value === "boolean" ? String(value) : undefined;
}

/** The same of a member that is a number: the number itself, where it is one. */
export function numberOf(object: Members | undefined, name: string): number | string | undefined {
  const value = object?.[name];
  return typeof value === "number" ? value : textOf(object, name);
}

/** An object's member that is an object; of several the first. */
export function childOf(object: Members | undefined, name: string): Members | undefined {
  if (object === undefined) return undefined;
  const value = object[name];
  const first: unknown = Array.isArray(value) ? value[0] : value;
  if (isJsonObject(first)) return first;
  const other = invalid(object, name)[0];
  return other === undefined ? undefined : membersOf(other);
}

/** An object's member that is a list of objects, with those that are not valid at its end. */
export function childrenOf(object: Members | undefined, name: string): readonly Members[] {
  if (object === undefined) return [];
  const value = object[name] ?? [];
  const valid: readonly Members[] = Array.isArray(value) ? value : [value];
  const others = invalid(object, name);
  return others.length === 0 ? valid : [...valid, ...others.map(membersOf)];
}

/** The text of an attribute that no table knows, in whatever namespace. */
export function foreignAttribute(object: Members, name: string): string | undefined {
  const found = foreignOf(object).find((item) => item.attribute === true && item.name === name);
  return found?.at === undefined ? found?.text?.trim() || undefined : undefined;
}

/** The text of an element of our own. */
export function ownText(object: Members, name: string): string | undefined {
  const own = foreignOf(object).find((item) => item.ns === OWN_NAMESPACE && item.name === name);
  return own?.text?.trim() || undefined;
}

function foreignOf(object: Members): readonly Foreign[] {
  return Array.isArray(object["foreign"]) ? object["foreign"] : [];
}

const NOTHING: readonly Foreign[] = [];

/** QuakeML's elements of a name, or SCML's, that are not valid where they stand. */
function invalid(object: Members, name: string): readonly Foreign[] {
  if (object["foreign"] === undefined) return NOTHING;
  return foreignOf(object).filter(
    (item) => item.name === name && item.attribute !== true && isQuakeml(item),
  );
}

function isQuakeml({ ns }: Foreign): boolean {
  return isQuakemlNamespace(ns) || isScmlNamespace(ns);
}

/** An object that is not valid, with the members that a valid one has and all values as text. */
function membersOf({ attributes = [], children = [] }: Foreign): Members {
  const members = new Map<string, unknown>();
  for (const { name, text } of attributes) members.set(name, text);
  for (const child of children.filter(isQuakeml)) {
    const value = child.children === undefined ? (child.text ?? "") : membersOf(child);
    const before = members.get(child.name);
    if (before === undefined) members.set(child.name, value);
    else members.set(child.name, Array.isArray(before) ? [...before, value] : [before, value]);
  }
  return Object.fromEntries(members);
}

/**
 * The bare id of an event, and its public id if that says more. The bare id consists of source and
 * code in USGS's attributes (`us`, `6000kawn` gives "us6000kawn", as in USGS's other formats), else
 * it is part of the public id. Ids that our writer makes do not count.
 */
export function idsOfEvent(event: Members) {
  const publicId = textOf(event, "publicID");
  if (publicId?.startsWith(EVENT_ID_PATH)) return { sourceId: undefined, publicId: undefined };
  if (publicId?.startsWith(SOURCE_ID_PATH)) {
    return { sourceId: publicId.slice(SOURCE_ID_PATH.length), publicId: undefined };
  }
  const isGiven = publicId !== undefined && !isServiceId(publicId);
  const sourceId = catalogueId(event) ?? (isGiven ? bareId(publicId) : undefined);
  if (!isGiven) return { sourceId, publicId: undefined };
  return { sourceId, publicId: publicId === sourceId ? undefined : publicId };
}

/** True for an event that our writer made of a row (`isMadeOfRow`). */
export function isOwnEvent(event: Members): boolean {
  const originIds = childrenOf(event, "origin").map((origin) => textOf(origin, "publicID"));
  return isMadeOfRow(textOf(event, "publicID"), originIds);
}

function catalogueId(event: Members): string | undefined {
  const code = foreignAttribute(event, "eventid");
  const source = foreignAttribute(event, "eventsource");
  if (code === undefined || source === undefined) return code;
  return code.startsWith(source) ? code : source + code;
}

type Present<T> = { readonly [K in keyof T]?: Exclude<T[K], undefined> };

/** The members that have a value: a bulletin has neither nulls nor empty lists. */
export function present<T extends object>(members: T): Present<T> {
  const known: { [K in keyof T]?: T[K] } = {};
  for (const name in members) {
    const value = members[name];
    if (value !== undefined && !(Array.isArray(value) && value.length === 0)) known[name] = value;
  }
  return known as Present<T>;
}

/** As `present`; undefined where no member has a value. */
export function filled<T extends object>(members: T): Present<T> | undefined {
  const known = present(members);
  return Object.keys(known).length === 0 ? undefined : known;
}

/** Namespaces and ids in bulletins: the service's own, QuakeML's and SCML's. */

/**
 * Data without a place in QuakeML go into an element of our own at the end of the event: JSON text
 * of an object with canonical attribute names. QuakeML allows foreign elements there, other readers
 * skip them, and our reader restores exactly what was written.
 */
export const OWN_NAMESPACE = NAMESPACE;
export const OWN_PREFIX = "ec";
/** The element's local name, which QuakeML does not use. */
export const OWN_ELEMENT = OWN_ATTRIBUTES;

/**
 * The type of a description that an agency gives, and that our writer adds for readers: in an event that
 * our writer made it is no attribute.
 */
export const FLINN_ENGDAHL = "Flinn-Engdahl region";

/** The schema's ResourceIdentifier in ASCII, without `#`: a second one would make the URI invalid. */
const RESOURCE_ID = /^(?:smi|quakeml):[A-Za-z0-9][\w.*()~'-]{2,}\/[\w.*()~'-][\w.*()+?~'=,;/&-]*$/;

/** True for meaningless identifiers, made by our writer. */
export function isOwnId(id: string): boolean {
  return id.startsWith(OWN_AUTHORITY);
}

export function isResourceId(value: unknown): value is string {
  return typeof value === "string" && RESOURCE_ID.test(value) && !isOwnId(value);
}

const SERVICE_ID_PATH = `${OWN_AUTHORITY}of/`;
const DIGEST_LENGTH = 16;
/** What may stand in an id as it is (QuakeML 1.2 BED, ResourceIdentifier). */
const PLAIN_PLACE = /^[\w.-]+(?:\/[\w.-]+)*$/;

/**
 * An id of the service, which the schema takes, for an object without an id or with one that the
 * schema refuses. It depends on its arguments alone, so that a file read again gives the same ids.
 * @param eventId of the event as given
 * @param place of the object among those of its kind: its index, or what identifies it in the file
 */
export function serviceId(eventId: string, kind: Kind | "event", place: number | string): string {
  const text = String(place);
  const last = PLAIN_PLACE.test(text) && text.length <= 100 ? text : digestOf(text);
  return `${SERVICE_ID_PATH}${digestOf(eventId)}/${kind}/${last}`;
}

/** True for what `serviceId` gives. */
export function isServiceId(id: string): boolean {
  return id.startsWith(SERVICE_ID_PATH);
}

function digestOf(text: string): string {
  return hash("sha256", text).slice(0, DIGEST_LENGTH);
}

/** What a format says and QuakeML has no place for, as text by the name that the format gives it. */
export function own(name: string, text: string): Foreign {
  return { ns: OWN_NAMESPACE, name, text };
}

/** As `own`, but several values as attributes of one; none without any. */
export function ownValues(
  name: string,
  values: Readonly<Record<string, string | undefined>>,
): readonly Foreign[] {
  const attributes = Object.entries(values).flatMap(([key, text]) =>
    text === undefined || text === "" ? [] : [{ name: key, text }],
  );
  return attributes.length === 0 ? [] : [{ ns: OWN_NAMESPACE, name, attributes }];
}

/** What is told of a namespace in which QuakeML's own elements stand, of any version. */
const QUAKEML_HOST = "quakeml.org/";

/** SCML's: `seiscomp3-schema` to 0.13, `seiscomp-schema` from 0.14. */
const SCML = /^https?:\/\/geofon\.gfz(?:-potsdam)?\.de\/ns\/seiscomp3?-schema\/(\d+)\.(\d+)$/;

export function isQuakemlNamespace(ns: string): boolean {
  return ns.includes(QUAKEML_HOST);
}

export function isScmlNamespace(ns: string): boolean {
  return scmlVersion(ns) !== null;
}

/** The version of SCML whose namespace it is; null for another namespace. */
export function scmlVersion(ns: string): { readonly major: number; readonly minor: number } | null {
  const [, major, minor] = SCML.exec(ns) ?? [];
  return major === undefined || minor === undefined
    ? null
    : { major: Number(major), minor: Number(minor) };
}
