import {
  frameWidth,
  LEGEND_LINE,
  LETTER_SIZE,
  legendHeight,
  legendPlaces,
  linesOf,
  NOTE_LINE,
  NOTE_SIZE,
  PLOT_COLOURS,
  PLOT_FACE,
  PLOT_MARGINS,
  type PlotColours,
  TITLE_HEIGHT,
  TITLE_LINE,
  TITLE_SIZE,
  textWidth,
} from "./layout.ts";
import { logTicks } from "./numbers.ts";
import { barsPath, linearOver, placeOn, px, type Scale, ticksOn } from "./scale.ts";

export type Axis = Scale & {
  readonly label: string;
  /** Of values at marks, where numbers alone do not tell enough. */
  readonly text?: (value: number) => string;
};

/** A value by another; null where it is not known, which a line leaves open. */
export type Point = readonly [x: number, y: number | null];
/** From one value of x to another, as high as a value of y, from the ground or from a second one. */
type Bar = readonly [from: number, to: number, y: number, y0?: number];

/** Which of the colours of series, or a colour. */
export type Colour = 0 | 1 | 2 | 3 | "ink" | "muted" | `rgb(${string})`;

type Named = {
  /** Stands in the legend, also of a mark without points. */
  readonly name?: string;
  readonly colour: Colour;
};

export type Mark =
  | (Named & {
      readonly kind: "line";
      readonly points: readonly Point[];
      readonly isDashed?: boolean;
      readonly hasDots?: boolean;
    })
  /** What lies between two lines. */
  | (Named & {
      readonly kind: "band";
      readonly points: readonly (readonly [x: number, low: number | null, high: number | null])[];
    })
  | (Named & {
      readonly kind: "bars";
      readonly bars: readonly Bar[];
      readonly isPale?: boolean;
      /** Without spaces between the bars: cells of a plane. */
      readonly isClose?: boolean;
    })
  /** Diameters in pixels. */
  | (Named & {
      readonly kind: "discs";
      readonly points: readonly Point[];
      readonly diameters?: ArrayLike<number>;
      readonly shape?: "square" | "triangle";
      readonly isHollow?: boolean;
      /** So many that they lie upon each other. */
      readonly isDense?: boolean;
    })
  /** A line across the panel at a value. */
  | (Named & { readonly kind: "rule"; readonly x: number })
  | (Named & { readonly kind: "rule"; readonly y: number })
  /** A picture of the panel, which reaches so many pixels over its edges. */
  | { readonly kind: "image"; readonly href: string; readonly reach: number };

type Panel = {
  readonly y: Axis;
  /** Absent: the chart's, which is labelled below the last panel that has it. */
  readonly x?: Axis;
  /** Pixels. */
  readonly height: number;
  readonly marks: readonly Mark[];
};

/** Panels above each other along one axis. */
export type Chart = {
  /** "": it stands where its title is. */
  readonly title: string;
  readonly x: Axis;
  readonly panels: readonly Panel[];
  /** Numbers, in the legend. */
  readonly facts?: readonly string[];
  /** What is drawn of which events, below the picture. */
  readonly notes: readonly string[];
};

/** A panel over all values of its marks, from 0 where they stand on it or begin there. */
export function panelOf(label: string, height: number, ...marks: readonly Mark[]): Panel {
  const fromZero = marks.some(
    (mark) => mark.kind === "bars" || (mark.kind === "line" && mark.points[0]?.[1] === 0),
  );
  const y = { ...linearOver(marks.flatMap(valuesOf), { fromZero }), label };
  return { y, height, marks };
}

function valuesOf(mark: Mark): readonly (number | null)[] {
  switch (mark.kind) {
    case "line":
    case "discs":
      return mark.points.map(([, y]) => y);
    case "band":
      return mark.points.flatMap(([, low, high]) => [low, high]);
    case "bars":
      return mark.bars.map(([, , y]) => y);
    default:
      return [];
  }
}

type Attributes = Readonly<Record<string, string | number>>;
/** An element of SVG: its tag, its attributes, what it contains. */
export type Drawn = readonly [string, Attributes, ...(Drawn | string)[]];

/** What is told of a chart to those who do not see it, in which colours it is drawn, and how wide, px. */
export type Look = {
  readonly label: string;
  readonly theme: "light" | "dark";
  readonly width: number;
};

