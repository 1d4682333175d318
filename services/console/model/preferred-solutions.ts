import { chosenMagnitude, chosenOrigin } from "#contracts/bulletin/preferred.ts";
import type { Bulletin, QuakemlObject } from "#contracts/bulletin/quakeml.ts";
import { isMadeOfRow } from "#contracts/seismic-event/ids.ts";
import { parseTime } from "#contracts/seismic-event/time.ts";

export type Origin = QuakemlObject<"Origin">;
export type Magnitude = QuakemlObject<"Magnitude">;
export type FocalMechanism = QuakemlObject<"FocalMechanism">;

/** The origin that the event's row shows, by the service's own rule; null without any. */
export function preferredOrigin(bulletin: Bulletin): Origin | null {
  const { origin: origins = [], focalMechanism: mechanisms = [], preferredOriginID } = bulletin;
  const centroids = mechanisms.flatMap(({ momentTensor = [] }) =>
    momentTensor.map(({ derivedOriginID }) => derivedOriginID),
  );
  const choices = origins.map((origin) => ({
    of: origin,
    publicID: origin.publicID,
    evaluationStatus: origin.evaluationStatus,
    created: () => parseTime(origin.creationInfo?.creationTime ?? ""),
  }));
  return chosenOrigin(choices, preferredOriginID, new Set(centroids)) ?? null;
}

/** The magnitude that the event's row shows, by the service's own rule; null without any. */
export function preferredMagnitude(bulletin: Bulletin): Magnitude | null {
  const { publicID, origin: origins = [], magnitude: magnitudes = [] } = bulletin;
  const { preferredMagnitudeID } = bulletin;
  const originIds = origins.map((origin) => origin.publicID);
  if (preferredMagnitudeID === undefined && isMadeOfRow(publicID, originIds)) return null;
  const choices = magnitudes.map((magnitude) => ({
    of: magnitude,
    publicID: magnitude.publicID,
    originID: magnitude.originID,
    type: magnitude.type,
    stations: magnitude.stationCount ?? 0,
  }));
  const origin = preferredOrigin(bulletin);
  return origin && (chosenMagnitude(choices, preferredMagnitudeID, origin.publicID) ?? null);
}

/** The mechanism that the event's row shows first: the one that is named, else the first; null without any. */
export function preferredMechanism({
  focalMechanism: mechanisms = [],
  preferredFocalMechanismID,
}: Bulletin): FocalMechanism | null {
  const named = mechanisms.find(({ publicID }) => publicID === preferredFocalMechanismID);
  return named ?? mechanisms[0] ?? null;
}
