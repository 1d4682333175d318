import type { Bulletin, QuakemlObject } from "#contracts/bulletin/bulletin.ts";
import { preferredFirst, preferredMagnitude, preferredOrigin } from "../quakeml/row/preferred.ts";

/** The solutions of a bulletin that the event's row shows. */
export type Preferred = {
  readonly origin?: QuakemlObject<"Origin"> | undefined;
  readonly magnitude?: QuakemlObject<"Magnitude"> | undefined;
  readonly focalMechanism?: QuakemlObject<"FocalMechanism"> | undefined;
};

/** What the row shows, by the same rules; each is the bulletin's own object. */
export function shownSolutions(bulletin: Bulletin): Preferred {
  const { origin: origins = [], magnitude: magnitudes = [], focalMechanism = [] } = bulletin;
  const origin = preferredOrigin(bulletin, origins, focalMechanism);
  const magnitude = origin && preferredMagnitude(bulletin, magnitudes, origin, () => {});
  return {
    origin,
    magnitude,
    focalMechanism: preferredFirst(bulletin, focalMechanism)[0],
  } as Preferred;
}
