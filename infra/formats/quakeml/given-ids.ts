import { bareId } from "#contracts/seismic-event/public-id.ts";
import { textOf } from "../xml/xml-node.ts";
import type { XmlNode } from "../xml/xml-shape.ts";
import { EVENT_ID_PATH, OWN_AUTHORITY, SOURCE_ID_PATH } from "./own-namespace.ts";

/** The agency's ids of an event. */
type GivenIds = { readonly sourceId: string | undefined; readonly publicId: string | undefined };

/**
 * The bare id of an event, and its public id if that says more. The bare id consists of source and
 * code in USGS's attributes (`us`, `6000kawn` gives "us6000kawn", as in USGS's other formats), else
 * it is part of the public id. Ids that our writer makes do not count.
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

/** True for meaningless identifiers, made by our writer. */
export function isOwnId(id: string): boolean {
  return id.startsWith(OWN_AUTHORITY);
}

function catalogueId(event: XmlNode): string | undefined {
  const code = textOf(event, "eventid");
  const source = textOf(event, "eventsource");
  if (code === undefined || source === undefined) return code;
  return code.startsWith(source) ? code : source + code;
}
