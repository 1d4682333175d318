import type { filterShape } from "#contracts/query/filter-parameters.ts";

export type FilterName = keyof typeof filterShape;

/** Filters by the API's names, as typed; empty ones are left out. */
export type FilterValues = Readonly<Partial<Record<FilterName, string>>>;

/** Who applies a filter: the browser, where it needs no more than place, time, depth and magnitude. */
const APPLIED_BY: Readonly<Record<FilterName, "browser" | "service">> = {
  minMagnitude: "browser",
  maxMagnitude: "browser",
  minDepth: "browser",
  maxDepth: "browser",
  startTime: "browser",
  endTime: "browser",
  minLatitude: "browser",
  maxLatitude: "browser",
  minLongitude: "browser",
  maxLongitude: "browser",
  eventType: "service",
  magnitudeType: "service",
  evaluationStatus: "service",
  evaluationMode: "service",
  maxAzimuthalGap: "service",
  minUsedStationCount: "service",
  minUsedPhaseCount: "service",
  maxStandardError: "service",
  maxMagnitudeUncertainty: "service",
  latitude: "service",
  longitude: "service",
  maxRadiusKm: "service",
  minRadiusKm: "service",
  has: "service",
  minOrigins: "service",
  minMagnitudes: "service",
};

export const FILTER_NAMES = Object.keys(APPLIED_BY) as readonly FilterName[];
export const SERVICE_FILTERS = FILTER_NAMES.filter((name) => APPLIED_BY[name] === "service");
