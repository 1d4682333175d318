import { z } from "zod";
import { FeatureQuery, featureFiltersOf } from "#contracts/http/clients/ogc-items.ts";
import { FilterTexts } from "#contracts/query/filter-parameters.ts";
import type { EventFilters } from "#contracts/query/filters.ts";
import { filterTexts } from "#contracts/query/filters-among.ts";
import { invalidCursor } from "./cursor-text.ts";

/** The filters in a cursor, as texts of a query string. */
export const CursorFilters = {
  filters: FilterTexts,
  /** What the region among them was at the beginning. */
  regionRevision: z.string().optional(),
  features: FeatureQuery.optional(),
};
type CursorFilters = z.output<z.ZodObject<typeof CursorFilters>>;

export function toCursorFilters(filters: EventFilters) {
  const { regionArea, features } = filters;
  return {
    filters: filterTexts(filters),
    ...(features && { features: features.texts }),
    ...(regionArea && { regionRevision: regionArea.revision }),
  };
}

/**
 * The filters of a cursor.
 * @param request filters that stand beside it again, and the region that it names as it is now
 * @throws Refusal INVALID_CURSOR where they differ, or the region has changed meanwhile
 */
export function filtersOfCursor(
  { filters: parameters, features, regionRevision }: CursorFilters,
  request: EventFilters,
): EventFilters {
  const filters = { ...parameters, ...(features && featureFiltersOf(features)) };
  const known = { ...filterTexts(filters), ...filters.features?.texts };
  const repeated = Object.entries({ ...filterTexts(request), ...request.features?.texts });
  if (!repeated.every(([name, value]) => known[name] === value)) throw invalidCursor();
  if (filters.region === undefined) return filters;
  const { regionArea } = request;
  if (regionArea?.revision === regionRevision && regionArea) return { ...filters, regionArea };
  throw invalidCursor("The region has changed since the first page");
}
