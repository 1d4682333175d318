import { MINUS, significant } from "#contracts/plots/numbers.ts";
import type { Classes } from "../drawing/classes.ts";
import { cssOf, RINGS } from "../drawing/colours.ts";
import { diameterOf, MAX_DIAMETER, sizesOf } from "../drawing/discs.ts";
import { drawDiscs, pictureOf, show } from "../drawing/picture.ts";
import { roomFor } from "../drawing/view.ts";
import { boundsOf, widthOf } from "../model/bounds.ts";
import type { EventColumns } from "../model/event-columns.ts";
import type { Axis, Chart, Mark, Panel } from "./chart/chart-types.ts";
import { linearOver, placeOn } from "./chart/scale.ts";
import { type Profile, placeOnProfile } from "./profile.ts";

const HEIGHT = 340;
/** More discs than these are a picture inside the drawing: as shapes they make files that few programs open. */
export const MOST_SHAPES = 3_000;
/** Pixels of that picture for one of the drawing. */
const RATIO = 2;
const REACH = Math.ceil(MAX_DIAMETER / 2);

type Drawn = {
  readonly columns: EventColumns;
  readonly section: Section;
  readonly classes: Classes;
  readonly theme: "light" | "dark";
  readonly title: string;
  readonly notes: readonly string[];
  /** Of the frame, px. */
  readonly wide: number;
};

/** A vertical section with a disc for each event, as on the map. */
export function sectionChart(drawn: Drawn): Chart {
  const { section, title, wide } = drawn;
  const notes = section.across
    ? [...drawn.notes, `Vertical exaggeration ${significant(exaggerationOf(section, wide), 2)}`]
    : drawn.notes;
  const isPicture = section.index.length > MOST_SHAPES;
  const panel: Panel = isPicture
    ? {
        y: section.depth,
        height: HEIGHT,
        marks: [{ kind: "image", href: pictureOfDiscs(drawn), reach: REACH }],
        legend: legendOf(drawn),
      }
    : { y: section.depth, height: HEIGHT, marks: shapes(drawn) };
  return { title, notes, x: section.axis, panels: [panel] };
}

/** How many times as long a kilometre of depth is drawn as one along a profile. */
function exaggerationOf({ axis, depth }: Section, wide: number): number {
  const along = wide / (axis.to - axis.from);
  return HEIGHT / (depth.from - depth.to) / along;
}

/** A class of events with its colour, of those that the section has. */
function classesIn({ section: { index }, classes: { classes, classOf } }: Drawn) {
  const present = new Set(Array.from(index, (i) => classOf[i]));
  return classes
    .map(({ label, colour }, of) => ({
      of,
      name: label,
      colour: cssOf(colour) as `rgb(${string})`,
    }))
    .filter(({ of }) => present.has(of));
}

function legendOf(drawn: Drawn): NonNullable<Panel["legend"]> {
  const { title } = drawn.classes;
  return classesIn(drawn).map(({ name, colour }) => ({ name: `${title} ${name}`, colour }));
}

function shapes(drawn: Drawn): readonly Mark[] {
  const { columns, section, classes } = drawn;
  return classesIn(drawn).map(({ of, name, colour }): Mark => {
    // The newest come first and are drawn last.
    const members = Array.from(section.index, (_, n) => n)
      .filter((n) => classes.classOf[section.index[n] ?? 0] === of)
      .reverse();
    const indexOf = (n: number) => section.index[n] ?? 0;
    return {
      kind: "discs",
      name: `${classes.title} ${name}`,
      colour,
      isHollow: of === classes.classes.length - 1,
      diameters: members.map((n) => diameterOf(columns.magnitude[indexOf(n)] ?? Number.NaN)),
      points: members.map((n) => [section.at[n] ?? 0, columns.depth[indexOf(n)] ?? 0]),
    };
  });
}

/** The discs as pixels on nothing, as the address of an image. */
function pictureOfDiscs({ columns, section, classes, theme, wide }: Drawn): string {
  const picture = pictureOf(wide + 2 * REACH, HEIGHT + 2 * REACH, RATIO);
  const seen = roomFor(section.index.length);
  for (let n = section.index.length - 1; n >= 0; n--) {
    const i = section.index[n] ?? 0;
    const x = placeOn(section.axis, section.at[n] ?? 0) * wide;
    const y = (1 - placeOn(section.depth, columns.depth[i] ?? 0)) * HEIGHT;
    seen.x[seen.count] = Math.round((REACH + x) * RATIO);
    seen.y[seen.count] = Math.round((REACH + y) * RATIO);
    seen.index[seen.count] = i;
    seen.count++;
  }
  const fills = classes.classes.map(({ colour }) => colour);
  const look = { fills, ring: RINGS[theme] };
  drawDiscs(picture, seen, sizesOf(columns.magnitude), classes.classOf, look);
  const canvas = document.createElement("canvas");
  canvas.width = picture.image.width - 2 * picture.margin;
  canvas.height = picture.image.height - 2 * picture.margin;
  const context = canvas.getContext("2d");
  if (context) show(picture, context);
  return canvas.toDataURL("image/png");
}

