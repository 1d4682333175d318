import type { Chart } from "../../plots/chart/chart-types.ts";
import { linearOver, rangeOf } from "../../plots/chart/scale.ts";
import type { ArrivalRow } from "./arrival-rows.ts";
import { discsOf, lineAt, type Measured, notesOn } from "./discs.ts";

/** By a phase's first letter, which says how it left the source. */
const KINDS = [
  { name: "P phases", colour: 0, letter: /^p/i },
  { name: "S phases", colour: 1, letter: /^s/i },
  { name: "Other phases", colour: 2, letter: /^[^ps]/i },
] as const;

const HEIGHT = 200;

/** Travel times and residuals by distance; null where no arrival has a distance and one of both. */
export function travelTimes(rows: readonly ArrivalRow[]): Chart | null {
  const placed = rows.filter(({ distance }) => distance !== null);
  const far = rangeOf(placed.map(({ distance }) => distance));
  const times = rangeOf(placed.map(({ travelTime }) => travelTime));
  const residuals = rangeOf(placed.map(({ residual }) => residual));
  if (far === null || (times === null && residuals === null)) return null;
  const x = { ...linearOver([0, far[1]], { fromZero: true }), label: "Epicentral distance, °" };
  const most = residuals === null ? 0 : Math.max(...residuals.map(Math.abs));
  const panels = [
    times && {
      height: HEIGHT,
      y: { ...linearOver(times), label: "Travel time, s" },
      marks: marksOf(placed, ({ travelTime }) => travelTime, true),
    },
    residuals && {
      height: HEIGHT,
      y: { ...linearOver([-most, most]), label: "Residual, s" },
      // The legend has the names once.
      marks: [lineAt(0, x), ...marksOf(placed, ({ residual }) => residual, times === null)],
    },
  ].filter((panel) => panel !== null);
  return { title: "Travel times and residuals", x, panels, notes: notesOn(placed) };
}

function marksOf(
  rows: readonly ArrivalRow[],
  measured: (row: ArrivalRow) => number | null,
  areNamed: boolean,
) {
  return KINDS.flatMap(({ name, colour, letter }) => {
    const values = rows
      .filter(({ phase }) => letter.test(phase))
      .map((row): Measured => ({ x: row.distance, y: measured(row), isUsed: row.isUsed }));
    return discsOf(values, colour, areNamed ? name : undefined);
  });
}
