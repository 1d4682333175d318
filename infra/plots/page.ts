import * as Plot from "@observablehq/plot";
import { parseHTML } from "linkedom";
import type { z } from "zod";
import type { PlotTheme } from "#contracts/http/analytics/plots.ts";
import type { getRates } from "#contracts/http/analytics/statistics.ts";
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
  PLOT_MARGINS,
  PLOT_WIDTH,
  type PlotColours,
  TITLE_HEIGHT,
  TITLE_LINE,
  TITLE_SIZE,
  textWidth,
} from "#contracts/plots/layout.ts";
import { logTicks, numberText } from "#contracts/plots/numbers.ts";
import { filtersInWords } from "#contracts/query/filters.ts";
import { expressible } from "../formats/xml/text.ts";

/** What stands on every plot beside its frame. */
export type Caption = {
  /** The catalogue's name. */
  readonly catalogue: string;
  readonly version: number;
  /** How the version is cited, one line. */
  readonly citation: string;
  readonly theme: PlotTheme;
  /** Px; absent, the usual one. */
  readonly width?: number;
};

type PlotPage = {
  readonly title: string;
  readonly body: { readonly svg: SvgElement; readonly height: number };
  readonly legend: readonly LegendItem[];
  /** The legend stands in the frame's upper right corner, where the plot is empty, else above it. */
  readonly legendInside?: boolean;
  /** What was asked of which events, and the paper of the method. */
  readonly notes: readonly string[];
};

const LEFT = PLOT_MARGINS.left;
/** Narrower, a legend in the frame would lie on what is drawn. */
const ROOM_FOR_LEGEND = 520;

/** The plot as an SVG document of its own. */
export function pageOf(caption: Caption, page: PlotPage): string {
  const theme = lookOf(caption);
  const { width } = theme;
  const isInside = page.legendInside === true && width >= ROOM_FOR_LEGEND;
  const rows = isInside
    ? { svg: element("g", {}), height: 0 }
    : legendRows(theme, page.legend, { left: LEFT, width: frameWidth(width) });
  const titles = linesOf(page.title, frameWidth(width) / TITLE_SIZE);
  const head = TITLE_HEIGHT + (titles.length - 1) * TITLE_LINE;
  const bodyTop = head + rows.height;
  const footTop = bodyTop + page.body.height + 6;
  const foot = footLines(caption, page, width);
  const height = Math.ceil(footTop + foot.length * NOTE_LINE + 8);
  const inside = {
    right: width - PLOT_MARGINS.right - 8,
    top: bodyTop + MARGINS.marginTop + 8,
  };
  const root = element(
    "svg",
    {
      xmlns: "http://www.w3.org/2000/svg",
      width,
      height,
      viewBox: `0 0 ${width} ${height}`,
      "font-family": FONT_FAMILY,
      fill: theme.ink,
      color: theme.ink,
      role: "img",
      "aria-label": page.title,
    },
    element("rect", { width, height, fill: theme.background }),
    titleOf(titles),
    element("g", { transform: `translate(0,${head})` }, rows.svg),
    element("g", { transform: `translate(0,${bodyTop})` }, page.body.svg),
    ...(isInside ? [legendBox(theme, page.legend, inside)] : []),
    footOf(theme, foot, footTop),
  );
  // Numbers of attributes to a hundredth of a pixel: smaller, and the same on every machine.
  const toHundredths = (attribute: string) => attribute.replaceAll(/(\.\d{2})\d+/g, "$1");
  return root.toString().replaceAll(/="[^"]*"/g, toHundredths);
}

function titleOf(lines: readonly string[]): SvgElement {
  const texts = lines.map((line, i) => {
    const place = { x: LEFT, y: 23 + i * TITLE_LINE };
    return element("text", { ...place, "font-size": TITLE_SIZE, "font-weight": 600 }, line);
  });
  return element("g", {}, ...texts);
}

function footLines(
  { catalogue, version, citation }: Caption,
  { notes }: PlotPage,
  width: number,
): string[] {
  const source = [`${catalogue}, version ${version}`, ...notes].join(" · ");
  const letters = frameWidth(width) / NOTE_SIZE;
  return [source, citation].flatMap((text) => linesOf(text, letters));
}

