import { bareId } from "#contracts/seismic-event/public-id.ts";
import { textOf } from "../xml/xml-node.ts";
import type { XmlNode } from "../xml/xml-shape.ts";
import { EVENT_ID_PATH, OWN_AUTHORITY, SOURCE_ID_PATH } from "./own-namespace.ts";

/** Which ids an event has with its agency. */
type GivenIds = { readonly sourceId: string | undefined; readonly publicId: string | undefined };

/**
 * The bare id of an event, and its public id where that says more. The bare one is the source and code in
 * USGS's attributes (`us`, `6000kawn` is "us6000kawn", as in all its other formats), else that in the
 * public id. Ids of our own making are none.
 */
export function givenIds(event: XmlNode): GivenIds {
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
