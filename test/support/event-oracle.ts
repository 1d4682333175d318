import type { FilteredQuery } from "#contracts/http/events.ts";
import type { EventOrder } from "#contracts/query/parameters.ts";
import type { SeismicEvent } from "#contracts/seismic-event/seismic-event.ts";
import { timeToMicros } from "#contracts/seismic-event/time.ts";

/** Mean radius R₁ (IUGG), kilometres. */
const EARTH_RADIUS_KM = 6371.0088;

/** The events in the order asked for: the contract's words, done in memory. */
export function inOrder(events: readonly SeismicEvent[], order: EventOrder): SeismicEvent[] {
  const sign = order.endsWith("-asc") ? 1 : -1;
  const magnitude = (event: SeismicEvent) =>
    order.startsWith("magnitude") ? (event.magnitude ?? Number.NEGATIVE_INFINITY) : 0;
  return events.toSorted(
    (a, b) =>
      sign *
      (compare(magnitude(a), magnitude(b)) ||
        compare(timeToMicros(a.time), timeToMicros(b.time)) ||
        compare(a.id, b.id)),
  );
}

function compare<T extends number | bigint | string>(a: T, b: T): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** An event that is not merged, as the API answers it. */
export function unmerged({
  source_events: _,
  ...event
}: SeismicEvent): Omit<SeismicEvent, "source_events"> {
  return event;
}

/** An event as lists show it. */
export function listed(event: SeismicEvent) {
  return { ...unmerged(event), source_count: event.source_events?.length ?? 1 };
}

/** The same where lists are asked for the members of merged events. */
export function listedWithSources(event: SeismicEvent) {
  const { source_events } = event;
  return { ...listed(event), ...(source_events && { source_events }) };
}

/** Great-circle distance by vectors: independent of the haversine formula and exact everywhere. */
export function distanceKm(a: Place, b: Place): number {
  const [u, v] = [unitVector(a), unitVector(b)];
  const cross = Math.hypot(u.y * v.z - u.z * v.y, u.z * v.x - u.x * v.z, u.x * v.y - u.y * v.x);
  return EARTH_RADIUS_KM * Math.atan2(cross, u.x * v.x + u.y * v.y + u.z * v.z);
}

type Place = { readonly latitude: number; readonly longitude: number };

function unitVector({ latitude, longitude }: Place) {
  const [phi, lambda] = [(latitude * Math.PI) / 180, (longitude * Math.PI) / 180];
  const r = Math.cos(phi);
  return { x: r * Math.cos(lambda), y: r * Math.sin(lambda), z: Math.sin(phi) };
}

type Filters = Partial<FilteredQuery>;

/** Whether an event satisfies every filter (`contracts/docs/events.md`, Reading). */
export function satisfies(event: SeismicEvent, filters: Filters): boolean {
  return (
    within(event.magnitude, filters.minMagnitude, filters.maxMagnitude) &&
    within(event.depth, filters.minDepth, filters.maxDepth) &&
    within(timeToMicros(event.time), micros(filters.startTime), micros(filters.endTime)) &&
    within(event.latitude, filters.minLatitude, filters.maxLatitude) &&
    (Math.abs(event.latitude) === 90 || withinLongitudes(event.longitude, filters)) &&
    oneOf(event.event_type, filters.eventType) &&
    oneOf(event.magnitude_type, filters.magnitudeType) &&
    oneOf(event.evaluation_status, filters.evaluationStatus) &&
    oneOf(event.evaluation_mode, filters.evaluationMode) &&
    within(event.azimuthal_gap, undefined, filters.maxAzimuthalGap) &&
    within(event.used_station_count, filters.minUsedStationCount, undefined) &&
    within(event.used_phase_count, filters.minUsedPhaseCount, undefined) &&
    within(event.standard_error, undefined, filters.maxStandardError) &&
    within(event.magnitude_uncertainty, undefined, filters.maxMagnitudeUncertainty) &&
    withinCircle(event, filters)
  );
}

function micros(time: string | undefined): bigint | undefined {
  return time === undefined ? undefined : timeToMicros(time);
}

function within<T extends number | bigint>(
  value: T | null,
  min: T | undefined,
  max: T | undefined,
): boolean {
  if (min === undefined && max === undefined) return true;
  if (value === null) return false;
  return (min === undefined || value >= min) && (max === undefined || value <= max);
}

function oneOf(value: string | null, list: readonly string[] | undefined): boolean {
  return list === undefined || (value !== null && list.includes(value.toLowerCase()));
}

/** The box is the way east from the lower bound to the upper; ±180° are one meridian. */
function withinLongitudes(longitude: number, { minLongitude, maxLongitude }: Filters): boolean {
  if (minLongitude === undefined && maxLongitude === undefined) return true;
  const [west, east] = [minLongitude ?? -180, maxLongitude ?? 180];
  const same = Math.abs(longitude) === 180 ? [-180, 180] : [longitude];
  return same.some((value) =>
    west <= east ? value >= west && value <= east : value >= west || value <= east,
  );
}

function withinCircle(event: SeismicEvent, filters: Filters): boolean {
  const { latitude, longitude, minRadiusKm, maxRadiusKm } = filters;
  if (latitude === undefined || longitude === undefined) return true;
  return within(distanceKm(event, { latitude, longitude }), minRadiusKm, maxRadiusKm);
}
