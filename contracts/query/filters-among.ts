import { type EventFilters, FILTER_NAMES } from "./filters.ts";

/** The filters among the parameters of a request, with what was found for them. */
export function filtersAmong(query: EventFilters): EventFilters {
  const { regionArea } = query;
  return { ...filtersAlone(query), ...(regionArea && { regionArea }) };
}

/** The filters that were asked for, without what was found for them. */
export function filtersAlone(filters: EventFilters): Omit<EventFilters, "regionArea"> {
  return Object.fromEntries(inUse(filters));
}

/** The same, as texts of a query string. */
export function filterTexts(filters: EventFilters): Record<string, string> {
  return Object.fromEntries(inUse(filters).map(([name, value]) => [name, String(value)]));
}

/** A text of all that filters mean: of a region what it is, too. */
export function filterKey(filters: EventFilters): string {
  const { regionArea, features } = filters;
  return JSON.stringify([filterTexts(filters), regionArea?.revision, features?.texts]);
}

function inUse(filters: EventFilters) {
  return FILTER_NAMES.map((name) => [name, filters[name]] as const).filter(
    ([, value]) => value !== undefined,
  );
}
