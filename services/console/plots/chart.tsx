import { h, type RefObject, type VNode } from "preact";
import { useMemo, useRef } from "preact/hooks";
import { type Chart, type Drawn, drawChart, type Look } from "#contracts/plots/chart.ts";
import { PLOT_WIDTHS } from "#contracts/plots/layout.ts";
import { Downloads, svgOf } from "../ui/downloads.tsx";
import { theme } from "../ui/style/theme.ts";
import { useSize } from "../ui/use-size.ts";

type FigureProps = {
  /** A function where it depends on how wide it is; or what is drawn by itself. */
  readonly chart: Chart | ((look: Look) => Chart | Drawn);
  readonly label: string;
  /** Of the files. */
  readonly name: string;
  readonly csv: (() => string | Promise<string>) | null;
  readonly json?: string;
  readonly isBusy?: boolean;
};

/** A chart, drawn for the width that it has, to be seen and to be taken along. */
export function Figure({ chart, label, name, csv, json, isBusy = false }: FigureProps) {
  const picture = useRef<SVGSVGElement>(null);
  const frame = useRef<HTMLDivElement>(null);
  const width = usePlotWidth(frame);
  return (
    <div class="stack" aria-busy={isBusy}>
      <div class="plot-frame" ref={frame}>
        {width > 0 && <ChartView {...{ chart, label, width, picture }} />}
      </div>
      <Downloads
        name={name}
        svg={() => picture.current && svgOf(picture.current)}
        csv={csv}
        isBusy={isBusy}
        {...(json !== undefined && { json })}
      />
    </div>
  );
}

type ChartViewProps = {
  readonly chart: FigureProps["chart"];
  readonly label: string;
  readonly width: number;
  readonly picture?: RefObject<SVGSVGElement | null>;
};

/** What is seen is what is saved. */
export function ChartView({ chart, label, width, picture }: ChartViewProps) {
  return useMemo(() => {
    const look = { label, width, theme: theme.value };
    const shown = typeof chart === "function" ? chart(look) : chart;
    const [tag, attributes, ...children] = "panels" in shown ? drawChart(shown, look) : shown;
    return h(tag, { ...attributes, ref: picture }, ...children.map(elementOf));
  }, [chart, label, width, theme.value]);
}

function elementOf(drawn: Drawn | string): VNode | string {
  if (typeof drawn === "string") return drawn;
  const [tag, attributes, ...children] = drawn;
  return h(tag, attributes, ...children.map(elementOf));
}

/** So that a window that is drawn larger does not have every plot drawn at each pixel. */
const STEP = 20;

/** How wide a plot in an element is to be drawn, px; 0 before the element is there. */
export function usePlotWidth(frame: RefObject<HTMLElement | null>): number {
  const { width } = useSize(frame).value;
  if (width === 0) return 0;
  const room = Math.floor(width / STEP) * STEP;
  return Math.min(Math.max(room, PLOT_WIDTHS.min), PLOT_WIDTHS.max);
}