/** The colours and the place of a frame's marks. */
type Frame = {
  readonly x: Scale;
  readonly y: Scale;
  /** Px. */
  readonly wide: number;
  readonly height: number;
  readonly colours: PlotColours;
};

const LEFT = PLOT_MARGINS.left;
/** Across, also where a plot is narrow. */
const LEAST_TICKS = 4.5;
const GAP = 16;
const AXIS_HEIGHT = 40;
/** Around the frame of a single panel without title, legend and notes, px. */
export const PANEL_INSET = { ...PLOT_MARGINS, top: GAP, bottom: AXIS_HEIGHT + 10 } as const;
const KEY = { wide: 18, height: 12, room: 24 } as const;

/** A chart as SVG that needs nothing around it. */
export function drawChart(chart: Chart, look: Look): Drawn {
  const { title, panels, notes } = chart;
  const wide = frameWidth(look.width);
  const colours = PLOT_COLOURS[look.theme];
  const titles = title === "" ? [] : linesOf(title, wide / TITLE_SIZE);
  const head = title === "" ? GAP : TITLE_HEIGHT + (titles.length - 1) * TITLE_LINE;
  const legend = legendOf(chart, wide);
  let top = head + legendHeight(legend);
  const frames = panels.map((panel, i) => {
    const x = panel.x ?? chart.x;
    const isLabelled = x !== (panels[i + 1]?.x ?? (i + 1 < panels.length ? chart.x : null));
    const at = `translate(${LEFT} ${top})`;
    top += panel.height + (isLabelled ? AXIS_HEIGHT + GAP : GAP);
    return g({ transform: at }, ...frameOf(panel, x, wide, colours, isLabelled));
  });
  const bottom = top - GAP;
  const lines = notes.flatMap((note) => linesOf(note, wide / NOTE_SIZE));
  const keys = legend.map(({ x, row, text, mark }) =>
    g(
      { transform: `translate(${px(x)} ${row * LEGEND_LINE})` },
      ...(mark ? keyOf(mark, colours) : []),
      textAt(mark ? KEY.room : 0, 10, text),
    ),
  );
  return drawSheet(
    look,
    { titles, left: LEFT, lines, bottom },
    g({ transform: `translate(${LEFT} ${head})` }, ...keys),
    ...frames,
  );
}

type Sheet = {
  /** Without any, it stands where its title is, on the ground that is there. */
  readonly titles: readonly string[];
  /** Where they begin, and the lines below what is drawn, px. */
  readonly left: number;
  readonly lines: readonly string[];
  /** Of what is drawn. */
  readonly bottom: number;
};

/** What is drawn, under its title and over its notes. */
export function drawSheet(
  { label, theme, width }: Look,
  { titles, left, lines, bottom }: Sheet,
  ...body: readonly Drawn[]
): Drawn {
  const { ink, muted, background } = PLOT_COLOURS[theme];
  const height = bottom + lines.length * NOTE_LINE + 10;
  return [
    "svg",
    {
      ...{ class: "plot", xmlns: "http://www.w3.org/2000/svg", width, height },
      ...{ viewBox: `0 0 ${width} ${height}`, "font-family": PLOT_FACE, "font-size": LETTER_SIZE },
      ...{ "text-rendering": "geometricPrecision", fill: ink, role: "img", "aria-label": label },
    },
    ["rect", { width, height, fill: titles.length === 0 ? "none" : background }],
    g(
      { "font-size": TITLE_SIZE, "font-weight": 600 },
      ...titles.map((line, i) => textAt(left, 23 + i * TITLE_LINE, line)),
    ),
    ...body,
    g(
      { fill: muted, "font-size": NOTE_SIZE },
      ...lines.map((line, i) => textAt(left, bottom + 12 + i * NOTE_LINE, line)),
    ),
  ];
}

export function g(attributes: Attributes, ...children: readonly (Drawn | string)[]): Drawn {
  return ["g", attributes, ...children];
}

export function textAt(x: number, y: number, text: string, anchor = "start"): Drawn {
  return ["text", { x: px(x), y: px(y), "text-anchor": anchor }, text];
}

type KeyedMark = Exclude<Mark, { readonly kind: "image" }>;

