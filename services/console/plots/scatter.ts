import { MINUS } from "#contracts/plots/numbers.ts";
import type { Classes } from "../drawing/classes.ts";
import { GROUND, RINGS, SHADES } from "../drawing/colours.ts";
import { MAX_DISCS, sizesOf } from "../drawing/discs.ts";
import { drawDensity, drawDiscs, nearest, pictureOf, show } from "../drawing/picture.ts";
import { roomFor } from "../drawing/view.ts";
import { boundsOf, widthOf } from "../model/bounds.ts";
import type { EventColumns } from "../model/event-columns.ts";
import { latitude as latitudeText, longitude as longitudeText } from "../ui/text/format.ts";
import { niceTicks, stretchOf, type Tick, timeTicks } from "./chart/scale.ts";
import { type Profile, placeOnProfile } from "./profile.ts";
import type { Brushed, Inset, Stretch } from "./use-brush.ts";

/** One axis of a plot of single events; `from` is at the left or at the top. */
type Axis = {
  readonly title: string;
  readonly from: number;
  readonly to: number;
  readonly ticks: readonly Tick[];
  /** An event's value by its index; NaN where it has none. */
  readonly at: (index: number) => number;
};

export type Scatter = {
  readonly columns: EventColumns;
  /** Indexes of the events that are drawn, ascending; null for all. */
  readonly indexes: Uint32Array | null;
  readonly classes: Classes;
  readonly x: Axis;
  readonly y: Axis;
  /** Pixels of the screen. */
  readonly width: number;
  readonly height: number;
  readonly theme: "light" | "dark";
  /** Pixels of the picture for one of the screen. */
  readonly ratio: number;
};

export type DrawnScatter = {
  /** The topmost event at a place, pixels of the screen from the canvas's corner; null without one. */
  readonly eventAt: (x: number, y: number) => number | null;
  /** Where an event lies; null where it is not drawn. */
  readonly placeOf: (index: number) => { readonly x: number; readonly y: number } | null;
  /** The values in a rectangle of the plot, smaller ones first; NaN where it reaches an edge. */
  readonly valuesIn: (brushed: Brushed) => { readonly x: Stretch; readonly y: Stretch };
  /** Where values lie, as shares of the plot; those that are NaN at its edges. */
  readonly shareOf: (values: { readonly x: Stretch; readonly y: Stretch }) => Brushed;
};

/** Pixels around the plot. */
export const SCATTER_INSET: Inset = { left: 52, right: 16, top: 12, bottom: 36 };
const { left: LEFT, right: RIGHT, top: TOP, bottom: BOTTOM } = SCATTER_INSET;
/** Plots are smaller than maps, and so are their discs. */
const DISC_SCALE = 0.6;
/** Text of axes. */
const TEXTS = { light: "#55616d", dark: "#a3afbb" } as const;

