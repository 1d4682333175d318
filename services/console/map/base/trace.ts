import { TILE_SIZE, worldSize, xOf, yOf } from "../../drawing/mercator.ts";
import type { View } from "../../drawing/view.ts";
import type { Ring } from "./rings.ts";

/** Points nearer to each other than this are one, pixels of the picture. */
const DETAIL = 0.7;

/** Adds rings to the context's path, in all copies of the world that the view shows. */
export function traceAreas(
  context: CanvasRenderingContext2D,
  rings: readonly Ring[],
  view: View,
): void {
  traceSeen(rings, view, context.canvas, ({ points }, at) => {
    tracePoints(context, points, null, at);
    context.closePath();
  });
}

/** Adds lines to the context's path; of areas those parts that are a coast or a shore. */
export function traceLines(
  context: CanvasRenderingContext2D,
  rings: readonly Ring[],
  view: View,
): void {
  traceSeen(rings, view, context.canvas, ({ points, cuts }, at) => {
    tracePoints(context, points, cuts, at);
  });
}

/** Where the world lies in the picture. */
type Placed = { readonly world: number; readonly shift: number; readonly top: number };

function traceSeen(
  rings: readonly Ring[],
  view: View,
  { width, height }: { readonly width: number; readonly height: number },
  trace: (ring: Ring, at: Placed) => void,
): void {
  const world = worldSize(view.zoom) * view.ratio;
  const left = view.left * view.ratio;
  const top = view.top * view.ratio;
  // A ring over the date line reaches into the next turn.
  const first = Math.floor(left / world) - 1;
  const last = Math.floor((left + width) / world) + 1;
  for (let turn = first; turn <= last; turn++) {
    const shift = turn * world - left;
    for (const ring of rings) {
      const isSeen =
        ring.right * world + shift >= 0 &&
        ring.left * world + shift <= width &&
        ring.bottom * world - top >= 0 &&
        ring.top * world - top <= height;
      if (isSeen) trace(ring, { world, shift, top });
    }
  }
}

function tracePoints(
  context: CanvasRenderingContext2D,
  points: Float64Array,
  cuts: Uint8Array | null,
  { world, shift, top }: Placed,
): void {
  let [lastX, lastY] = [Number.NaN, Number.NaN];
  for (let n = 0; 2 * n < points.length; n++) {
    const x = (points[2 * n] ?? 0) * world + shift;
    const y = (points[2 * n + 1] ?? 0) * world - top;
    const isCut = n === 0 || cuts?.[n] === 1;
    const isLast = 2 * n + 2 === points.length;
    if (!isCut && !isLast && Math.abs(x - lastX) < DETAIL && Math.abs(y - lastY) < DETAIL) continue;
    if (isCut) context.moveTo(x, y);
    else context.lineTo(x, y);
    [lastX, lastY] = [x, y];
  }
}

export function traceGraticule(context: CanvasRenderingContext2D, view: View): void {
  const { width, height } = context.canvas;
  const world = worldSize(view.zoom) * view.ratio;
  const [left, top] = [view.left * view.ratio, view.top * view.ratio];
  const step = graticuleStep(view.zoom);
  const from = Math.floor(((left / world - 0.5) * 360) / step) * step;
  for (let longitude = from; ; longitude += step) {
    const x = xOf(longitude) * world - left;
    if (x > width) break;
    context.moveTo(x, 0);
    context.lineTo(x, height);
  }
  for (let latitude = -90 + step; latitude < 90; latitude += step) {
    const y = yOf(latitude) * world - top;
    if (y < 0 || y > height) continue;
    context.moveTo(0, y);
    context.lineTo(width, y);
  }
}

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