function footOf(theme: Theme, lines: readonly string[], top: number): SvgElement {
  const texts = lines.map((line, i) =>
    element("text", { x: LEFT, y: top + 8 + i * NOTE_LINE, "font-size": NOTE_SIZE }, line),
  );
  return element("g", { fill: theme.muted, "aria-label": "source" }, ...texts);
}

/** What every analysis tells of its events. */
export type Analysed = Pick<Answer<typeof getRates>, "filters" | "input" | "reference">;

/** The answer of an analysis. */
export type Answer<O extends { readonly success: { readonly schema: z.ZodType } }> = z.output<
  O["success"]["schema"]
>;

/** A parameter as the answer shows it. */
export function numberOf(
  { parameters }: Pick<Answer<typeof getRates>, "parameters">,
  name: string,
) {
  return Number(parameters[name]);
}

/** The events of a plot, how they were chosen, and the papers of its methods. */
export function notesOf(first: Analysed, ...others: readonly Analysed[]): string[] {
  const { events, start, end } = first.input;
  const filters = filtersInWords(first.filters);
  const references = [first, ...others].flatMap(({ reference }) => reference ?? []);
  return [
    `${numberText(events)} events`,
    ...(start === null || end === null ? [] : [`${start.slice(0, 10)} to ${end.slice(0, 10)}`]),
    ...(filters.length === 0 ? [] : [filters.join(", ")]),
    ...(references.length === 0 ? [] : [[...new Set(references)].join("; ")]),
  ];
}

type Sign = "square" | "triangle" | "circle" | "dot" | "line" | "dashed" | "bar" | "band";

/** A line of a legend; without a sign it is text alone. */
export type LegendItem = {
  readonly text: string;
  readonly sign?: Sign;
  readonly color?: string;
};

const SIGN_WIDTH = 26;
const PADDING = 8;

/** A box of lines whose upper right corner is at (right, top). */
function legendBox(
  theme: Theme,
  items: readonly LegendItem[],
  { right, top }: { readonly right: number; readonly top: number },
): SvgElement {
  const width =
    SIGN_WIDTH + 3 * PADDING + LETTER_SIZE * Math.max(...items.map(({ text }) => textWidth(text)));
  const height = items.length * LEGEND_LINE + PADDING;
  const { background, grid } = theme;
  const box = { width, height, rx: 3, fill: background, "fill-opacity": 0.9, stroke: grid };
  return element(
    "g",
    { transform: `translate(${Math.round(right - width)},${top})`, "aria-label": "legend" },
    element("rect", box),
    ...items.map((item, i) => legendItem(theme, item, PADDING, i * LEGEND_LINE + PADDING / 2)),
  );
}

/** Items in rows from (left, 0), and how high they are. */
function legendRows(
  theme: Theme,
  items: readonly LegendItem[],
  { left, width }: { readonly left: number; readonly width: number },
): { readonly svg: SvgElement; readonly height: number } {
  const signWidthOf = ({ sign }: LegendItem) => (sign ? SIGN_WIDTH : 0);
  const widths = items.map((item) => signWidthOf(item) + LETTER_SIZE * textWidth(item.text));
  const places = legendPlaces(widths, width);
  const placed = items.map((item, i) => {
    const { x, row } = places[i] ?? { x: 0, row: 0 };
    return legendItem(theme, item, left + x, row * LEGEND_LINE, signWidthOf(item));
  });
  return {
    svg: element("g", { "aria-label": "legend" }, ...placed),
    height: legendHeight(places),
  };
}

function legendItem(
  theme: Theme,
  { text, sign, color = theme.ink }: LegendItem,
  x: number,
  y: number,
  signWidth = SIGN_WIDTH,
): SvgElement {
  const middle = y + LEGEND_LINE / 2;
  const words = element(
    "text",
    { x: x + signWidth, y: middle + 4, "font-size": LETTER_SIZE },
    text,
  );
  return element("g", {}, ...(sign ? [signOf(sign, color, x + 9, middle)] : []), words);
}

