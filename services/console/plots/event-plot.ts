import type { Axis, Chart, Mark } from "#contracts/plots/chart.ts";
import { MINUS, significant } from "#contracts/plots/numbers.ts";
import { linearOver, placeOn, rangeOf } from "#contracts/plots/scale.ts";
import { EARTH_RADIUS_KM, RADIANS_PER_DEGREE as RADIAN } from "#contracts/units.ts";
import type { Classes } from "../drawing/classes.ts";
import { cssOf, RINGS, SHADES } from "../drawing/colours.ts";
import { diameterOf, MAX_DIAMETER, sizesOf } from "../drawing/discs.ts";
import { drawDensity, drawDiscs, nearest, pictureOf, roomFor, show } from "../drawing/picture.ts";
import { boundsOf, widthOf } from "../model/bounds.ts";
import type { EventColumns } from "../model/event-columns.ts";
import { directionTo, type Place } from "../model/great-circle.ts";
import type { SectionLine } from "../model/work-state.ts";
import { stretchOf } from "./histogram.ts";
import type { Inset, Stretch } from "./use-brush.ts";

/** An axis of single events: an event's value by its index, NaN where it has none. */
type EventAxis = Axis & { readonly at: (index: number) => number };

/** Time, UTC, from left to right. */
export function timeAxis({ time }: EventColumns): EventAxis {
  const [first, last] = stretchOf(time);
  const room = (last - first) * 0.02;
  const ends = { from: first - room, to: last + room };
  return { kind: "time", ...ends, label: "Time, UTC", at: (i) => time[i] ?? Number.NaN };
}

/** Magnitudes, the largest at the top. */
export function magnitudeAxis({ magnitude }: EventColumns): EventAxis {
  const [least, most] = rangeOf(magnitude) ?? [0, 5];
  const room = Math.max(0.2, (most - least) * 0.04);
  const ends = { from: least - room, to: most + room };
  return { kind: "linear", ...ends, label: "Magnitude", at: (i) => magnitude[i] ?? Number.NaN };
}

/** From the deepest up to the surface, or above it where events are. */
function depthAxis({ depth }: EventColumns, index: Uint32Array): EventAxis {
  const at = (i: number) => depth[i] ?? Number.NaN;
  let [least, most] = [0, 1];
  for (const i of index) {
    const km = at(i);
    if (km < least) least = km;
    if (km > most) most = km;
  }
  const room = (most - least) * 0.03;
  return {
    ...{ kind: "linear", from: most + room, to: least - room, label: "Depth, km", at },
    text: (km) => (km === 0 ? "0" : String(km).replace("-", MINUS)),
  };
}

/** A great circle through a point, and how far from it events are taken; without a length it goes on. */
export type Profile = Omit<SectionLine, "lengthKm"> & Partial<Pick<SectionLine, "lengthKm">>;

/** Kilometres from the profile's point along it, and from it to the right, on a sphere. */
export function placeOnProfile(profile: Profile, at: Place) {
  const { north, east, up } = directionTo(profile, at);
  const azimuth = profile.azimuth * RADIAN;
  const [sine, cosine] = [Math.sin(azimuth), Math.cos(azimuth)];
  const forward = north * cosine + east * sine;
  const right = east * cosine - north * sine;
  return {
    along: EARTH_RADIUS_KM * Math.atan2(forward, up),
    across: EARTH_RADIUS_KM * Math.asin(Math.max(-1, Math.min(1, right))),
  };
}

/** Along what depths are drawn. */
export type Along = "longitude" | "latitude" | Profile;

/** A vertical section. */
export type Section = {
  readonly x: EventAxis;
  readonly y: EventAxis;
  /** The events that it has, as they come: newest first. */
  readonly index: Uint32Array;
  readonly withoutDepth: number;
  /** Too far from a profile. */
  readonly beside: number;
};

export function sectionOf(columns: EventColumns, along: Along): Section {
  const places = Float64Array.from({ length: columns.count }, placesAlong(columns, along));
  const all = Uint32Array.from(places, (_, i) => i);
  const near = all.filter((i) => !Number.isNaN(places[i]));
  const index = near.filter((i) => !Number.isNaN(columns.depth[i]));
  return {
    x: { ...axisAlong(columns, along, index, places), at: (i) => places[i] ?? Number.NaN },
    y: depthAxis(columns, index),
    index,
    withoutDepth: near.length - index.length,
    beside: all.length - near.length,
  };
}

