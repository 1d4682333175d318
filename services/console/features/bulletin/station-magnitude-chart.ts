import type { Chart } from "../../plots/chart/chart-types.ts";
import { linearOver, rangeOf } from "../../plots/chart/scale.ts";
import { discsOf, lineAt, notesOn } from "./discs.ts";
import type { StationMagnitudeRow } from "./station-magnitudes.ts";

const HEIGHT = 220;

/** Station magnitudes by distance, with the magnitude that they make; null where no distance is known. @param name of that magnitude */
export function stationMagnitudeChart(
  name: string,
  value: number,
  rows: readonly StationMagnitudeRow[],
): Chart | null {
  const placed = rows.filter(({ distance }) => distance !== null);
  const far = rangeOf(placed.map(({ distance }) => distance));
  if (far === null) return null;
  const x = { ...linearOver([0, far[1]], { fromZero: true }), label: "Epicentral distance, °" };
  const y = { ...linearOver([value, ...placed.map((row) => row.value)]), label: "Magnitude" };
  const points = placed.map((row) => ({ x: row.distance, y: row.value, isUsed: row.isUsed }));
  const marks = [{ ...lineAt(value, x), name }, ...discsOf(points, 0, "Stations")];
  const panels = [{ y, height: HEIGHT, marks }];
  return { title: `${name} by station`, x, panels, notes: notesOn(placed) };
}
