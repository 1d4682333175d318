import { type Bounds, widthOf } from "../model/bounds.ts";

const SIDES = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5];
/** So many squares fill what a map shows; fewer are of no use, more are slow. */
const MOST = 40_000;

/** The side of squares that show an area in as much detail as is seen, degrees. */
export function cellSideOf(area: Bounds | null): number {
  const [wide, high] = area ? [widthOf(area), area.north - area.south] : [360, 180];
  return SIDES.find((side) => (wide / side) * (high / side) <= MOST) ?? 5;
}