/** Degrees go on over the date line; kilometres along a line begin at its end. */
function placesAlong({ latitude, longitude }: EventColumns, along: Along) {
  if (typeof along === "object") {
    const half = along.lengthKm === undefined ? null : along.lengthKm / 2;
    return (_: unknown, i: number): number => {
      const event = { latitude: latitude[i] ?? 0, longitude: longitude[i] ?? 0 };
      const place = placeOnProfile(along, event);
      const isFar = half !== null && Math.abs(place.along) > half;
      const isBeside = isFar || Math.abs(place.across) > along.halfWidthKm;
      return isBeside ? Number.NaN : place.along + (half ?? 0);
    };
  }
  if (along === "latitude") return (_: unknown, i: number) => latitude[i] ?? 0;
  const { west } = boundsOf(latitude, longitude, null) ?? { west: 0 };
  return (_: unknown, i: number) => {
    const degrees = longitude[i] ?? 0;
    // The bounds are those of single precision, as the longitudes are.
    return degrees < west - 1e-6 ? degrees + 360 : degrees;
  };
}

function axisAlong(
  { latitude, longitude }: EventColumns,
  along: Along,
  index: Uint32Array,
  places: Float64Array,
): Axis {
  if (typeof along === "object") {
    const { lengthKm: to } = along;
    if (to !== undefined) return { kind: "linear", from: 0, to, label: "Along the line, km" };
    const distances = Array.from(index, (i) => places[i] ?? 0);
    return { ...linearOver(distances), label: "Distance along the profile, km" };
  }
  const bounds = boundsOf(latitude, longitude, null) ?? { south: -1, north: 1, west: -1, east: 1 };
  return along === "longitude"
    ? {
        ...linearOver([bounds.west, bounds.west + widthOf(bounds)]),
        label: "Longitude",
        text: (degrees) => degreesText(degrees > 180 ? degrees - 360 : degrees, "E", "W"),
      }
    : {
        ...linearOver([bounds.south, bounds.north]),
        label: "Latitude",
        text: (degrees) => degreesText(degrees, "N", "S"),
      };
}

function degreesText(degrees: number, positive: string, negative: string): string {
  return `${Math.abs(Number(degrees.toFixed(4)))}° ${degrees < 0 ? negative : positive}`;
}

export type EventPlot = {
  readonly columns: EventColumns;
  /** Indexes of the events that are drawn, ascending; null for all. */
  readonly indexes: Uint32Array | null;
  readonly classes: Classes;
  readonly x: EventAxis;
  readonly y: EventAxis;
  /** Of the frame, pixels of the screen, and what is around it. */
  readonly wide: number;
  readonly height: number;
  readonly inset: Inset;
  readonly theme: "light" | "dark";
  /** Pixels of the picture for one of the screen. */
  readonly ratio: number;
  /** Of the discs. */
  readonly scale?: number;
  /** More events than these are drawn as a density. */
  readonly most?: number;
};

/**
 * Draws events by two of their values as discs, as on the map.
 * @returns the topmost event at a place, pixels of the screen from the canvas's corner; null without one
 */
export function drawEvents(canvas: HTMLCanvasElement, plot: EventPlot) {
  const { columns, indexes, classes, inset, theme, ratio, scale = 1, most = Infinity } = plot;
  const width = inset.left + plot.wide + inset.right;
  const height = inset.top + plot.height + inset.bottom;
  const picture = pictureOf(width, height, ratio);
  canvas.width = picture.image.width - 2 * picture.margin;
  canvas.height = picture.image.height - 2 * picture.margin;
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
  const events = indexes ? indexes.length : columns.count;
  const seen = roomFor(events);
  for (let n = events - 1; n >= 0; n--) {
    const i = indexes ? (indexes[n] ?? 0) : n;
    const { x, y } = placeIn(plot, i);
    if (Number.isNaN(x) || Number.isNaN(y)) continue;
    seen.x[seen.count] = Math.round(x * ratio);
    seen.y[seen.count] = Math.round(y * ratio);
    seen.index[seen.count] = i;
    seen.count++;
  }
  const sizes = sizesOf(columns.magnitude);
  const isDensity = seen.count > most;
  if (isDensity) drawDensity(picture, seen, SHADES[theme]);
  else {
    const fills = classes.classes.map(({ colour }) => colour);
    drawDiscs(picture, seen, sizes, classes.classOf, { fills, ring: RINGS[theme], scale });
  }
  const context = canvas.getContext("2d");
  if (context) show(picture, context);
  const discs = isDensity ? null : { sizes, scale };
  return (x: number, y: number) => nearest(seen, { x: x * ratio, y: y * ratio }, ratio, discs);
}

