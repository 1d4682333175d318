import type L from "leaflet";
import { GROUND } from "../../drawing/colours.ts";
import { worldSize } from "../../drawing/mercator.ts";
import type { View } from "../../drawing/view.ts";
import { theme } from "../../ui/style/theme.ts";
import { CanvasLayer } from "./canvas-layer.ts";
import type { Ground } from "./ground-layer.ts";
import type { Place } from "./tiles.ts";
import { traceLines } from "./trace.ts";

/** The pane above the events (map.css). */
export const NAMES_PANE = "names";

/** Letters of the places' names, and from the place to its name, pixels of the screen. */
const LETTERS = "500 12px 'Console Sans', system-ui, sans-serif";
const LETTERS_SIZE = 12;
const DOT = 1.5;
const BESIDE = 5;
/** The degrees of meridians stand along the upper edge, in a line of this height. */
const EDGE = 22;
/** The buttons at the upper left corner of a map, pixels of the screen. */
const CONTROLS = { width: 46, height: 410 };
/** Below this zoom names would stand closer than their places' zooms promise. */
const NAMES_FROM_ZOOM = 1;

/** Names of places above the events; where a density hides the ground also its coasts. */
export function namesLayer(map: L.Map, { parts, isHidden }: Ground): CanvasLayer {
  const draw = (view: View, context: CanvasRenderingContext2D) => {
    context.clearRect(0, 0, context.canvas.width, context.canvas.height);
    if (isHidden.value) {
      context.strokeStyle = GROUND[theme.value].place;
      context.lineWidth = view.ratio;
      context.beginPath();
      for (const { land } of parts.value) traceLines(context, land, view);
      context.stroke();
    }
    const places = parts.value.flatMap((part) => part.places);
    if (view.zoom >= NAMES_FROM_ZOOM) namePlaces(places, map.getSize(), view, context);
  };
  const layer = new CanvasLayer(NAMES_PANE, draw, () => [parts.value, isHidden.value]);
  // Names are drawn anew once the type face has come.
  document.fonts.ready.then(
    () => layer.redraw(),
    () => undefined,
  );
  return layer;
}

/** @param size of the map, beyond which the picture reaches, for what is dragged into it */
function namePlaces(
  places: readonly Place[],
  size: L.Point,
  view: View,
  context: CanvasRenderingContext2D,
): void {
  const { ratio, zoom } = view;
  const { place, halo } = GROUND[theme.value];
  const world = worldSize(zoom);
  const turn = Math.floor(view.left / world);
  const isAcross = (at: number, from: number, to: number) => from < at && at < to;
  /** Whether a name would stand across an edge of the map or of its buttons, or in the line of its degrees. */
  const isCut = (atLeft: number, atTop: number, wide: number) => {
    const left = atLeft - (view.width - size.x) / 2;
    const top = atTop - (view.height - size.y) / 2;
    return (
      isAcross(0, left - DOT, left + wide) ||
      (top < CONTROLS.height && isAcross(CONTROLS.width, left, left + wide)) ||
      isAcross(size.x, left, left + wide) ||
      isAcross(top, -LETTERS_SIZE, EDGE) ||
      isAcross(size.y, top - LETTERS_SIZE, top + LETTERS_SIZE)
    );
  };
  context.save();
  context.scale(ratio, ratio);
  context.font = LETTERS;
  context.textBaseline = "middle";
  context.lineJoin = "round";
  context.lineWidth = 3;
  context.strokeStyle = halo;
  context.fillStyle = place;
  for (const { name, x, y, zoom: from } of places) {
    if (from > zoom) continue;
    const top = y * world - view.top;
    if (top < -LETTERS_SIZE || top > view.height + LETTERS_SIZE) continue;
    const wide = BESIDE + context.measureText(name).width;
    for (let left = (turn + x) * world - view.left; left < view.width; left += world) {
      if (isCut(left, top, wide)) continue;
      context.fillRect(left - DOT, top - DOT, 2 * DOT, 2 * DOT);
      context.strokeText(name, left + BESIDE, top);
      context.fillText(name, left + BESIDE, top);
    }
  }
  context.restore();
}