/** Along what depths are drawn. */
export type Along = "longitude" | "latitude" | Profile;

/** The events of a vertical section, as they come: newest first. */
export type Section = {
  /** Their indexes among all. */
  readonly index: Uint32Array;
  /** Where each lies along the section: degrees, or kilometres along a profile. */
  readonly at: Float64Array;
  /** Kilometres beside a profile, to its right; nothing of other sections. */
  readonly across: Float64Array | null;
  readonly axis: Axis;
  readonly depth: Axis;
  readonly withoutDepth: number;
  /** Too far from a profile. */
  readonly beside: number;
};

export function sectionOf(columns: EventColumns, along: Along): Section {
  const { axis, placeOf } = directionOf(columns, along);
  const isProfile = typeof along === "object";
  const index: number[] = [];
  const places: number[] = [];
  const across: number[] = [];
  let [withoutDepth, beside] = [0, 0];
  for (let i = 0; i < columns.count; i++) {
    const place = placeOf(i);
    if (isProfile && Math.abs(place.across) > along.halfWidthKm) beside++;
    else if (Number.isNaN(columns.depth[i])) withoutDepth++;
    else {
      index.push(i);
      places.push(place.along);
      across.push(place.across);
    }
  }
  return {
    index: Uint32Array.from(index),
    at: Float64Array.from(places),
    across: isProfile ? Float64Array.from(across) : null,
    axis: axis ?? { ...linearOver(places), label: "Distance along the profile, km" },
    depth: depthAxis(index.map((i) => columns.depth[i] ?? 0)),
    withoutDepth,
    beside,
  };
}

type Direction = {
  /** Null where the events' places make it. */
  readonly axis: Axis | null;
  readonly placeOf: (i: number) => { readonly along: number; readonly across: number };
};

/** Degrees go on over the date line. */
function directionOf(columns: EventColumns, along: Along): Direction {
  const { latitude, longitude } = columns;
  if (typeof along === "object") {
    const placeOf = (i: number) =>
      placeOnProfile(along, { latitude: latitude[i] ?? 0, longitude: longitude[i] ?? 0 });
    return { axis: null, placeOf };
  }
  const bounds = boundsOf(latitude, longitude, null) ?? { south: -1, north: 1, west: -1, east: 1 };
  const text = (value: number) => degreesText(value, along);
  const axisFrom = (from: number, length: number): Axis => ({
    ...linearOver([from, from + length]),
    label: along === "longitude" ? "Longitude" : "Latitude",
    text,
  });
  if (along === "latitude") {
    return {
      axis: axisFrom(bounds.south, bounds.north - bounds.south),
      placeOf: (i) => ({ along: latitude[i] ?? 0, across: 0 }),
    };
  }
  return {
    axis: axisFrom(bounds.west, widthOf(bounds)),
    placeOf: (i) => {
      const degrees = longitude[i] ?? 0;
      // The bounds are those of single precision, as the longitudes are.
      return { along: degrees < bounds.west - 1e-6 ? degrees + 360 : degrees, across: 0 };
    },
  };
}

/** From the deepest up to the surface, or above it where events are. */
function depthAxis(depths: readonly number[]): Axis {
  let [least, most] = [0, 1];
  for (const km of depths) {
    if (km < least) least = km;
    if (km > most) most = km;
  }
  const room = (most - least) * 0.03;
  return {
    kind: "linear",
    from: most + room,
    to: least - room,
    label: "Depth, km",
    text: (km) => (km === 0 ? "0" : String(km).replace("-", MINUS)),
  };
}

function degreesText(degrees: number, along: "longitude" | "latitude"): string {
  const wrapped = along === "longitude" && degrees > 180 ? degrees - 360 : degrees;
  const [positive, negative] = along === "longitude" ? ["E", "W"] : ["N", "S"];
  return `${Math.abs(Number(wrapped.toFixed(4)))}° ${wrapped < 0 ? negative : positive}`;
}