function signOf(sign: Sign, color: string, x: number, y: number): SvgElement {
  const line = { fill: "none", stroke: color, "stroke-width": 1.6 };
  const across = `M${x - 9},${y}h18`;
  switch (sign) {
    case "square":
      return element("rect", { ...line, x: x - 3.5, y: y - 3.5, width: 7, height: 7 });
    case "triangle":
      return element("path", { ...line, d: `M${x},${y - 4.5}l4.5,8h-9z` });
    case "circle":
      return element("circle", { ...line, cx: x, cy: y, r: 3.5 });
    case "dot":
      return element("circle", { cx: x, cy: y, r: 4, fill: color, "fill-opacity": 0.75 });
    case "line":
      return element("path", { ...line, d: across });
    case "dashed":
      return element("path", { ...line, d: across, "stroke-dasharray": "5,3" });
    case "bar":
      return element("rect", { x: x - 5, y: y - 5, width: 10, height: 10, fill: color });
    case "band":
      return element("rect", {
        ...{ x: x - 9, y: y - 5, width: 18, height: 10 },
        ...{ fill: color, "fill-opacity": 0.25 },
      });
    default:
      return sign satisfies never;
  }
}

/** The space around a panel's frame, px: for its axes. */
export const MARGINS = {
  marginLeft: PLOT_MARGINS.left,
  marginRight: PLOT_MARGINS.right,
  marginTop: 10,
  marginBottom: 44,
} as const;

type PanelOptions = Omit<Plot.PlotOptions, "document" | "style" | "className"> & {
  /** Of the whole plot where it is absent. */
  readonly width?: number;
  readonly height: number;
  readonly marks: readonly Plot.Markish[];
};

/** One frame with its axes and marks. Axes are marks too. */
export function panel(theme: Theme, { marks, ...options }: PanelOptions): SvgElement {
  return Plot.plot({
    ...MARGINS,
    axis: null,
    width: theme.width,
    ...options,
    marks: [...marks, Plot.frame({ stroke: theme.ink, className: "frame" })],
    document: svgDocument(),
    className: "panel",
    style: { fontFamily: FONT_FAMILY, fontSize: "12px", color: theme.ink, background: "none" },
  } as Plot.PlotOptions) as unknown as SvgElement;
}

/** Panels one below the other, and how high they are together. */
export function stack(panels: readonly { readonly svg: SvgElement; readonly height: number }[]) {
  let height = 0;
  const placed = panels.map((part) => {
    const group = element("g", { transform: `translate(0,${height})` }, part.svg);
    height += part.height;
    return group;
  });
  return { svg: element("g", {}, ...placed), height };
}

const LABEL = { labelAnchor: "center", labelArrow: "none", tickSize: 5 } as const;

type Side = "x" | "y";

/** Between two ticks across, px, so that their texts do not meet. */
const LEAST_APART = 56;

/** As many ticks as were asked for, or as the plot has room for. */
function fitting({ width }: Theme, side: Side, ticks: number): number {
  return side === "y" ? ticks : Math.min(ticks, Math.floor(frameWidth(width) / LEAST_APART));
}

const OFFSET = { x: 38, y: 58 } as const;

/** An axis with numbers, and the lines of its grid. @param label the quantity and its unit */
export function linearAxis(theme: Theme, side: Side, label: string, ticks = 8): Plot.Markish[] {
  const tickFormat = (value: number) => numberText(value, 6);
  return axisOf(theme, side, { label, ticks: fitting(theme, side, ticks), tickFormat });
}

export function namedAxis(
  theme: Theme,
  side: Side,
  label: string,
  tickFormat: (value: number) => string,
): Plot.Markish[] {
  return axisOf(theme, side, { label, ticks: fitting(theme, side, 7), tickFormat });
}

/** An axis of UTC. */
export function timeAxis(theme: Theme, label: string | null): Plot.Markish[] {
  return axisOf(theme, "x", { label, ticks: fitting(theme, "x", 8) });
}

/** An axis of powers of ten; where there are few of them, their 2- and 5-folds are named too. */
export function logAxis(
  theme: Theme,
  side: Side,
  label: string,
  [low, high]: readonly [low: number, high: number],
): Plot.Markish[] {
  const marks = logTicks(low, high);
  const texts = new Map(marks.map(({ at, text }) => [at, text ?? ""]));
  const ticksOf = (isNamed: boolean) =>
    marks.filter(({ text }) => (text !== null) === isNamed).map(({ at }) => at);
  const tickFormat = (value: number) => texts.get(value) ?? "";
  const small = { ticks: ticksOf(false), tickSize: 3, tickFormat: () => "", label: null };
  return [
    ...axisOf(theme, side, { label, ticks: ticksOf(true), tickFormat }),
    axisMark(side, { ...small, color: theme.ink }),
  ];
}

