import { significant } from "#contracts/plots/numbers.ts";
import type { Classes } from "../drawing/classes.ts";
import { cssOf, RINGS } from "../drawing/colours.ts";
import { diameterOf, MAX_DIAMETER, sizesOf } from "../drawing/discs.ts";
import { drawDiscs, pictureOf, show } from "../drawing/picture.ts";
import { roomFor } from "../drawing/view.ts";
import type { EventColumns } from "../model/event-columns.ts";
import type { Chart, Mark, Panel } from "./chart/chart-types.ts";
import { placeOn } from "./chart/scale.ts";
import type { Section } from "./depth-section.ts";

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
