import {
  EVENT_ID_PATH,
  isMadeOfRow,
  SOURCE_ID_PATH,
} from "#contracts/seismic-event/own-public-id.ts";
import { bareId } from "#contracts/seismic-event/public-id.ts";
import { isServiceId } from "../shared/service-id.ts";
import { childrenOf, foreignAttribute, type Members, textOf } from "./members.ts";

type AgencyIds = { readonly sourceId: string | undefined; readonly publicId: string | undefined };

const NONE: AgencyIds = { sourceId: undefined, publicId: undefined };

/**
 * The bare id of an event, and its public id if that says more. The bare id consists of source and
 * code in USGS's attributes (`us`, `6000kawn` gives "us6000kawn", as in USGS's other formats), else
 * it is part of the public id. Ids that our writer makes do not count.
 */
export function idsOfEvent(event: Members): AgencyIds {
  const publicId = textOf(event, "publicID");
  if (publicId?.startsWith(EVENT_ID_PATH)) return NONE;
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
