import type { JsonObject, JsonValue } from "#contracts/seismic-event/seismic-event.ts";
import type { AgencyQuery } from "./agency-query.ts";

/**
 * Tests whether a row lies within the query's bounds of place, depth and magnitude, which are
 * inclusive.
 */
export function createEventFilter(query: AgencyQuery): (row: JsonObject) => boolean {
  const magnitude = within(query.minMagnitude, query.maxMagnitude);
  const depth = within(query.minDepth, query.maxDepth);
  const latitude = within(query.minLatitude, query.maxLatitude);
  const longitude = withinLongitudes(query.minLongitude ?? null, query.maxLongitude ?? null);
  return (row) =>
    magnitude(row["magnitude"]) &&
    depth(row["depth"]) &&
    latitude(row["latitude"]) &&
    longitude(row["longitude"]);
}

type Test = (value: JsonValue | undefined) => boolean;

function within(min: number | null | undefined, max: number | null | undefined): Test {
  const [low, high] = [min ?? Number.NEGATIVE_INFINITY, max ?? Number.POSITIVE_INFINITY];
  if (low === Number.NEGATIVE_INFINITY && high === Number.POSITIVE_INFINITY) return () => true;
  return (value) => typeof value === "number" && value >= low && value <= high;
}

function withinLongitudes(min: number | null, max: number | null): Test {
  if (min === null && max === null) return () => true;
  const [west, east] = [min ?? -180, max ?? 180];
  const isInside = (longitude: number) =>
    west <= east ? longitude >= west && longitude <= east : longitude >= west || longitude <= east;
  return (value) => {
    if (typeof value !== "number") return false;
    const longitude = value > 180 ? value - 360 : value;
    // 180° and −180° are the same meridian.
    return isInside(longitude) || (Math.abs(longitude) === 180 && isInside(-longitude));
  };
}
