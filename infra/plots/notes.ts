import type { z } from "zod";
import type { getRates } from "#contracts/http/analytics/rates.ts";
import { numberText } from "#contracts/plots/number-text.ts";
import { filtersInWords } from "#contracts/query/filters-in-words.ts";

/** What every analysis tells of its events. */
export type Analysed = Pick<Answer<typeof getRates>, "filters" | "input" | "reference">;

/** The answer of an analysis. */
export type Answer<O extends { readonly success: { readonly schema: z.ZodType } }> = z.output<
  O["success"]["schema"]
>;

/** A parameter as the answer shows it. */
export function numberOf(
  { parameters }: Pick<Answer<typeof getRates>, "parameters">,
  name: string,
) {
  return Number(parameters[name]);
}

/** The events of a plot, how they were chosen, and the papers of its methods. */
export function notesOf(first: Analysed, ...others: readonly Analysed[]): string[] {
  const { events, start, end } = first.input;
  const filters = filtersInWords(first.filters);
  const references = [first, ...others].flatMap(({ reference }) => reference ?? []);
  return [
    `${numberText(events)} events`,
    ...(start === null || end === null ? [] : [`${start.slice(0, 10)} to ${end.slice(0, 10)}`]),
    ...(filters.length === 0 ? [] : [filters.join(", ")]),
    ...(references.length === 0 ? [] : [[...new Set(references)].join("; ")]),
  ];
}
