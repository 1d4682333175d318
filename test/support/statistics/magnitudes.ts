import { readCsepSample, readQuakesearch } from "./real-catalogues.ts";
import { syntheticS1 } from "./synthetic-s1.ts";

/** Magnitudes of the catalogues of reference, as they are. */
export const magnitudesOf = {
  G: () => readQuakesearch("G").map(({ magnitude }) => magnitude),
  K: () => readQuakesearch("K").map(({ magnitude }) => magnitude),
  R: () => readCsepSample().map(({ M }) => M),
  S1: syntheticS1,
} as const;
