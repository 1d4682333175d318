import type { ComparisonAnswer } from "#contracts/http/analytics/comparison.ts";
import { roundedBy, significant } from "#contracts/plots/number-text.ts";
import type { Table } from "../../plots/chart/drawing.ts";
import { csvOf } from "../../ui/text/csv.ts";
import { count, decimal, UNKNOWN } from "../../ui/text/format.ts";
import type { MagnitudePair } from "./comparison-charts.ts";

type Estimate = ComparisonAnswer["estimate"];

export function linesTable({ ols, gor, theilSen }: Estimate): Table {
  const lines = [
    ["General orthogonal", gor, null],
    ["Theil–Sen", theilSen, theilSen],
    ["Least squares", ols, null],
  ] as const;
  return {
    label: "Regression lines",
    texts: 1,
    heads: ["Line", "Slope", "95 %", "Intercept", "σ of y"],
    rows: lines.flatMap(([name, line, interval]) =>
      line === null
        ? []
        : [
            [
              name,
              decimal(line.slope, 3),
              interval
                ? `${decimal(interval.slopeLow, 3)} to ${decimal(interval.slopeHigh, 3)}`
                : UNKNOWN,
              decimal(line.intercept, 3),
              significant(line.sigma, 2),
            ],
          ],
    ),
  };
}

export function residualsTable(residuals: Estimate["residuals"]): Table {
  const rows = [
    ["Time, s", residuals.time],
    ["Distance, km", residuals.distance],
    ["Depth, km", residuals.depth],
    ["Magnitude", residuals.magnitude],
  ] as const;
  return {
    label: "Differences",
    texts: 1,
    heads: ["b − a", "Pairs", "Median", "σ", "5 %", "95 %"],
    rows: rows.flatMap(([name, spread]) => {
      if (spread === null) return [];
      const { n, median, sigma, p05, p95 } = spread;
      const text = (value: number) => (sigma > 0 ? roundedBy(sigma, value) : significant(value, 3));
      return [[name, count(n), ...[median, sigma, p05, p95].map(text)]];
    }),
  };
}

/** By the types of the magnitudes in a and in b, which need not agree. */
export function typesTable(series: ComparisonAnswer["series"]): Table {
  return {
    label: "By magnitude types",
    texts: 2,
    heads: ["Type in a", "Type in b", "Pairs", "Median of b − a", "Slope", "Intercept"],
    rows: series.map(({ types, n, magnitude, gor }) => [
      types.a ?? UNKNOWN,
      types.b ?? UNKNOWN,
      count(n),
      decimal(magnitude.median, 2),
      decimal(gor?.slope, 3),
      decimal(gor?.intercept, 3),
    ]),
  };
}

export function pairsCsv(pairs: readonly MagnitudePair[]): string {
  return csvOf(
    ["id_a", "id_b", "magnitude_a", "magnitude_b"],
    pairs.map(({ idA, idB, x, y }) => [idA, idB, x, y]),
  );
}

export function binsCsv(bins: ComparisonAnswer["bins"]): string {
  return csvOf(
    ["magnitude", "a_matched", "a_unmatched", "b_matched", "b_unmatched"],
    bins.map(({ magnitude, a, b }) => [magnitude, a.matched, a.unmatched, b.matched, b.unmatched]),
  );
}