/** Where an event lies from the canvas's corner, pixels of the screen; NaN where it is not drawn. */
export function placeIn(
  { x, y, wide, height, inset }: Pick<EventPlot, "x" | "y" | "wide" | "height" | "inset">,
  index: number,
): { readonly x: number; readonly y: number } {
  return {
    x: inset.left + placeOn(x, x.at(index)) * wide,
    y: inset.top + (1 - placeOn(y, y.at(index))) * height,
  };
}

/** The values in a part of an axis, smaller ones first; NaN where it reaches an end. */
export function valuesAlong({ from, to }: Axis, shares: Stretch): Stretch {
  const [one = 0, other = 0] = shares.map((share) =>
    share <= 0 || share >= 1 ? Number.NaN : from + share * (to - from),
  );
  return from < to ? [one, other] : [other, one];
}

/** Where values lie, as shares of an axis; those that are NaN at its ends. */
export function sharesAlong(axis: Axis, values: Stretch): Stretch {
  const [first, last] = axis.from < axis.to ? values : [values[1], values[0]];
  const share = (value: number, open: number) =>
    Number.isNaN(value) ? open : Math.max(0, Math.min(1, placeOn(axis, value)));
  return [share(first, 0), share(last, 1)];
}

const HEIGHT = 340;
/** More discs than these are a picture inside the drawing: as shapes they make files that few programs open. */
export const MOST_SHAPES = 3_000;
/** Pixels of that picture for one of the drawing. */
const RATIO = 2;
const REACH = Math.ceil(MAX_DIAMETER / 2);

type Drawn = {
  readonly columns: EventColumns;
  readonly section: Section;
  readonly along: Along;
  readonly classes: Classes;
  readonly theme: "light" | "dark";
  readonly title: string;
  readonly notes: readonly string[];
  /** Of the frame, px. */
  readonly wide: number;
};

/** A vertical section with a disc for each event, as on the map. */
export function sectionChart(drawn: Drawn): Chart {
  const { section, along, title, wide } = drawn;
  const { x, y, index } = section;
  // How many times as long a kilometre of depth is drawn as one along a profile.
  const exaggeration = (HEIGHT / (y.from - y.to) / wide) * (x.to - x.from);
  const notes =
    typeof along === "object" ? [`Vertical exaggeration ${significant(exaggeration, 2)}`] : [];
  const picture: readonly Mark[] =
    index.length > MOST_SHAPES
      ? [{ kind: "image", href: pictureOfDiscs(drawn), reach: REACH }]
      : [];
  const marks = [...picture, ...discsOf(drawn, picture.length === 0)];
  return { title, notes: [...drawn.notes, ...notes], x, panels: [{ y, height: HEIGHT, marks }] };
}

/** A mark for each class that the section has, with its events where they are shapes. */
function discsOf(
  { columns, section: { x, y, index }, classes: { classes, classOf, title } }: Drawn,
  areShapes: boolean,
): readonly Mark[] {
  return classes.flatMap(({ label, colour }, of): Mark[] => {
    // The newest come first and are drawn last.
    const members = [...index.filter((i) => classOf[i] === of)].reverse();
    if (members.length === 0) return [];
    const shown = areShapes ? members : [];
    return [
      {
        ...{ kind: "discs", name: `${title} ${label}`, colour: cssOf(colour) },
        isHollow: areShapes && of === classes.length - 1,
        diameters: shown.map((i) => diameterOf(columns.magnitude[i] ?? Number.NaN)),
        points: shown.map((i) => [x.at(i), y.at(i)]),
      },
    ];
  });
}

/** The discs as pixels on nothing, as the address of an image. */
function pictureOfDiscs({ columns, section, classes, theme, wide }: Drawn): string {
  const canvas = document.createElement("canvas");
  const inset = { left: REACH, right: REACH, top: REACH, bottom: REACH };
  const { x, y, index } = section;
  const size = { wide, height: HEIGHT, inset, ratio: RATIO };
  drawEvents(canvas, { columns, indexes: index, classes, x, y, ...size, theme });
  return canvas.toDataURL("image/png");
}
