import type { RefObject } from "preact";
import { PLOT_WIDTHS } from "#contracts/plots/layout.ts";
import { useSize } from "../../ui/use-size.ts";

/** So that a window that is drawn larger does not have every plot drawn at each pixel. */
const STEP = 20;

/** How wide a plot in an element is to be drawn, px; 0 before the element is there. */
export function usePlotWidth(frame: RefObject<HTMLElement | null>): number {
  const { width } = useSize(frame).value;
  if (width === 0) return 0;
  const room = Math.floor(width / STEP) * STEP;
  return Math.min(Math.max(room, PLOT_WIDTHS.min), PLOT_WIDTHS.max);
}