type AxisOptions = Pick<Plot.AxisXOptions, "label" | "ticks"> & {
  readonly tickFormat?: (value: number) => string;
};

function axisOf({ ink, grid }: Theme, side: Side, options: AxisOptions): Plot.Markish[] {
  const { label, tickFormat, ...ticks } = options;
  const lines = { ...ticks, stroke: grid, strokeOpacity: 1 } as object;
  return [
    side === "x" ? Plot.gridX(lines) : Plot.gridY(lines),
    axisMark(side, { ...LABEL, ...options, color: ink, labelOffset: OFFSET[side] }),
  ];
}

function axisMark(side: Side, options: object): Plot.Markish {
  return side === "x" ? Plot.axisX(options) : Plot.axisY(options);
}

/** The least powers of ten, or of their 2- and 5-folds, around positive values. */
export function logDomain(values: readonly number[]): [number, number] {
  const positive = values.filter((value) => value > 0);
  if (positive.length === 0) return [1, 10];
  const low = positive.reduce((a, b) => Math.min(a, b));
  const high = positive.reduce((a, b) => Math.max(a, b));
  const from = 10 ** Math.floor(Math.log10(low) + 1e-9);
  const to = 10 ** Math.ceil(Math.log10(high) - 1e-9);
  return [from, to > from ? to : from * 10];
}

type Colours = PlotColours & {
  /** The part of the scale Viridis, from few to many, that the background leaves readable. */
  readonly ramp: readonly [few: number, many: number];
};

export type Theme = Colours & {
  /** Of the whole plot, px. */
  readonly width: number;
};

/** A panel's scale of shades, by logarithms, from 1 to the most events in a cell. */
export function shadesTo({ ramp }: Theme, most: number) {
  const domain: [number, number] = [1, Math.max(2, most)];
  return { type: "log", scheme: "viridis", range: ramp, domain } as const;
}

/** How a limit is drawn: the magnitude of completeness, a threshold. */
export function dashed({ ink }: Theme, className: string) {
  return { stroke: ink, strokeDasharray: "5,3", className };
}

const THEMES: Readonly<Record<PlotTheme, Colours>> = {
  light: { ...PLOT_COLOURS.light, ramp: [0.9, 0] },
  dark: { ...PLOT_COLOURS.dark, ramp: [0.25, 1] },
};

/** What all parts of a plot share: colours and width. */
export function lookOf({ theme, width = PLOT_WIDTH }: Pick<Caption, "theme" | "width">): Theme {
  return Object.assign({ width }, THEMES[theme]);
}

/** The font of the raster form; a browser without it takes one of its own. */
export const FONT = "Source Sans 3";
const FONT_FAMILY = `"${FONT}", "Source Sans Pro", "Segoe UI", Helvetica, Arial, sans-serif`;

const NAMESPACE = "http://www.w3.org/2000/svg";

/** What drawing needs of an element of a document. */
export type SvgElement = {
  readonly setAttribute: (name: string, value: string) => void;
  readonly append: (...children: readonly (SvgElement | string)[]) => void;
  readonly toString: () => string;
};

type SvgDocument = { readonly createElementNS: (namespace: string, name: string) => SvgElement };

/** A document of its own for one drawing, without a browser. */
function svgDocument(): SvgDocument {
  return parseHTML("<html></html>").document as unknown as SvgDocument;
}

const DOCUMENT = svgDocument();

export function element(
  name: string,
  attributes: Readonly<Record<string, string | number>>,
  ...children: readonly (SvgElement | string)[]
): SvgElement {
  const node = DOCUMENT.createElementNS(NAMESPACE, name);
  for (const [attribute, value] of Object.entries(attributes)) {
    node.setAttribute(attribute, expressible(String(value)));
  }
  const content = children.map((child) => (typeof child === "string" ? expressible(child) : child));
  node.append(...content);
  return node;
}
