import { significant } from "#contracts/plots/numbers.ts";
import type { AnswerTo } from "../../../api/analysis.ts";
import type { Drawing, Table } from "../../../plots/chart/drawing.ts";
import { linearOver } from "../../../plots/chart/scale.ts";
import { count, day } from "../../../ui/text/format.ts";

type Answer = Pick<AnswerTo<"moment">, "bins">;

/** Seismic moment by calendar units, and its sum up to the end of each. */
export function drawMoment({ bins = [] }: Answer, notes: readonly string[]): Drawing | null {
  const [first] = bins;
  if (!first) return null;
  const bars = bins.map(
    ({ start, end, moment }) => [Date.parse(start), Date.parse(end), moment] as const,
  );
  const from = Date.parse(first.start);
  const sums = bins.map(({ end, cumulative }) => [Date.parse(end), cumulative] as const);
  return {
    chart: {
      title: "Seismic moment",
      notes,
      x: { kind: "time", from, to: sums.at(-1)?.[0] ?? from + 1, label: "Time, UTC" },
      panels: [
        {
          ...panelOver(
            "N·m",
            bars.map(([, , moment]) => moment),
          ),
          marks: [{ kind: "bars", name: "In each bin", colour: 0, bars }],
        },
        {
          ...panelOver(
            "N·m, sum",
            sums.map(([, sum]) => sum),
          ),
          marks: [
            {
              kind: "line",
              name: "Up to the end of each",
              colour: 1,
              points: [[from, 0], ...sums],
            },
          ],
        },
      ],
    },
    table: tableOf(bins),
  };
}

function panelOver(label: string, values: readonly number[]) {
  return { height: 160, y: { ...linearOver(values, { fromZero: true }), label } };
}

function tableOf(bins: NonNullable<Answer["bins"]>): Table {
  return {
    label: "Moment by time",
    texts: 1,
    heads: ["From, UTC", "Events", "Moment, N·m", "Sum, N·m"],
    rows: bins.map(({ start, partial, count: n, moment, cumulative }) => [
      partial ? `${day(start)}, in part` : day(start),
      count(n),
      significant(moment, 3),
      significant(cumulative, 3),
    ]),
  };
}
