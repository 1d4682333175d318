import type { AnswerTo } from "../../../api/analysis.ts";
import type { Drawing } from "../../../plots/chart/drawing.ts";
import { linearOver, rangeOf } from "../../../plots/chart/scale.ts";
import { duration } from "../../../ui/text/duration.ts";
import { count } from "../../../ui/text/format.ts";

/** Of the logarithm of times between events, as many in each bin; a Poisson process' beside them. */
export function drawInterEvent(
  { bins = [], estimate }: Pick<AnswerTo<"inter-event">, "bins" | "estimate">,
  notes: readonly string[],
): Drawing | null {
  const range = rangeOf(bins.flatMap(({ from, to }) => [from, to]));
  if (range === null || estimate === null) return null;
  const { n, mean } = estimate;
  // Of exponential times with the same mean, so many are from `from` to `to`.
  const poisson = bins.map(
    ({ from, to }) =>
      [Math.sqrt(from * to), n * (Math.exp(-from / mean) - Math.exp(-to / mean))] as const,
  );
  const most = [...bins.map((bin) => bin.count), ...poisson.map(([, expected]) => expected)];
  return {
    chart: {
      title: "Times between events",
      notes,
      x: { kind: "log", from: range[0], to: range[1], label: "Time to the next event, s" },
      panels: [
        {
          height: 280,
          y: { ...linearOver(most, { fromZero: true }), label: "Number" },
          marks: [
            {
              kind: "bars",
              name: "Events",
              colour: 0,
              bars: bins.map((bin) => [bin.from, bin.to, bin.count]),
            },
            {
              kind: "line",
              name: "Poisson process of the same mean",
              colour: 1,
              points: poisson,
            },
          ],
        },
      ],
    },
    table: {
      label: "Times between events",
      texts: 0,
      heads: ["From", "To", "Number"],
      rows: bins.map((bin) => [duration(bin.from), duration(bin.to), count(bin.count)]),
    },
  };
}
