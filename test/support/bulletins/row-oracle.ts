import type { Bulletin, QuakemlObject } from "#contracts/bulletin/bulletin.ts";

/**
 * What a row shows of a bulletin, by the rules as they are told (contracts/docs/bulletins.md), written without
 * the service's code.
 */
export function rowByTheRules(bulletin: Bulletin): Record<string, unknown> {
  const origin = originByTheRules(bulletin);
  const magnitude = magnitudeByTheRules(bulletin, origin);
  const { quality, originUncertainty: [area] = [], creationInfo } = origin;
  const { creationInfo: ofEvent } = bulletin;
  return {
    time: origin.time.value,
    time_uncertainty: origin.time.uncertainty ?? null,
    latitude: origin.latitude.value,
    latitude_uncertainty: origin.latitude.uncertainty ?? null,
    longitude: origin.longitude.value,
    longitude_uncertainty: origin.longitude.uncertainty ?? null,
    depth: within(kilometres(origin.depth?.value), -10, 1000),
    depth_uncertainty: kilometres(origin.depth?.uncertainty),
    depth_type: origin.depthType ?? null,
    evaluation_mode: origin.evaluationMode ?? null,
    evaluation_status: origin.evaluationStatus ?? null,
    agency_id: creationInfo?.agencyID ?? ofEvent?.agencyID ?? null,
    author: creationInfo?.author ?? ofEvent?.author ?? null,
    used_station_count: within(quality?.usedStationCount, 0),
    used_phase_count: within(quality?.usedPhaseCount, 0),
    azimuthal_gap: within(quality?.azimuthalGap, 0, 360),
    standard_error: quality?.standardError ?? null,
    minimum_distance: quality?.minimumDistance ?? null,
    horizontal_uncertainty: kilometres(
      area?.horizontalUncertainty ?? area?.maxHorizontalUncertainty,
    ),
    magnitude: within(magnitude?.mag.value, -3, 10),
    magnitude_type: magnitude?.type ?? null,
    magnitude_uncertainty: magnitude?.mag.uncertainty ?? null,
    magnitude_station_count: magnitude?.stationCount ?? null,
    region: regionByTheRules(bulletin) ?? origin.region ?? null,
    event_type: bulletin.type ?? null,
    event_type_certainty: bulletin.typeCertainty ?? null,
  };
}

/** Whether every origin is of a moment tensor. */
export function hasCentroidsAlone({ origin = [], focalMechanism = [] }: Bulletin): boolean {
  const centroids = centroidsOf(focalMechanism);
  return origin.every(({ publicID }) => centroids.includes(publicID));
}

function centroidsOf(mechanisms: readonly QuakemlObject<"FocalMechanism">[]): string[] {
  return mechanisms.flatMap(({ momentTensor = [] }) =>
    momentTensor.map(({ derivedOriginID }) => derivedOriginID),
  );
}

function originByTheRules(bulletin: Bulletin): QuakemlObject<"Origin"> {
  const { origin: all = [], focalMechanism = [], preferredOriginID } = bulletin;
  const named = all.find(({ publicID }) => publicID === preferredOriginID);
  if (named) return named;
  const centroids = centroidsOf(focalMechanism);
  const hypocentres = all.filter(({ publicID }) => !centroids.includes(publicID));
  const candidates = hypocentres.length > 0 ? hypocentres : all;
  let chosen: QuakemlObject<"Origin"> | undefined;
  for (const one of candidates) {
    if (one.evaluationStatus !== "reviewed" && one.evaluationStatus !== "final") continue;
    // Of those that were made at once, the one that comes later.
    if (chosen === undefined || madeAt(one) >= madeAt(chosen)) chosen = one;
  }
  const first = chosen ?? candidates[0];
  if (first === undefined) throw new Error("an event without an origin has no row");
  return first;
}

/** Milliseconds since 1970; times without a zone are UTC. */
function madeAt({ creationInfo }: QuakemlObject<"Origin">): number {
  const time = creationInfo?.creationTime;
  if (time === undefined) return Number.NEGATIVE_INFINITY;
  return Date.parse(/(?:Z|[+-]\d\d:\d\d)$/.test(time) ? time : `${time}Z`);
}

const ORDER = "Mww Mwc Mwb Mwr Mw Mwp Ms mB mb ML mbLg Md M".split(" ");

function magnitudeByTheRules(bulletin: Bulletin, { publicID }: QuakemlObject<"Origin">) {
  const { magnitude: all = [], preferredMagnitudeID } = bulletin;
  const named = all.find((one) => one.publicID === preferredMagnitudeID);
  if (named) return named;
  const ofOrigin = all.filter(({ originID }) => originID === publicID);
  const rank = ({ type = "" }: QuakemlObject<"Magnitude">) =>
    ORDER.includes(type) ? ORDER.indexOf(type) : ORDER.length;
  return (ofOrigin.length > 0 ? ofOrigin : all).toSorted(
    (a, b) => rank(a) - rank(b) || (b.stationCount ?? 0) - (a.stationCount ?? 0),
  )[0];
}

function regionByTheRules({ description = [] }: Bulletin): string | undefined {
  for (const wanted of ["region name", "Flinn-Engdahl region", "earthquake name"]) {
    const found = description.find(({ type }) => type === wanted);
    if (found !== undefined) return found.text;
  }
  return undefined;
}

function kilometres(metres: number | undefined): number | null {
  return metres === undefined ? null : metres / 1000;
}

function within(value: number | null | undefined, min: number, max = Number.POSITIVE_INFINITY) {
  return value != null && value >= min && value <= max ? value : null;
}
