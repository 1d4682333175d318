import { LEGEND_LINE, LETTER_SIZE, legendHeight, legendPlaces } from "#contracts/plots/layout.ts";
import { textWidth } from "#contracts/plots/text-width.ts";
import { element, type SvgElement } from "./svg.ts";
import type { Theme } from "./theme.ts";

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
export function legendBox(
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
export function legendRows(
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
