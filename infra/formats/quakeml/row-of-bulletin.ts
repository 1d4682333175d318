import type { Bulletin } from "#contracts/bulletin/bulletin.ts";
import type { JsonObject } from "#contracts/seismic-event/seismic-event.ts";
import { childrenOf, type Members } from "./row/members.ts";
import { preferredOrigin } from "./row/preferred.ts";
import { readEvent } from "./row/read-event.ts";

/**
 * The row that shows a bulletin's preferred solution, or why there is none: canonical names, depth and
 * uncertainties in kilometres, what has no attribute under `extra`. Values that QuakeML does not allow,
 * which are in `foreign`, count as what they stand for.
 */
export function rowOfBulletin(
  bulletin: Bulletin,
  warn: (message: string) => void,
): JsonObject | string {
  const event: Members = bulletin;
  const mechanisms = childrenOf(event, "focalMechanism");
  const origin = preferredOrigin(event, childrenOf(event, "origin"), mechanisms);
  if (origin === undefined) return "the event has no origin";
  return readEvent(
    { event, origin, magnitudes: childrenOf(event, "magnitude"), mechanisms, own: undefined },
    warn,
  );
}
