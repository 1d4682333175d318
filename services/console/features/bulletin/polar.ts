import { type Drawn, drawSheet, g, type Look, textAt } from "#contracts/plots/chart.ts";
import { linesOf, NOTE_SIZE, PLOT_COLOURS, type PlotColours } from "#contracts/plots/layout.ts";
import { niceTicks, px } from "#contracts/plots/scale.ts";

const WIDTH = 400;
const EDGE = 16;
/** Of a line of notes, the part that may be filled: widths of texts are estimates. */
const FILLED = 0.8;
/** The rim's, pixels. */
export const RADIUS = 160;
const MIDDLE_Y = 232;
/** Further out than the rim. */
const LETTERS = RADIUS + 14;
const DIRECTIONS = ["N", "E", "S", "W"];

type Polar = {
  readonly title: string;
  /** Circles within the rim, with what stands at them. */
  readonly rings: readonly { readonly radius: number; readonly text: string }[];
  readonly notes: string;
  /** What is drawn, around the middle, which is 0, 0. */
  readonly marks: (colours: PlotColours) => readonly Drawn[];
};

/** Directions around an epicentre, north up. */
export function drawPolar({ title, rings, notes, marks }: Polar, look: Look): Drawn {
  const colours = PLOT_COLOURS[look.theme];
  const { grid, muted, background } = colours;
  const circles = rings.map(({ radius }): Drawn => ["circle", { r: radius }]);
  const cross = `M0 ${-RADIUS}V${RADIUS}M${-RADIUS} 0H${RADIUS}`;
  return drawSheet(
    { ...look, width: WIDTH },
    {
      ...{ titles: [title], left: EDGE, bottom: MIDDLE_Y + RADIUS + 22 },
      lines: linesOf(notes, (FILLED * (WIDTH - 2 * EDGE)) / NOTE_SIZE),
    },
    g(
      { transform: `translate(${WIDTH / 2} ${MIDDLE_Y})` },
      g({ fill: "none", stroke: grid }, ...circles, ["path", { d: cross }]),
      ["circle", { r: RADIUS, fill: "none", stroke: muted }],
      ...DIRECTIONS.map((letter, i) => {
        const [x, y] = pointAt(90 * i, LETTERS);
        return textAt(x, y + 4, letter, "middle");
      }),
      ...marks(colours),
      // Over what is drawn, with some ground around them.
      g(
        {
          ...{ fill: muted, stroke: background, "stroke-width": 3, "paint-order": "stroke" },
          "font-size": NOTE_SIZE,
        },
        ...rings.map(({ radius, text }) => textAt(3, -radius + 12, text)),
      ),
    ),
  );
}

export type Point = readonly [x: number, y: number];

/** Where a direction from the middle leads: north is up, y downwards. @param azimuth degrees from north over east */
export function pointAt(azimuth: number, radius: number): Point {
  const angle = (azimuth * Math.PI) / 180;
  return [radius * Math.sin(angle), -radius * Math.cos(angle)];
}

/** Times that the farthest is beyond the middle one of the distances, from which on roots are drawn. */
const FAR = 5;
const RINGS = 4;
const ROOM = 1.05;
/** Degrees: some 10 m. */
const LEAST = 1e-4;

/**
 * How far from the middle these distances are drawn, of which there is one at least: 0 in the middle, 1 at
 * the rim. Where near ones would lie on each other, as the square root.
 * @returns further distances of circles, without the rim, and the distance at the rim
 */
export function radialScale(distances: readonly number[]) {
  const ordered = distances.toSorted((a, b) => a - b);
  const most = Math.max(ordered.at(-1) ?? 0, LEAST) * ROOM;
  const isRoot = most > FAR * (ordered[Math.floor(ordered.length / 2)] ?? most);
  const at = (distance: number) => (isRoot ? Math.sqrt(distance / most) : distance / most);
  const rings = niceTicks(0, most, RINGS).filter((ring) => ring > 0 && at(ring) < 0.97);
  return { at, rings, most, isRoot };
}

/** A sector of a circle as a path of SVG: from an azimuth clockwise over `width` degrees. */
export function sectorPath(from: number, width: number, radius: number): string {
  const [startX, startY] = pointAt(from, radius);
  const [endX, endY] = pointAt(from + width, radius);
  const isLarge = width > 180 ? 1 : 0;
  const arc = `A${px(radius)} ${px(radius)} 0 ${isLarge} 1 ${px(endX)} ${px(endY)}`;
  return `M0 0L${px(startX)} ${px(startY)}${arc}Z`;
}
