import { TILE_SIZE } from "../../drawing/mercator.ts";

const STEPS = [30, 15, 10, 5, 2, 1, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01];
/** Between two meridians at least, pixels of the screen. */
const APART = 90;

/** Degrees between two lines of the graticule at a zoom. */
export function graticuleStep(zoom: number): number {
  const pixels = (TILE_SIZE * 2 ** zoom) / 360;
  return STEPS.findLast((step) => step * pixels >= APART) ?? 30;
}

/** Digits after the point that tell the lines of a step apart. */
export function degreeDigits(step: number): number {
  return step >= 1 ? 0 : step >= 0.1 ? 1 : 2;
}
