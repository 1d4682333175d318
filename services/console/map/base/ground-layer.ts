import { computed, signal } from "@preact/signals";
import type L from "leaflet";
import { GROUND, RELIEF } from "../../drawing/colours.ts";
import { TILE_SIZE, worldSize, xOf, yOf } from "../../drawing/mercator.ts";
import { type View, worldIn } from "../../drawing/picture.ts";
import { theme } from "../../ui/style/theme.ts";
import { CanvasLayer } from "./canvas-layer.ts";
import type { GroundPart, ReliefPart } from "./ground-files.ts";
import type { Ring } from "./rings.ts";
import { type Place, RELIEF_UP_TO_ZOOM } from "./tiles.ts";

/** What lies under the events, as far as it has come. */
export function createGround() {
  return {
    parts: signal<readonly GroundPart[]>([]),
    plates: signal<readonly Ring[]>([]),
    relief: signal<readonly ReliefPart[]>([]),
    /** Whether the events hide the ground, so that its coasts are drawn above them. */
    isHidden: signal(false),
  };
}
export type Ground = ReturnType<typeof createGround>;

/** Borders and rivers are told on closer maps alone. */
const BORDERS_FROM_ZOOM = 2.2;
const RIVERS_FROM_ZOOM = 4;
/** Plate boundaries are known to some ten kilometres: they fade away as one comes closer. */
const PLATES_FADE_FROM_ZOOM = 5;
export const PLATES_UP_TO_ZOOM = 7;
const PLATES_COVER = 0.75;

/** Land with its relief, water, borders, plate boundaries and a graticule. */
export function groundLayer({ parts, plates, relief }: Ground): CanvasLayer {
  const shadows = computed(() =>
    relief.value.length > 0 ? shadowsOf(relief.value, theme.value) : null,
  );
  const draw = (view: View, context: CanvasRenderingContext2D) => {
    const colours = GROUND[theme.value];
    const { ratio, zoom } = view;
    const fill = (colour: string, kind: "land" | "lakes") => {
      context.fillStyle = colour;
      context.beginPath();
      for (const part of parts.value) trace(context, part[kind], view, "areas");
      context.fill("nonzero");
    };
    const stroke = (colour: string, width: number, draw: () => void) => {
      context.strokeStyle = colour;
      context.lineWidth = width;
      context.beginPath();
      draw();
      context.stroke();
    };
    const lines = (kind: "land" | "lakes" | "borders" | "rivers") => {
      for (const part of parts.value) trace(context, part[kind], view, "lines");
    };
    context.clearRect(0, 0, context.canvas.width, context.canvas.height);
    context.lineJoin = "round";
    // All parts in one path: where two tiles overlap there is no seam.
    fill(colours.land, "land");
    if (shadows.value) drawRelief(context, shadows.value, view);
    fill(colours.lake, "lakes");
    stroke(colours.graticule, ratio, () => traceGraticule(context, view));
    if (zoom >= RIVERS_FROM_ZOOM) stroke(colours.river, ratio, () => lines("rivers"));
    if (zoom >= BORDERS_FROM_ZOOM) {
      context.setLineDash([4 * ratio, 2 * ratio]);
      stroke(colours.border, 0.8 * ratio, () => lines("borders"));
      context.setLineDash([]);
    }
    stroke(colours.coast, 0.8 * ratio, () => {
      lines("land");
      lines("lakes");
    });
    const fading = (PLATES_UP_TO_ZOOM - zoom) / (PLATES_UP_TO_ZOOM - PLATES_FADE_FROM_ZOOM);
    context.globalAlpha = PLATES_COVER * Math.max(0, Math.min(1, fading));
    stroke(colours.plate, 1.4 * ratio, () => trace(context, plates.value, view, "lines"));
    context.globalAlpha = 1;
  };
  return new CanvasLayer("tilePane", draw, () => [parts.value, plates.value, relief.value]);
}

/** Points nearer to each other than this are one, pixels of the picture. */
const DETAIL = 0.7;

/** Where the world lies in the picture. */
type Placed = { readonly world: number; readonly shift: number; readonly top: number };

/**
 * Adds rings to the context's path, in all copies of the world that the view shows.
 * @param as lines: of areas those parts that are a coast or a shore
 */
function trace(
  context: CanvasRenderingContext2D,
  rings: readonly Ring[],
  view: View,
  as: "areas" | "lines",
): void {
  const { width, height } = context.canvas;
  const { world, left, top } = worldIn(view);
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
      if (!isSeen) continue;
      tracePoints(context, ring.points, as === "lines" ? ring.cuts : null, { world, shift, top });
      if (as === "areas") context.closePath();
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

function traceGraticule(context: CanvasRenderingContext2D, view: View): void {
  const { width, height } = context.canvas;
  const { world, left, top } = worldIn(view);
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

/** From here on the relief fades away as one comes closer. */
const FULL_UP_TO_ZOOM = 4.5;
const MIDDLE = 128;
/** Sides of the whole picture, pixels. */
const SIZE = 1536;

type Theme = keyof typeof RELIEF;

/** The relief as shadow and light upon whatever lies under it. */
function shadowsOf(parts: readonly ReliefPart[], theme: Theme): OffscreenCanvas {
  const canvas = new OffscreenCanvas(SIZE, SIZE);
  const context = canvas.getContext("2d");
  for (const { picture, left, top, size } of parts) {
    const side = size * SIZE;
    context?.drawImage(shaded(picture, theme), left * SIZE, top * SIZE, side, side);
  }
  return canvas;
}

function shaded(picture: ImageBitmap, theme: Theme): OffscreenCanvas {
  const { width, height } = picture;
  const canvas = new OffscreenCanvas(width, height);
  const context = canvas.getContext("2d", { willReadFrequently: true });
  if (!context) return canvas;
  context.drawImage(picture, 0, 0);
  const image = context.getImageData(0, 0, width, height);
  const { dark, light } = RELIEF[theme];
  const { data } = image;
  for (let at = 0; at < data.length; at += 4) {
    const slope = (data[at] ?? MIDDLE) - MIDDLE;
    data[at] = data[at + 1] = data[at + 2] = slope < 0 ? 0 : 255;
    data[at + 3] = slope < 0 ? -2 * slope * dark : 2 * slope * light;
  }
  context.putImageData(image, 0, 0);
  return canvas;
}

/** Draws the part of the relief that a view shows. */
function drawRelief(context: CanvasRenderingContext2D, shadows: OffscreenCanvas, view: View): void {
  const fading = (view.zoom - FULL_UP_TO_ZOOM) / (RELIEF_UP_TO_ZOOM - FULL_UP_TO_ZOOM);
  if (fading >= 1) return;
  const { width, height } = context.canvas;
  const { world, left, top } = worldIn(view);
  const scale = shadows.width / world;
  const from = Math.max(0, top);
  const high = Math.min(world, top + height) - from;
  context.save();
  context.globalAlpha = 1 - Math.max(0, fading);
  context.imageSmoothingQuality = "high";
  for (let turn = Math.floor(left / world); turn * world < left + width; turn++) {
    const start = Math.max(0, left - turn * world);
    const wide = Math.min(world, left + width - turn * world) - start;
    context.drawImage(
      shadows,
      ...([start * scale, from * scale, wide * scale, high * scale] as const),
      ...([turn * world + start - left, from - top, wide, high] as const),
    );
  }
  context.restore();
}

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
      for (const { land } of parts.value) trace(context, land, view, "lines");
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
