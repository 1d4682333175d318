import { FILTERS, type FilterName } from "#contracts/query/filters.ts";

/** Filters by the API's names, as typed; empty ones are left out. */
export type FilterValues = Readonly<Partial<Record<FilterName, string>>>;

/**
 * Those that the browser cannot apply by itself. It could tell polygons, but has places in single precision: of these none
 * lies exactly on an edge that slants.
 */
export const SERVICE_FILTERS = FILTERS.flatMap((filter) =>
  "isInConsole" in filter ? [] : (Object.keys(filter.parameters) as FilterName[]),
);
