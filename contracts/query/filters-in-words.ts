import type { Parameter, Text } from "./filter.ts";
import { valueText } from "./filter-words.ts";
import { FILTER_NAMES, FILTER_PARAMETERS, FILTERS, type FilterName } from "./filters.ts";

/**
 * Filters as a seismologist writes them: "M ≥ 2", "depth ≤ 40 km", "within 30 km of 38.8° S 175.9° E".
 * @param filters by the API's names, as an address has them or as they were read; other names are left out
 */
export function filtersInWords(filters: Readonly<Record<string, unknown>>): readonly string[] {
  const texts = Object.fromEntries(
    FILTER_NAMES.map((name) => [name, textOf(FILTER_PARAMETERS[name], filters[name])]),
  ) as Record<FilterName, Text>;
  return FILTERS.flatMap(({ words }) => words(texts)).filter((text) => text !== null);
}

function textOf({ kind }: Parameter, value: unknown): Text {
  const isAsWritten = kind === "text" || kind === "id";
  return isAsWritten && typeof value === "string" ? value || null : valueText(value);
}
