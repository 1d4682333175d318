/** Namespaces and ids in bulletins: the service's own, QuakeML's and SCML's. */

import { hash } from "node:crypto";
import { OWN_NAMESPACE as NAMESPACE, OWN_ATTRIBUTES } from "#contracts/bulletin/own-members.ts";
import type { Foreign, Kind } from "#contracts/bulletin/quakeml.ts";
import { OWN_AUTHORITY } from "#contracts/seismic-event/ids.ts";

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
