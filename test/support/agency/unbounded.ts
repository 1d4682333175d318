import type { ImportFilters } from "#contracts/events/imports.ts";

/** Filters that let every event through. */
export const UNBOUNDED: ImportFilters = {
  minMagnitude: null,
  maxMagnitude: null,
  minDepth: null,
  maxDepth: null,
  minLatitude: null,
  maxLatitude: null,
  minLongitude: null,
  maxLongitude: null,
};
