/**
 * Lines as text, five bits a character: the encoded polyline algorithm, with whole steps of any size
 * in place of its hundred-thousandths of a degree.
 */

import { xOf, yOf } from "../../drawing/mercator.ts";

/** A line, or a closed one around land or a lake, in units of the world's width (mercator.ts). */
export type Ring = {
  readonly points: Float64Array;
  /** Points to which no coast leads: there the ring is closed along the edge of its file. */
  readonly cuts: Uint8Array | null;
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
};

/** What lines are read with: the degrees of a step and the edges of their file. */
type Grid = {
  readonly step: number;
  readonly box: readonly [west: number, south: number, east: number, north: number];
};

/** Land that ends at the date line reaches beyond it, over the seam to its other part. Degrees. */
const OVERLAP = 0.03;

export function areasOf(texts: readonly string[], grid: Grid): readonly Ring[] {
  return texts.map((text) => ringOf(decodeLine(text), grid, true));
}

/** Encoded lines, which may go on over the date line. */
export function linesOf(texts: readonly string[], step: number): readonly Ring[] {
  const grid: Grid = { step, box: [-180, -90, 180, 90] };
  return texts.map((text) => ringOf(decodeLine(text), grid, false));
}

function ringOf(steps: readonly number[], { step, box }: Grid, isArea: boolean): Ring {
  const [west, south, east, north] = box.map((edge) => Math.round(edge / step));
  const length = steps.length / 2;
  const points = new Float64Array(steps.length);
  const cuts = new Uint8Array(length);
  const turn = 180 / step;
  let [left, right, top, bottom] = [Infinity, -Infinity, Infinity, -Infinity];
  let hasCuts = false;
  for (let n = 0; n < length; n++) {
    const [x = 0, y = 0] = [steps[2 * n], steps[2 * n + 1]];
    const before = n === 0 ? length - 1 : n - 1;
    const [lastX, lastY] = [steps[2 * before], steps[2 * before + 1]];
    const isAlongX = x === lastX && (x === west || x === east || Math.abs(x) === turn);
    const isAlongY = y === lastY && (y === south || y === north || y <= -90 / step);
    if (isArea && (isAlongX || isAlongY)) {
      cuts[n] = 1;
      hasCuts = true;
    }
    const degrees = x * step;
    const beyond = isArea && Math.abs(x) === turn ? Math.sign(x) * OVERLAP : 0;
    const [px, py] = [xOf(degrees + beyond), yOf(y * step)];
    points[2 * n] = px;
    points[2 * n + 1] = py;
    if (px < left) left = px;
    if (px > right) right = px;
    if (py < top) top = py;
    if (py > bottom) bottom = py;
  }
  return { points, cuts: hasCuts ? cuts : null, left, right, top, bottom };
}

const CHUNK = 32;
const FIRST_CHARACTER = 63;

/** The steps of a line, x and y in turn. */
function decodeLine(text: string): number[] {
  const steps: number[] = [];
  const last = [0, 0];
  let axis = 0;
  for (let at = 0; at < text.length; axis = 1 - axis) {
    let [value, place, chunk] = [0, 1, 0];
    do {
      chunk = text.charCodeAt(at++) - FIRST_CHARACTER;
      value += (chunk % CHUNK) * place;
      place *= CHUNK;
    } while (chunk >= CHUNK);
    const step = value % 2 === 1 ? -(value + 1) / 2 : value / 2;
    last[axis] = (last[axis] ?? 0) + step;
    steps.push(last[axis] ?? 0);
  }
  return steps;
}
