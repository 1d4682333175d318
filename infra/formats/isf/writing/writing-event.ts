import type { Bulletin, QuakemlObject } from "#contracts/bulletin/bulletin.ts";
import { parseTime } from "#contracts/seismic-event/parse-time.ts";
import { preferredOrigin } from "../../quakeml/row/preferred.ts";
import { ORIGIN } from "../columns/origin-columns.ts";
import { type Losses, lose } from "./losses.ts";
import { createShortIds, type ShortIds } from "./short-ids.ts";
import { holds } from "./write-columns.ts";

export type Origin = QuakemlObject<"Origin">;
export type Pick = QuakemlObject<"Pick">;
export type Arrival = QuakemlObject<"Arrival">;
export type Amplitude = QuakemlObject<"Amplitude">;
export type StationMagnitude = QuakemlObject<"StationMagnitude">;
export type Mechanism = QuakemlObject<"FocalMechanism">;

/** An event while it is written. */
export type WritingEvent = {
  readonly bulletin: Bulletin;
  /** Those with a time, and a place that fits. */
  readonly origins: readonly Origin[];
  /** The one whose time, place and arrivals the row shows. */
  readonly preferred: Origin | undefined;
  /** Of references to origins, which mean the first with an id. */
  readonly originIds: ShortIds;
  /** The id of an origin itself, which only it has. */
  readonly idOf: (origin: Origin) => string;
  readonly pickIds: ShortIds;
  readonly losses: Losses;
};

export function writingEvent(bulletin: Bulletin, losses: Losses): WritingEvent {
  const { origin: all = [], pick = [], focalMechanism = [] } = bulletin;
  const origins = all.filter(isWritable);
  const lost = all.filter((origin) => !origins.includes(origin));
  lose(losses.objects, "origin", lost.length);
  lose(losses.objects, "arrival", lost.flatMap(({ arrival = [] }) => arrival).length);
  const originIds = createShortIds(all.map(({ publicID }) => publicID));
  return {
    bulletin,
    origins,
    preferred: preferredOrigin(bulletin, origins, focalMechanism) as Origin | undefined,
    originIds,
    idOf: ownIds(origins, originIds, losses),
    pickIds: createShortIds(pick.map(({ publicID }) => publicID)),
    losses,
  };
}

function isWritable({ time, latitude, longitude }: Origin): boolean {
  return (
    parseTime(time.value) !== null &&
    holds(ORIGIN, "origin.latitude.value", latitude.value) &&
    holds(ORIGIN, "origin.longitude.value", longitude.value)
  );
}

/** Of several origins with one id the first has it, since references mean that one. */
function ownIds(origins: readonly Origin[], ids: ShortIds, losses: Losses) {
  const firsts = new Map(origins.toReversed().map((origin) => [origin.publicID, origin]));
  const others = origins.filter((origin) => firsts.get(origin.publicID) !== origin);
  const own = new Map(others.map((origin) => [origin, ids.fresh()]));
  losses.ids += own.size;
  return (origin: Origin) => own.get(origin) ?? ids.of(origin.publicID);
}
