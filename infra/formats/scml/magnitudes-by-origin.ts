import type { Bulletin, QuakemlObject } from "#contracts/bulletin/bulletin.ts";

type Origin = QuakemlObject<"Origin">;
type OfOrigin<M> = ReadonlyMap<Origin, readonly M[]>;

type MagnitudesByOrigin = {
  readonly magnitudes: OfOrigin<QuakemlObject<"Magnitude">>;
  readonly stationMagnitudes: OfOrigin<QuakemlObject<"StationMagnitude">>;
};

/**
 * An event's magnitudes by the origins in which SCML has them. Those of no origin of the event stand in
 * the preferred one, with the id that they name, if they name one; without origins they have no place.
 */
export function magnitudesByOrigin(bulletin: Bulletin): MagnitudesByOrigin {
  const { origin = [], preferredOriginID, magnitude = [], stationMagnitude = [] } = bulletin;
  // Of several with an id, a reference means the first.
  const ids = new Map(origin.toReversed().map((one) => [one.publicID, one]));
  const home = ids.get(preferredOriginID ?? "") ?? origin[0];

  function grouped<M extends { readonly originID?: string }>(list: readonly M[]): OfOrigin<M> {
    const lists = new Map<Origin, M[]>();
    for (const item of list) {
      const place = ids.get(item.originID ?? "") ?? home;
      if (place === undefined) continue;
      const present = lists.get(place);
      if (present === undefined) lists.set(place, [item]);
      else present.push(item);
    }
    return lists;
  }

  return { magnitudes: grouped(magnitude), stationMagnitudes: grouped(stationMagnitude) };
}