/** Draws events by two of their values as discs, as on the map; above `MAX_DISCS` as a density. */
export function drawScatter(canvas: HTMLCanvasElement, scatter: Scatter): DrawnScatter {
  const { columns, indexes, classes, x, y, width, height, theme, ratio } = scatter;
  const [inner, deep] = [width - LEFT - RIGHT, height - TOP - BOTTOM];
  const left = (value: number) => LEFT + ((value - x.from) / (x.to - x.from)) * inner;
  const top = (value: number) => TOP + ((value - y.from) / (y.to - y.from)) * deep;
  const picture = pictureOf(width, height, ratio);
  canvas.width = picture.image.width - 2 * picture.margin;
  canvas.height = picture.image.height - 2 * picture.margin;
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
  const events = indexes ? indexes.length : columns.count;
  const seen = roomFor(events);
  for (let n = events - 1; n >= 0; n--) {
    const i = indexes ? (indexes[n] ?? 0) : n;
    const [px, py] = [left(x.at(i)), top(y.at(i))];
    if (Number.isNaN(px) || Number.isNaN(py)) continue;
    seen.x[seen.count] = Math.round(px * ratio);
    seen.y[seen.count] = Math.round(py * ratio);
    seen.index[seen.count] = i;
    seen.count++;
  }
  const sizes = sizesOf(columns.magnitude);
  const isDensity = seen.count > MAX_DISCS;
  if (isDensity) drawDensity(picture, seen, SHADES[theme]);
  else {
    const fills = classes.classes.map(({ colour }) => colour);
    drawDiscs(picture, seen, sizes, classes.classOf, {
      fills,
      ring: RINGS[theme],
      scale: DISC_SCALE,
    });
  }
  const context = canvas.getContext("2d");
  if (context) {
    show(picture, context);
    drawAxes(context, scatter, left, top);
  }
  return {
    eventAt: (atX, atY) =>
      nearest(
        seen,
        { x: atX * ratio, y: atY * ratio },
        ratio,
        isDensity ? null : { sizes, scale: DISC_SCALE },
      ),
    placeOf: (index) => {
      const place = { x: left(x.at(index)), y: top(y.at(index)) };
      return Number.isNaN(place.x) || Number.isNaN(place.y) ? null : place;
    },
    valuesIn: (brushed) => ({ x: valuesAlong(x, brushed.x), y: valuesAlong(y, brushed.y) }),
    shareOf: (values) => ({ x: sharesAlong(x, values.x), y: sharesAlong(y, values.y) }),
  };
}

function valuesAlong({ from, to }: Axis, shares: Stretch): Stretch {
  const [one = 0, other = 0] = shares.map((share) =>
    share <= 0 || share >= 1 ? Number.NaN : from + share * (to - from),
  );
  return from < to ? [one, other] : [other, one];
}

function sharesAlong({ from, to }: Axis, values: Stretch): Stretch {
  const [first, last] = from < to ? values : [values[1], values[0]];
  const share = (value: number, open: number) =>
    Number.isNaN(value) ? open : Math.max(0, Math.min(1, (value - from) / (to - from)));
  return [share(first, 0), share(last, 1)];
}

type Place = (value: number) => number;

/** Below what is drawn already. */
function drawAxes(
  context: CanvasRenderingContext2D,
  { x, y, width, height, theme, ratio }: Scatter,
  left: Place,
  top: Place,
): void {
  const [right, bottom] = [width - RIGHT, height - BOTTOM];
  context.save();
  context.scale(ratio, ratio);
  context.globalCompositeOperation = "destination-over";
  context.strokeStyle = GROUND[theme].graticule;
  context.fillStyle = TEXTS[theme];
  context.font = "12px 'Console Sans', system-ui, sans-serif";
  context.lineWidth = 1;
  for (const { at, label } of x.ticks) {
    const px = Math.round(left(at)) + 0.5;
    line(context, px, TOP, px, bottom);
    context.textAlign = "center";
    context.fillText(label, px, bottom + 16);
  }
  for (const { at, label } of y.ticks) {
    const py = Math.round(top(at)) + 0.5;
    line(context, LEFT, py, right, py);
    context.textAlign = "right";
    context.fillText(label, LEFT - 6, py + 4);
  }
  context.textAlign = "center";
  context.fillText(x.title, (LEFT + right) / 2, height - 4);
  context.translate(12, (TOP + bottom) / 2);
  context.rotate(-Math.PI / 2);
  context.fillText(y.title, 0, 0);
  context.restore();
}

function line(context: CanvasRenderingContext2D, x: number, y: number, toX: number, toY: number) {
  context.beginPath();
  context.moveTo(x, y);
  context.lineTo(toX, toY);
  context.stroke();
}

/** Pixels between two marks, at the least. */
const BESIDE = 90;
const BELOW = 44;

/** Time, UTC, from left to right. */
export function timeAxis({ time }: EventColumns, width: number): Axis {
  const [first, last] = stretchOf(time);
  const pad = (last - first) * 0.02;
  const [from, to] = [first - pad, last + pad];
  const ticks = timeTicks(from, to, Math.max(2, width / BESIDE));
  return { title: "Time, UTC", from, to, ticks, at: (i) => time[i] ?? Number.NaN };
}

