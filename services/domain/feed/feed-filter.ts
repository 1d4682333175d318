import type { EventFilters, Held } from "#contracts/query/filter-parameters.ts";
import type { BulletinCounts } from "#contracts/seismic-event/bulletin-counts.ts";
import { isBetweenMeridians } from "#contracts/seismic-event/longitude.ts";
import { greatCircleKm } from "../merge/great-circle.ts";

/** What a feed's filters look at; units as in the event's record. */
export type FilteredEvent = {
  readonly latitude: number;
  readonly longitude: number;
  readonly magnitude: number | null;
  readonly event_type: string | null;
  readonly focal_mechanisms: unknown;
  /** Absent without a bulletin. */
  readonly bulletin_counts?: BulletinCounts | undefined;
};

export type FeedFilter = (event: FilteredEvent) => boolean;

type Filters = Pick<
  EventFilters,
  | "minMagnitude"
  | "minLatitude"
  | "maxLatitude"
  | "minLongitude"
  | "maxLongitude"
  | "eventType"
  | "latitude"
  | "longitude"
  | "minRadiusKm"
  | "maxRadiusKm"
  | "has"
  | "minOrigins"
  | "minMagnitudes"
>;

/** Whether an event satisfies every filter, as the list of filtered events means them; null without any. */
export function feedFilter(filters: Filters): FeedFilter | null {
  const tests = [
    ofMagnitude(filters),
    ofLatitude(filters),
    ofLongitude(filters),
    ofType(filters),
    ofCircle(filters),
    holding(filters),
    ofOrigins(filters),
    ofMagnitudes(filters),
  ].filter((test) => test !== null);
  return tests.length === 0 ? null : (event) => tests.every((test) => test(event));
}

function ofMagnitude({ minMagnitude }: Filters): FeedFilter | null {
  if (minMagnitude === undefined) return null;
  return ({ magnitude }) => magnitude !== null && magnitude >= minMagnitude;
}

function ofLatitude({ minLatitude, maxLatitude }: Filters): FeedFilter | null {
  if (minLatitude === undefined && maxLatitude === undefined) return null;
  const [min, max] = [minLatitude ?? -90, maxLatitude ?? 90];
  return ({ latitude }) => latitude >= min && latitude <= max;
}

function ofLongitude({ minLongitude, maxLongitude }: Filters): FeedFilter | null {
  if (minLongitude === undefined && maxLongitude === undefined) return null;
  const [west, east] = [minLongitude ?? -180, maxLongitude ?? 180];
  return ({ latitude, longitude }) => isBetweenMeridians(west, east, latitude, longitude);
}

function ofType({ eventType }: Filters): FeedFilter | null {
  if (eventType === undefined) return null;
  const types: ReadonlySet<string> = new Set(eventType);
  return ({ event_type: type }) => type !== null && types.has(type);
}

function ofCircle(filters: Filters): FeedFilter | null {
  const { latitude, longitude, minRadiusKm = 0, maxRadiusKm } = filters;
  if (latitude === undefined || longitude === undefined) return null;
  const max = maxRadiusKm ?? Number.POSITIVE_INFINITY;
  return (event) => {
    const distanceKm = greatCircleKm({ latitude, longitude }, event);
    return distanceKm >= minRadiusKm && distanceKm <= max;
  };
}

function holding({ has }: Filters): FeedFilter | null {
  if (has === undefined) return null;
  return (event) => has.every((held) => holds(event, held));
}

function holds({ focal_mechanisms: ofRow, bulletin_counts: counts }: FilteredEvent, held: Held) {
  if (held === "bulletin") return counts !== undefined;
  if (held === "focal_mechanisms" && ofRow !== null) return true;
  return counts !== undefined && counts[held] > 0;
}

function ofOrigins({ minOrigins }: Filters): FeedFilter | null {
  if (minOrigins === undefined) return null;
  return ({ bulletin_counts: counts }) => (counts?.origins ?? 1) >= minOrigins;
}

function ofMagnitudes({ minMagnitudes }: Filters): FeedFilter | null {
  if (minMagnitudes === undefined) return null;
  return ({ bulletin_counts: counts, magnitude }) =>
    (counts?.magnitudes ?? (magnitude === null ? 0 : 1)) >= minMagnitudes;
}
