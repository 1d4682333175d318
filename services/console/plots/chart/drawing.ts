import type { Chart } from "./chart-types.ts";

/** A list of an answer as a table; all columns but those of texts are numbers. */
export type Table = {
  readonly label: string;
  readonly heads: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** How many columns from the left are texts. */
  readonly texts: number;
};

/** What is drawn of an answer here, where the service has no plot of it. */
export type Drawing = { readonly chart: Chart; readonly table: Table | null };
