import { EVENT_ID_PATH, OWN_AUTHORITY, SOURCE_ID_PATH } from "./own-namespace.ts";
import { textOf } from "./xml-node.ts";
import type { XmlNode } from "./xml-shape.ts";

/** Ids in a query, as USGS, INGV and ISC write them: `…?eventid=us123`, `…/evid=7453151`. */
const ID_PARAMETER = /[?&/](?:eventid|evid|id)=([^&#/]+)/i;
/** Last path parts that name the kind of a thing and not the thing. */
const NO_IDENTIFIER = /^(?:event)?#?$/i;

/** Which id an event has with its agency, and its public id where that says more. */
export type EventIdentity = {
  readonly sourceId: string | undefined;
  readonly publicId: string | undefined;
};

/**
 * The bare id of an event (contract §9): the source and code in USGS's attributes (`us`, `6000kawn` is
 * "us6000kawn", as in all its other formats), else the id in the query of the public id, else the last
 * part of its path. Ids of our own making are none.
 */
export function identityOf(event: XmlNode): EventIdentity {
  const publicId = textOf(event, "publicID");
  if (publicId?.startsWith(EVENT_ID_PATH)) return { sourceId: undefined, publicId: undefined };
  if (publicId?.startsWith(SOURCE_ID_PATH)) {
    return { sourceId: publicId.slice(SOURCE_ID_PATH.length), publicId: undefined };
  }
  const sourceId = catalogueId(event) ?? (publicId === undefined ? undefined : bareId(publicId));
  return { sourceId, publicId: publicId === sourceId ? undefined : publicId };
}

/** True for identifiers that the writer made and that say nothing. */
export function isOwnId(id: string): boolean {
  return id.startsWith(OWN_AUTHORITY);
}

function catalogueId(event: XmlNode): string | undefined {
  const code = textOf(event, "eventid");
  const source = textOf(event, "eventsource");
  if (code === undefined || source === undefined) return code;
  return code.startsWith(source) ? code : source + code;
}

/**
 * The bare id in a public one, with its agency: `2024p344188` of `smi:nz.org.geonet/2024p344188`,
 * `us7000abcd` of `quakeml:us.anss.org/event/us7000abcd`, `123` of `…/query?eventId=123`. A bare id is
 * its own.
 */
export function bareId(publicId: string): string | undefined {
  const parameter = ID_PARAMETER.exec(publicId)?.[1];
  if (parameter !== undefined) return parameter;
  return publicId.split("/").findLast((part) => !NO_IDENTIFIER.test(part));
}
