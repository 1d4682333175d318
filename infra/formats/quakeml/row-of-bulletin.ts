import type { Bulletin } from "#contracts/bulletin/bulletin.ts";
import type { JsonObject } from "#contracts/seismic-event/seismic-event.ts";
import { childrenOf, type Members } from "./row/members.ts";
import { preferredOrigin } from "./row/preferred.ts";
import { type EventParts, readEvent } from "./row/read-event.ts";

/**
 * The row that shows a bulletin's preferred solution, or why there is none: canonical names, depth and
 * uncertainties in kilometres, what has no attribute under `extra`. Values that QuakeML does not allow,
 * which are in `foreign`, count as what they stand for.
 */
export function rowOfBulletin(
  bulletin: Bulletin,
  warn: (message: string) => void,
): JsonObject | string {
  return rowOfEvent(bulletin, warn);
}

/** @param spelled numbers as they were spelled, of an event that has just been read */
export function rowOfEvent(
  event: Members,
  warn: (message: string) => void,
  spelled: EventParts["spelled"] = [],
): JsonObject | string {
  const mechanisms = childrenOf(event, "focalMechanism");
  const origin = preferredOrigin(event, childrenOf(event, "origin"), mechanisms);
  if (origin === undefined) return "the event has no origin";
  const magnitudes = childrenOf(event, "magnitude");
  return readEvent({ event, origin, magnitudes, mechanisms, spelled }, warn);
}
