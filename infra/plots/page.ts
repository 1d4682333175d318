import type { PlotTheme } from "#contracts/http/analytics/plots.ts";
import {
  frameWidth,
  NOTE_LINE,
  NOTE_SIZE,
  PLOT_MARGINS,
  TITLE_HEIGHT,
  TITLE_LINE,
  TITLE_SIZE,
} from "#contracts/plots/layout.ts";
import { linesOf } from "#contracts/plots/text-width.ts";
import { type LegendItem, legendBox, legendRows } from "./legend.ts";
import { MARGINS } from "./panel.ts";
import { element, type SvgElement } from "./svg.ts";
import { FONT_FAMILY, lookOf, type Theme } from "./theme.ts";

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

export type PlotPage = {
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
  return rounded(root.toString());
}

/** Numbers of attributes to a hundredth of a pixel: smaller, and the same on every machine. */
function rounded(svg: string): string {
  return svg.replaceAll(/="[^"]*"/g, (attribute) => attribute.replaceAll(/(\.\d{2})\d+/g, "$1"));
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
