import { signal } from "@preact/signals";
import { filtersInWords } from "#contracts/query/filters.ts";

/** Names of saved regions by their ids, as far as they were read. */
export const regionNames = signal<ReadonlyMap<string, string>>(new Map());

/** Filters as a seismologist writes them, with the name of a region where it is known. */
export function filterWords(filters: Readonly<Record<string, unknown>>): readonly string[] {
  const { region } = filters;
  const name = typeof region === "string" ? regionNames.value.get(region) : undefined;
  return filtersInWords(name === undefined ? filters : { ...filters, region: name });
}
