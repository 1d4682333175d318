import type { ComparisonAnswer } from "#contracts/http/analytics/comparison.ts";
import type { Chart, Mark } from "../../plots/chart/chart-types.ts";
import { linearOver, rangeOf, type Scale } from "../../plots/chart/scale.ts";

/** The magnitudes of an earthquake in both catalogues, with its events there. */
export type MagnitudePair = {
  readonly idA: string;
  readonly idB: string;
  readonly x: number;
  readonly y: number;
};

type Named = { readonly a: string; readonly b: string };

const LINES = [
  { key: "gor", name: "General orthogonal", colour: 1 },
  { key: "theilSen", name: "Theil–Sen", colour: 2 },
  { key: "ols", name: "Least squares", colour: 3 },
] as const;

/** Magnitudes of b by those of a, with the lines as far as these reach. */
export function magnitudesChart(
  { estimate }: Pick<ComparisonAnswer, "estimate">,
  pairs: readonly MagnitudePair[],
  { a, b }: Named,
  notes: readonly string[],
): Chart | null {
  const { range } = estimate;
  const all = rangeOf([
    ...pairs.flatMap(({ x, y }) => [x, y]),
    ...(range ? [range.min, range.max] : []),
  ]);
  if (all === null) return null;
  const axis = linearOver(all);
  return {
    title: "Magnitudes of both",
    notes,
    x: { ...axis, label: `a: ${a}` },
    panels: [
      {
        height: 420,
        y: { ...axis, label: `b: ${b}` },
        marks: [
          diagonalOf(axis),
          ...(pairs.length > 0 ? [discsOf(pairs)] : []),
          ...linesOf(estimate),
        ],
      },
    ],
  };
}

function diagonalOf({ from, to }: Scale): Mark {
  const points = [[from, from] as const, [to, to] as const];
  return { kind: "line", name: "y = x", colour: "ink", isDashed: true, points };
}

function discsOf(pairs: readonly MagnitudePair[]): Mark {
  const points = pairs.map(({ x, y }) => [x, y] as const);
  return { kind: "discs", name: "Pairs of events", colour: 0, points };
}

function linesOf({ range, ...estimate }: ComparisonAnswer["estimate"]): readonly Mark[] {
  if (range === null) return [];
  return LINES.flatMap(({ key, name, colour }): readonly Mark[] => {
    const line = estimate[key];
    if (line === null) return [];
    const at = (x: number) => [x, line.intercept + line.slope * x] as const;
    return [{ kind: "line", name, colour, points: [at(range.min), at(range.max)] }];
  });
}

/** How many events of each magnitude the other catalogue has too. */
export function matchesChart(
  { bins }: Pick<ComparisonAnswer, "bins">,
  notes: readonly string[],
): Chart | null {
  if (bins.length === 0) return null;
  const barsOf = (count: (bin: ComparisonAnswer["bins"][number]) => number) =>
    bins.map((bin) => [bin.magnitude - HALF_BIN, bin.magnitude + HALF_BIN, count(bin)] as const);
  const panelOf = (of: "a" | "b", isNamed: boolean) => {
    const all = barsOf((bin) => bin[of].matched + bin[of].unmatched);
    const scale = linearOver(
      all.map(([, , n]) => n),
      { fromZero: true },
    );
    return {
      height: 150,
      y: { ...scale, label: `Events of ${of}` },
      marks: [
        { kind: "bars", ...(isNamed && { name: "in one alone" }), colour: 1, bars: all },
        {
          kind: "bars",
          ...(isNamed && { name: "in both" }),
          colour: 0,
          bars: barsOf((bin) => bin[of].matched),
        },
      ],
    } as const;
  };
  return {
    title: "Events that both have, by magnitude",
    notes,
    x: { ...linearOver(bins.map(({ magnitude }) => magnitude)), label: "Magnitude" },
    panels: [panelOf("a", true), panelOf("b", false)],
  };
}

/** Half of the bins' width, magnitude units. */
const HALF_BIN = 0.05;
