import * as Plot from "@observablehq/plot";
import { PLOT_MARGINS } from "#contracts/plots/layout.ts";
import { element, type SvgElement, svgDocument } from "./svg.ts";
import { FONT_FAMILY, type Theme } from "./theme.ts";

/** The space around a panel's frame, px: for its axes. */
export const MARGINS = {
  marginLeft: PLOT_MARGINS.left,
  marginRight: PLOT_MARGINS.right,
  marginTop: 10,
  marginBottom: 44,
} as const;

export type PanelOptions = Omit<Plot.PlotOptions, "document" | "style" | "className"> & {
  /** Of the whole plot where it is absent. */
  readonly width?: number;
  readonly height: number;
  readonly marks: readonly Plot.Markish[];
};

/** One frame with its axes and marks. Axes are marks too (`axes.ts`). */
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
export function stack(panels: readonly { readonly svg: SvgElement; readonly height: number }[]): {
  readonly svg: SvgElement;
  readonly height: number;
} {
  let height = 0;
  const placed = panels.map((part) => {
    const group = element("g", { transform: `translate(0,${height})` }, part.svg);
    height += part.height;
    return group;
  });
  return { svg: element("g", {}, ...placed), height };
}