/** Magnitudes, the largest at the top. */
export function magnitudeAxis({ magnitude }: EventColumns, height: number): Axis {
  const [least, most] = rangeOf(magnitude, [0, 5]);
  const pad = Math.max(0.2, (most - least) * 0.04);
  return numberAxis("Magnitude", magnitude, most + pad, least - pad, height / BELOW);
}

/** Depths in km, downwards from the surface or from above it. */
export function depthAxis({ depth }: EventColumns, height: number): Axis {
  const [least, most] = rangeOf(depth, [0, 1]);
  const to = Math.max(1, most * 1.04);
  return numberAxis("Depth, km", depth, Math.min(0, least), to, height / BELOW);
}

/** Longitudes from west to east, over the date line where the events lie there. */
export function longitudeAxis({ latitude, longitude }: EventColumns, width: number): Axis {
  const bounds = boundsOf(latitude, longitude, null) ?? { south: -1, north: 1, west: -1, east: 1 };
  const pad = Math.max(0.01, widthOf(bounds) * 0.03);
  const [from, to] = [bounds.west - pad, bounds.west + widthOf(bounds) + pad];
  const at = (i: number) => {
    const degrees = longitude[i] ?? Number.NaN;
    return degrees < from ? degrees + 360 : degrees;
  };
  const marks = niceTicks(from, to, width / BESIDE);
  const ticks = marks.map((tick) => ({
    at: tick,
    label: longitudeText(tick > 180 ? tick - 360 : tick, digitsOf(marks)),
  }));
  return { title: "Longitude", from, to, ticks, at };
}

/** Latitudes from south to north. */
export function latitudeAxis({ latitude }: EventColumns, width: number): Axis {
  const [south, north] = rangeOf(latitude, [-1, 1]);
  const pad = Math.max(0.01, (north - south) * 0.03);
  const [from, to] = [south - pad, north + pad];
  const marks = niceTicks(from, to, width / BESIDE);
  const ticks = marks.map((tick) => ({ at: tick, label: latitudeText(tick, digitsOf(marks)) }));
  return { title: "Latitude", from, to, ticks, at: (i) => latitude[i] ?? Number.NaN };
}

/** Kilometres along a line, of the events within its length and its half-width. */
export function lineAxis(
  { latitude, longitude }: EventColumns,
  line: Profile & { readonly lengthKm: number },
  width: number,
): Axis {
  const half = line.lengthKm / 2;
  const ticks = niceTicks(0, line.lengthKm, Math.max(2, width / BESIDE));
  return {
    title: "Along the line, km",
    from: 0,
    to: line.lengthKm,
    ticks: ticks.map((at) => ({ at, label: String(at) })),
    at: (i) => {
      const event = { latitude: latitude[i] ?? 0, longitude: longitude[i] ?? 0 };
      const { along, across } = placeOnProfile(line, event);
      const isBeside = Math.abs(across) > line.halfWidthKm || Math.abs(along) > half;
      return isBeside ? Number.NaN : along + half;
    },
  };
}

function numberAxis(
  title: string,
  values: Float32Array,
  from: number,
  to: number,
  most: number,
): Axis {
  const ticks = niceTicks(Math.min(from, to), Math.max(from, to), Math.max(2, most));
  return {
    title,
    from,
    to,
    ticks: ticks.map((at) => ({ at, label: String(at).replace("-", MINUS) })),
    at: (i) => values[i] ?? Number.NaN,
  };
}

function rangeOf(values: Float32Array, without: readonly [number, number]) {
  let least = Number.POSITIVE_INFINITY;
  let most = Number.NEGATIVE_INFINITY;
  for (const value of values) {
    if (value < least) least = value;
    if (value > most) most = value;
  }
  return least > most ? without : ([least, most] as const);
}

/** Digits after the point that tell the ticks apart. */
function digitsOf(ticks: readonly number[]): number {
  return Math.max(0, ...ticks.map((tick) => String(tick).split(".")[1]?.length ?? 0));
}
