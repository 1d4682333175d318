import type { Text } from "./filter.ts";
import { valueText } from "./filter-words.ts";
import { FILTER_NAMES, FILTERS, type FilterName } from "./filters.ts";

/**
 * Filters as a seismologist writes them: "M ≥ 2", "depth ≤ 40 km", "within 30 km of 38.8° S 175.9° E".
 * @param filters by the API's names, as an address has them or as they were read; other names are left out
 */
export function filtersInWords(filters: Readonly<Record<string, unknown>>): readonly string[] {
  const texts = Object.fromEntries(
    FILTER_NAMES.map((name) => [name, valueText(filters[name])]),
  ) as Record<FilterName, Text>;
  return FILTERS.flatMap(({ words }) => words(texts)).filter((text) => text !== null);
}
