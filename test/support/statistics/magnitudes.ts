import { readCsepSample, readQuakesearch } from "./real-catalogues.ts";
import { syntheticS1 } from "./synthetic-s1.ts";

/** Magnitudes of the catalogues of reference, as they are. */
export const magnitudesOf = {
  G: () => readQuakesearch("G").map(({ magnitude }) => magnitude),
  K: () => readQuakesearch("K").map(({ magnitude }) => magnitude),
  R: () => readCsepSample().map(({ M }) => M),
  S1: syntheticS1,
} as const;

/** The same in order of time, then of id or line. */
export function magnitudesInTime(name: "K" | "R"): number[] {
  const events =
    name === "K"
      ? readQuakesearch("K").map((row) => [row.origintime, row.publicid, row.magnitude] as const)
      : readCsepSample().map(
          (row, i) => [row.time_string, String(i).padStart(4, "0"), row.M] as const,
        );
  const inTime = events.toSorted((a, b) => (a[0] + a[1] < b[0] + b[1] ? -1 : 1));
  return inTime.map(([, , magnitude]) => magnitude);
}