/** The named marks of the panels, then the facts, in rows of a width in pixels. */
export function legendOf({ panels, facts = [] }: Pick<Chart, "panels" | "facts">, wide: number) {
  const entries: readonly { readonly text: string; readonly mark: KeyedMark | null }[] = [
    ...panels.flatMap(({ marks }) =>
      marks.flatMap((mark) =>
        mark.kind === "image" || mark.name === undefined ? [] : [{ text: mark.name, mark }],
      ),
    ),
    ...facts.map((text) => ({ text, mark: null })),
  ];
  const widths = entries.map(
    ({ text, mark }) => (mark ? KEY.room : 0) + LETTER_SIZE * textWidth(text),
  );
  const places = legendPlaces(widths, wide);
  return entries.map((entry, i) => ({ ...entry, ...(places[i] ?? { x: 0, row: 0 }) }));
}

/** A mark as the legend shows it. */
function keyOf(mark: KeyedMark, colours: PlotColours): readonly Drawn[] {
  const unit: Scale = { kind: "linear", from: 0, to: 1 };
  return drawMark(sampleOf(mark), { x: unit, y: unit, ...KEY, colours });
}

function sampleOf(mark: KeyedMark): Mark {
  switch (mark.kind) {
    case "line":
      return { ...mark, ...{ points: [[0, 0.5] as const, [1, 0.5] as const], hasDots: false } };
    case "band":
      return { ...mark, points: [[0, 0, 1] as const, [1, 0, 1] as const] };
    case "bars":
      return { ...mark, bars: [[0, 1, 1] as const], isClose: false };
    case "discs":
      return { ...mark, points: [[0.5, 0.5] as const], diameters: [mark.shape ? DOT : 9] };
    case "rule":
      return { kind: "rule", colour: mark.colour, y: 0.5 };
  }
}

function frameOf(
  { y, height, marks }: Panel,
  x: Axis,
  wide: number,
  colours: PlotColours,
  isLabelled: boolean,
): readonly Drawn[] {
  const left = (at: number) => px(placeOn(x, at) * wide);
  const top = (at: number) => px((1 - placeOn(y, at)) * height);
  const xTicks = ticksOn(x, Math.max(wide / 80, LEAST_TICKS));
  const yTicks = ticksOn(y, height / 36);
  const grid = [
    ...xTicks.map(({ at }) => `M${left(at)} 0V${height}`),
    ...yTicks.map(({ at }) => `M0 ${top(at)}H${wide}`),
  ];
  const between = [
    ...unnamedOn(x).map((at) => `M${left(at)} ${height}v-4`),
    ...unnamedOn(y).map((at) => `M0 ${top(at)}h4`),
  ];
  return [
    ["path", { d: grid.join(""), stroke: colours.grid }],
    ...marks.map((mark) =>
      g({ class: mark.kind }, ...drawMark(mark, { x, y, wide, height, colours })),
    ),
    ["path", { d: between.join(""), stroke: colours.muted }],
    ["rect", { width: wide, height, fill: "none", stroke: colours.muted }],
    ...yTicks.map(({ at, label }) => textAt(-7, top(at) + 4, y.text?.(at) ?? label, "end")),
    ...(isLabelled
      ? [
          ...xTicks.map(({ at, label }) =>
            textAt(left(at), height + 16, x.text?.(at) ?? label, "middle"),
          ),
          textAt(wide / 2, height + 34, x.label, "middle"),
        ]
      : []),
    g({ transform: `translate(-56 ${height / 2}) rotate(-90)` }, textAt(0, 0, y.label, "middle")),
  ];
}

/** The folds of powers of ten that have no text. */
function unnamedOn({ kind, from, to }: Scale): readonly number[] {
  if (kind !== "log") return [];
  return logTicks(from, to).flatMap(({ at, text }) => (text === null ? [at] : []));
}

