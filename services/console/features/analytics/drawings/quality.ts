import { significant } from "#contracts/plots/numbers.ts";
import type { AnswerTo } from "../../../api/analysis.ts";
import type { Drawing } from "../../../plots/chart/drawing.ts";
import { linearOver } from "../../../plots/chart/scale.ts";
import { count, UNKNOWN } from "../../../ui/text/format.ts";

/** How many events have each quality Q; the attributes that it is made of by their percentiles. */
export function drawQuality(
  { bins = [], series = [] }: Pick<AnswerTo<"quality">, "bins" | "series">,
  notes: readonly string[],
): Drawing | null {
  if (bins.length === 0) return null;
  const known = (value: number | null) => (value === null ? UNKNOWN : significant(value));
  return {
    chart: {
      title: "Quality Q of the solutions",
      notes,
      x: { kind: "linear", from: 0, to: 101, label: "Q, 0 to 100" },
      panels: [
        {
          height: 260,
          y: {
            ...linearOver(
              bins.map((bin) => bin.count),
              { fromZero: true },
            ),
            label: "Events",
          },
          marks: [{ kind: "bars", colour: 0, bars: bins.map(({ q, count: n }) => [q, q + 1, n]) }],
        },
      ],
    },
    table: {
      label: "Attributes",
      texts: 1,
      heads: ["Attribute", "Known", "Missing", "Zeros", "5 %", "25 %", "Median", "75 %", "95 %"],
      rows: series.map(({ attribute, unit, n, missing, zeros, p05, p25, p50, p75, p95 }) => [
        `${attribute.replaceAll("_", " ")}${unit ? `, ${unit === "deg" ? "°" : unit}` : ""}`,
        count(n),
        count(missing),
        count(zeros),
        ...[p05, p25, p50, p75, p95].map(known),
      ]),
    },
  };
}
