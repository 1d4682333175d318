import { OWN_NAMESPACE as NAMESPACE } from "#contracts/bulletin/own-members.ts";
import {
  EVENT_ID_PATH,
  OWN_AUTHORITY,
  SOURCE_ID_PATH,
} from "#contracts/seismic-event/own-public-id.ts";
import { bareId } from "#contracts/seismic-event/public-id.ts";
import { textOf, type XmlNode } from "../xml/xml-shape.ts";

/**
 * Data without a place in QuakeML go into an element of our own at the end of the event: JSON text
 * of an object with canonical attribute names. QuakeML allows foreign elements there, other readers
 * skip them, and our reader restores exactly what was written.
 */
export const OWN_NAMESPACE = NAMESPACE;
export const OWN_PREFIX = "ec";
/** The element's local name, which QuakeML does not use. */
export const OWN_ELEMENT = "attributes";

/**
 * The type of a description that an agency gives, and that our writer adds for readers: in an event that
 * our writer made it is no attribute.
 */
export const FLINN_ENGDAHL = "Flinn-Engdahl region";

type AgencyIds = { readonly sourceId: string | undefined; readonly publicId: string | undefined };

/**
 * The bare id of an event, and its public id if that says more. The bare id consists of source and
 * code in USGS's attributes (`us`, `6000kawn` gives "us6000kawn", as in USGS's other formats), else
 * it is part of the public id. Ids that our writer makes do not count.
 */
export function idsOfEvent(event: XmlNode): AgencyIds {
  const publicId = textOf(event, "publicID");
  if (publicId?.startsWith(EVENT_ID_PATH)) return { sourceId: undefined, publicId: undefined };
  if (publicId?.startsWith(SOURCE_ID_PATH)) {
    return { sourceId: publicId.slice(SOURCE_ID_PATH.length), publicId: undefined };
  }
  const sourceId = catalogueId(event) ?? (publicId === undefined ? undefined : bareId(publicId));
  return { sourceId, publicId: publicId === sourceId ? undefined : publicId };
}

/** True for an event that our writer made: it names what is preferred, or has none. */
export function isOwnEvent(event: XmlNode): boolean {
  return textOf(event, "publicID")?.startsWith(OWN_AUTHORITY) === true;
}

/** The schema's ResourceIdentifier in ASCII, without `#`: a second one would make the URI invalid. */
const RESOURCE_ID = /^(?:smi|quakeml):[A-Za-z0-9][\w.*()~'-]{2,}\/[\w.*()~'-][\w.*()+?~'=,;/&-]*$/;

/** True for meaningless identifiers, made by our writer. */
export function isOwnId(id: string): boolean {
  return id.startsWith(OWN_AUTHORITY);
}

export function isResourceId(value: unknown): value is string {
  return typeof value === "string" && RESOURCE_ID.test(value) && !isOwnId(value);
}

function catalogueId(event: XmlNode): string | undefined {
  const code = textOf(event, "eventid");
  const source = textOf(event, "eventsource");
  if (code === undefined || source === undefined) return code;
  return code.startsWith(source) ? code : source + code;
}
