import type { EventColumns } from "../api/columns.ts";
import type { Classes } from "../map/classes.ts";
import { GROUND, RINGS } from "../map/colours.ts";
import { sizesOf } from "../map/discs.ts";
import { boundsOf, widthOf } from "../map/fit.ts";
import { drawDiscs, pictureOf, show } from "../map/picture.ts";
import { roomFor } from "../map/view.ts";
import { niceTicks } from "./ticks.ts";

export type SectionOptions = {
  readonly along: "longitude" | "latitude";
  /** Pixels of the screen. */
  readonly width: number;
  readonly height: number;
  readonly theme: "light" | "dark";
  /** Pixels of the picture for one of the screen. */
  readonly ratio: number;
};

const LEFT = 52;
const RIGHT = 16;
const TOP = 12;
const BOTTOM = 36;
/** Text of axes. */
const TEXTS = { light: "#55616d", dark: "#a3afbb" } as const;

/** Draws the events with a depth onto a canvas, depth downwards, with its axes. */
export function drawSection(
  canvas: HTMLCanvasElement,
  columns: EventColumns,
  { classOf, classes }: Classes,
  { along, width, height, theme, ratio }: SectionOptions,
): void {
  const context = canvas.getContext("2d");
  if (!context) return;
  const [inner, deep] = [width - LEFT - RIGHT, height - TOP - BOTTOM];
  const { from, span, at } = stretchAlong(columns, along);
  const depth = depthRange(columns.depth);
  const x = (degrees: number) => ((degrees - from) / span) * inner;
  const y = (km: number) => ((km - depth.from) / (depth.to - depth.from)) * deep;

  const picture = pictureOf(width, height, ratio);
  canvas.width = picture.image.width - 2 * picture.margin;
  canvas.height = picture.image.height - 2 * picture.margin;
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
  const seen = roomFor(columns.count);
  for (let i = columns.count - 1; i >= 0; i--) {
    const km = columns.depth[i] ?? Number.NaN;
    if (Number.isNaN(km)) continue;
    seen.x[seen.count] = Math.round((LEFT + x(at(i))) * ratio);
    seen.y[seen.count] = Math.round((TOP + y(km)) * ratio);
    seen.index[seen.count] = i;
    seen.count++;
  }
  const fills = classes.map(({ colour }) => colour);
  drawDiscs(picture, seen, sizesOf(columns.magnitude), classOf, { fills, ring: RINGS[theme] });
  show(picture, context);

  context.save();
  context.scale(ratio, ratio);
  context.globalCompositeOperation = "destination-over";
  context.strokeStyle = GROUND[theme].graticule;
  context.fillStyle = TEXTS[theme];
  context.font = "12px system-ui, sans-serif";
  context.lineWidth = 1;
  for (const tick of niceTicks(from, from + span, inner / 90)) {
    const px = Math.round(LEFT + x(tick)) + 0.5;
    line(context, px, TOP, px, TOP + deep);
    context.textAlign = "center";
    context.fillText(degreesText(tick, along), px, TOP + deep + 16);
  }
  for (const tick of niceTicks(depth.from, depth.to, deep / 50)) {
    const py = Math.round(TOP + y(tick)) + 0.5;
    line(context, LEFT, py, LEFT + inner, py);
    context.textAlign = "right";
    context.fillText(String(tick).replace("-", "\u2212"), LEFT - 6, py + 4);
  }
  context.textAlign = "center";
  context.fillText(along === "longitude" ? "Longitude" : "Latitude", LEFT + inner / 2, height - 4);
  context.translate(12, TOP + deep / 2);
  context.rotate(-Math.PI / 2);
  context.fillText("Depth, km", 0, 0);
  context.restore();
}

/** Where the section begins, how long it is, and where an event lies on it; over the date line too. */
function stretchAlong({ latitude, longitude }: EventColumns, along: SectionOptions["along"]) {
  const bounds = boundsOf(latitude, longitude, null) ?? { south: -1, north: 1, west: -1, east: 1 };
  const pad = (length: number) => Math.max(0.01, length * 0.03);
  if (along === "latitude") {
    const length = bounds.north - bounds.south;
    const from = bounds.south - pad(length);
    return { from, span: length + 2 * pad(length), at: (i: number) => latitude[i] ?? 0 };
  }
  const length = widthOf(bounds);
  const from = bounds.west - pad(length);
  const at = (i: number) => {
    const degrees = longitude[i] ?? 0;
    return degrees < from ? degrees + 360 : degrees;
  };
  return { from, span: length + 2 * pad(length), at };
}

function depthRange(depth: Float32Array): { readonly from: number; readonly to: number } {
  let [least, most] = [0, 1];
  for (const km of depth) {
    if (km < least) least = km;
    if (km > most) most = km;
  }
  return { from: least, to: most * 1.04 };
}

function degreesText(degrees: number, along: SectionOptions["along"]): string {
  const wrapped = along === "longitude" && degrees > 180 ? degrees - 360 : degrees;
  const [positive, negative] = along === "longitude" ? ["E", "W"] : ["N", "S"];
  return `${Math.abs(Number(wrapped.toFixed(4)))}° ${wrapped < 0 ? negative : positive}`;
}

function line(context: CanvasRenderingContext2D, x: number, y: number, toX: number, toY: number) {
  context.beginPath();
  context.moveTo(x, y);
  context.lineTo(toX, toY);
  context.stroke();
}
