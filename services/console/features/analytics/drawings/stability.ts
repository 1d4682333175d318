import { withError } from "#contracts/plots/numbers.ts";
import type { AnswerTo } from "../../../api/analysis.ts";
import type { Drawing } from "../../../plots/chart/drawing.ts";
import { linearOver } from "../../../plots/chart/scale.ts";
import { count, decimal } from "../../../ui/text/format.ts";

type Row = NonNullable<AnswerTo<"b-value">["series"]>[number];
type McFit = Extract<Row, { readonly mc: number; readonly b: number; readonly sigma: number }>;

/** Standard errors on each side that hold 95 % of a normal distribution. */
const OF_95_PERCENT = 1.96;

/** b by the magnitude from which events are taken: where it no longer changes, the events are complete. */
export function drawStability(
  { series = [], estimate }: Pick<AnswerTo<"b-value">, "series" | "estimate">,
  notes: readonly string[],
): Drawing | null {
  const fits = series.filter((row): row is McFit => "mc" in row && !("start" in row));
  if (fits.length === 0) return null;
  const band = fits.map(
    ({ mc, b, sigma }) => [mc, b - OF_95_PERCENT * sigma, b + OF_95_PERCENT * sigma] as const,
  );
  const rule = estimate
    ? [{ kind: "rule", name: `Mc ${decimal(estimate.mc, 1)}`, colour: 2, x: estimate.mc } as const]
    : [];
  return {
    chart: {
      title: "b by the magnitude from which events are taken",
      notes,
      x: {
        ...linearOver(fits.map(({ mc }) => mc)),
        label: "Magnitude from which on events are taken",
      },
      panels: [
        {
          height: 280,
          y: { ...linearOver(band.flatMap(([, low, high]) => [low, high])), label: "b" },
          marks: [
            { kind: "band", name: "95 %", colour: 0, points: band },
            {
              kind: "line",
              name: "b",
              colour: 0,
              hasDots: true,
              points: fits.map(({ mc, b }) => [mc, b]),
            },
            ...rule,
          ],
        },
      ],
    },
    table: {
      label: "b for each Mc",
      texts: 0,
      heads: ["Mc", "n", "b ± σ"],
      rows: fits.map(({ mc, n, b, sigma }) => [decimal(mc, 1), count(n), withError(b, sigma)]),
    },
  };
}
