import { OWN_NAMESPACE as NAMESPACE, OWN_ATTRIBUTES } from "#contracts/bulletin/own-members.ts";
import { OWN_AUTHORITY } from "#contracts/seismic-event/own-public-id.ts";

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