/** The marks of a panel, which has its origin at its upper left. */
function drawMark(mark: Mark, frame: Frame): readonly Drawn[] {
  const { x, y, wide, height, colours } = frame;
  if (mark.kind === "image") {
    const { href, reach } = mark;
    const size = { width: wide + 2 * reach, height: height + 2 * reach };
    return [["image", { href, x: -reach, y: -reach, ...size }]];
  }
  const left = (at: number) => placeOn(x, at) * wide;
  const top = (at: number) => (1 - placeOn(y, at)) * height;
  const placeOf = (at: number, value: number | null): Place =>
    value === null || Number.isNaN(value) ? null : [left(at), top(value)];
  const colour = colourOf(mark.colour, colours);
  switch (mark.kind) {
    case "line": {
      const places = mark.points.map(([at, value]) => placeOf(at, value));
      const dashes = mark.isDashed && { "stroke-dasharray": "5 4" };
      const line = { fill: "none", stroke: colour, "stroke-width": 1.8, ...dashes };
      return [
        ["path", { d: linePath(places), ...line }],
        ...(mark.hasDots ? [dotsAt(places, { fill: colour, stroke: colours.background })] : []),
      ];
    }
    case "band": {
      const upper = mark.points.map(([at, , high]) => placeOf(at, high));
      const lower = mark.points.map(([at, low]) => placeOf(at, low));
      return [["path", { d: bandPath(upper, lower), fill: colour, "fill-opacity": 0.22 }]];
    }
    case "bars": {
      const bars = mark.bars.map(
        ([from, to, end, y0]) =>
          [left(from), left(to), top(end), y0 === undefined ? height : top(y0)] as const,
      );
      const look = {
        ...(mark.isPale && { "fill-opacity": 0.5 }),
        ...(mark.isClose && { "shape-rendering": "crispEdges" }),
      };
      return [["path", { d: barsPath(bars, mark.isClose ? 0 : 1), fill: colour, ...look }]];
    }
    case "discs": {
      const { isHollow, isDense, shape, diameters } = mark;
      const places = mark.points.map(([at, value]) => placeOf(at, value));
      const look = {
        fill: isHollow ? "none" : colour,
        stroke: isHollow || isDense ? colour : colours.ink,
        ...(isHollow && shape && { "stroke-width": 1.3 }),
        ...(isDense && { "fill-opacity": 0.45, "stroke-width": 0.5 }),
      };
      if (shape === undefined) return [dotsAt(places, look, diameters)];
      return [["path", { d: places.map((at) => at && SHAPES[shape](...at)).join(""), ...look }]];
    }
    case "rule": {
      const d = "x" in mark ? `M${px(left(mark.x))} 0V${height}` : `M0 ${px(top(mark.y))}H${wide}`;
      return [["path", { d, stroke: colour, "stroke-width": 1.2, "stroke-dasharray": "2 3" }]];
    }
  }
}

const DOT = 6;

function dotsAt(places: readonly Place[], look: Attributes, diameters?: ArrayLike<number>): Drawn {
  const dots = places.flatMap((place, i): Drawn[] =>
    place === null
      ? []
      : [["circle", { cx: px(place[0]), cy: px(place[1]), r: (diameters?.[i] ?? DOT) / 2 }]],
  );
  return g({ "stroke-width": 0.8, ...look }, ...dots);
}

const SHAPES = {
  square: (x: number, y: number) => `M${px(x - 3.2)} ${px(y - 3.2)}h6.4v6.4h-6.4z`,
  triangle: (x: number, y: number) => `M${px(x)} ${px(y - 4.2)}l3.8 6.6h-7.6z`,
} as const;

function colourOf(colour: Colour, colours: PlotColours): string {
  if (typeof colour === "number") return colours.series[colour];
  return colour === "ink" || colour === "muted" ? colours[colour] : colour;
}

/** A point in pixels, or null where nothing is known: there a line has a gap. */
type Place = readonly [x: number, y: number] | null;

export function linePath(places: readonly Place[]): string {
  let path = "";
  let isDrawing = false;
  for (const place of places) {
    if (place) path += `${isDrawing ? "L" : "M"}${px(place[0])} ${px(place[1])}`;
    isDrawing = place !== null;
  }
  return path;
}

/** Of two lines along the same points, what lies between them, apart for each stretch without a gap. */
export function bandPath(upper: readonly Place[], lower: readonly Place[]): string {
  let path = "";
  let [above, below]: NonNullable<Place>[][] = [[], []];
  const close = () => {
    if (above && below && above.length > 1) path += `${linePath([...above, ...below.reverse()])}Z`;
    [above, below] = [[], []];
  };
  upper.forEach((top, i) => {
    const bottom = lower[i];
    if (top && bottom) {
      above?.push(top);
      below?.push(bottom);
    } else close();
  });
  close();
  return path;
}
