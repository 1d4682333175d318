import { chosenMagnitude, chosenOrigin } from "#contracts/bulletin/preferred.ts";
import type { Bulletin, QuakemlObject } from "#contracts/bulletin/quakeml.ts";
import { isMadeOfRow } from "#contracts/seismic-event/ids.ts";
import { parseTime } from "#contracts/seismic-event/time.ts";
import { type ErrorEllipse, ellipseOf, ellipseOfRow, outlineOf } from "../model/error-ellipse.ts";
import type { Place } from "../model/great-circle.ts";
import { call, type SeismicEvent } from "./call.ts";

export type LocatedEvent = {
  readonly event: SeismicEvent;
  /** How well its epicentre is known; null where that is not told. */
  readonly ellipse: ErrorEllipse | null;
};

type Named = { readonly id: string; readonly eventId: string };

/**
 * An event with the error ellipse of its preferred origin, else of its row.
 * @param asOf the version; the latest without it
 * @throws CallError
 */
export async function readLocatedEvent(
  params: Named,
  asOf: string | undefined,
  signal?: AbortSignal,
): Promise<LocatedEvent> {
  const options = signal ? { signal } : {};
  const { event } = await call(
    "GET /api/catalogues/:id/events/:eventId",
    { params, query: { asOf } },
    options,
  );
  if (event.bulletin_counts === undefined) return { event, ellipse: ellipseOfRow(event) };
  const { bulletin } = await call(
    "GET /api/catalogues/:id/events/:eventId/bulletin",
    { params, query: { parts: "origin,focalMechanism", asOf } },
    options,
  );
  const origin = preferredOrigin(bulletin);
  return { event, ellipse: (origin && ellipseOf(origin)) ?? ellipseOfRow(event) };
}

/** The outline of where an event may lie, in a version; null where it does not tell. @throws CallError */
export async function outlineOfEvent(
  params: Named,
  asOf: string,
  signal: AbortSignal,
): Promise<readonly Place[] | null> {
  const { event, ellipse } = await readLocatedEvent(params, asOf, signal);
  return ellipse && outlineOf(event, ellipse);
}

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
