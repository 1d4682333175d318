import { type DrawnScatter, SCATTER_INSET } from "../../plots/scatter.ts";
import { type Brushed, type Stretch, useBrush } from "../../plots/use-brush.ts";
import { between, type Dimension, nothingAlong, selectedAlong } from "./filters/selections.ts";
import type { Selection } from "./filters/use-filters.ts";
import type { PanelProps } from "./panel-props.ts";

/** What runs along a plot's axes; null where no filter does. */
type Dimensions = { readonly x: Dimension | null; readonly y: Dimension };

export const TIME_PLOT: Dimensions = { x: "time", y: "magnitude" };
export const SECTIONS = {
  longitude: { x: "longitude", y: "depth" },
  latitude: { x: "latitude", y: "depth" },
  line: { x: null, y: "depth" },
} as const satisfies Readonly<Record<string, Dimensions>>;

/** Selects events by a rectangle that is dragged over a plot; a double click takes it away. */
export function useScatterBrush(
  { select, stopSelecting }: Pick<PanelProps, "select" | "stopSelecting">,
  { x, y }: Dimensions,
  drawn: DrawnScatter | null,
) {
  const handlers = useBrush({
    inset: SCATTER_INSET,
    onBrush: (brushed, how) => {
      if (drawn === null) return;
      const values = drawn.valuesIn(brushed);
      select({ ...(x && between(x, ...values.x)), ...between(y, ...values.y) }, how);
    },
    onCancel: stopSelecting,
  });
  const onDblClick = () => select({ ...(x && nothingAlong(x)), ...nothingAlong(y) }, "chosen");
  return { ...handlers, onDblClick };
}

const OPEN: Stretch = [Number.NaN, Number.NaN];

/** The part of a plot that the filters let through; null where they say nothing of it. */
export function brushedBy(
  { x, y }: Dimensions,
  filters: Selection,
  drawn: DrawnScatter | null,
): Brushed | null {
  const values = { x: x ? selectedAlong(x, filters) : OPEN, y: selectedAlong(y, filters) };
  const isOpen = [...values.x, ...values.y].every(Number.isNaN);
  // Over the date line it is in two parts, of which no rectangle tells.
  const isSplit = values.x[0] > values.x[1];
  return drawn === null || isOpen || isSplit ? null : drawn.shareOf(values);
}

export function placeBrush(element: HTMLElement | null, { x, y }: Brushed): void {
  const plot = element?.parentElement;
  if (!element || !plot) return;
  const { left, right, top, bottom } = SCATTER_INSET;
  const [width, height] = [plot.clientWidth - left - right, plot.clientHeight - top - bottom];
  element.style.left = `${left + x[0] * width}px`;
  element.style.top = `${top + y[0] * height}px`;
  element.style.width = `${(x[1] - x[0]) * width}px`;
  element.style.height = `${(y[1] - y[0]) * height}px`;
}
