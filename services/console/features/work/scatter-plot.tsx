import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { diameterOf } from "../../drawing/discs.ts";
import type { SectionLine } from "../../model/work-state.ts";
import {
  type DrawnScatter,
  depthAxis,
  drawScatter,
  latitudeAxis,
  lineAxis,
  longitudeAxis,
  magnitudeAxis,
  SCATTER_INSET,
  timeAxis,
} from "../../plots/scatter.ts";
import { type Brushed, type Stretch, useBrush } from "../../plots/use-brush.ts";
import { bound } from "../../ui/form/field.tsx";
import { Segmented } from "../../ui/form/segmented.tsx";
import { theme } from "../../ui/style/theme.ts";
import { count } from "../../ui/text/format.ts";
import { useSize } from "../../ui/use-size.ts";
import { between, type Dimension, nothingAlong, selectedAlong } from "./filters/selections.ts";
import type { Selection } from "./filters/use-filters.ts";
import type { PanelProps } from "./panel-props.ts";

type Along = "longitude" | "latitude" | "line";
type ScatterPlotProps = PanelProps & { readonly kind: "time" | "section" };

/** Magnitudes along time, or depths along longitude or latitude; the chosen event has a ring, and a click chooses. */
export function ScatterPlot(props: ScatterPlotProps) {
  const { columns, indexes, classes, selected, kind, filters } = props;
  const { line } = props.state;
  const along = useSignal<Along>(line ? "line" : "longitude");
  const lineKey = JSON.stringify(line);
  useEffect(() => {
    along.value = line ? "line" : along.value === "line" ? "longitude" : along.value;
  }, [lineKey]);
  const { frame, canvas, drawn } = useScatter(
    { columns, indexes, classes },
    kind === "time" ? "time" : along.value,
    line,
  );
  const dimensions = kind === "time" ? TIME_PLOT : SECTIONS[along.value];
  const { wasDragged, ...brush } = useScatterBrush(props, dimensions, drawn.value);
  const brushed = brushedBy(dimensions, filters, drawn.value);
  const chosen = selected.value;
  const ring = chosen === null ? null : drawn.value?.placeOf(chosen);
  const events = count(indexes ? indexes.length : columns.count);
  const what = kind === "time" ? "Magnitudes along time" : `Depths along ${along.value}`;
  return (
    <>
      {kind === "section" && (
        <div class="row section-choice">
          <Segmented
            legend="Along"
            hasHiddenLegend
            {...bound(along)}
            options={[
              { value: "longitude", text: "Along longitude" },
              { value: "latitude", text: "Along latitude" },
              ...(line ? [{ value: "line" as const, text: "Along the line" }] : []),
            ]}
          />
          {!line && <p class="hint">For any direction draw a line on the map (key S).</p>}
        </div>
      )}
      <div ref={frame} class="scatter">
        <canvas
          ref={canvas}
          role="img"
          aria-label={`${what} of ${events} events`}
          title="Drag to choose a part; a double click takes the choice away"
          {...brush}
          onClick={({ offsetX, offsetY }) => {
            if (!wasDragged()) selected.value = drawn.value?.eventAt(offsetX, offsetY) ?? null;
          }}
        />
        {brushed && <span class="scatter-brush" ref={(element) => placeBrush(element, brushed)} />}
        {ring && chosen !== null && (
          <span
            class="map-ring scatter-ring"
            style={ringAround(ring, diameterOf(columns.magnitude[chosen] ?? NaN))}
          />
        )}
      </div>
    </>
  );
}

/** Draws the events by time and magnitude, or by a coordinate and depth, in the size of the frame. */
function useScatter(
  { columns, indexes, classes }: Pick<PanelProps, "columns" | "indexes" | "classes">,
  along: Along | "time",
  line: SectionLine | null,
) {
  const frame = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const { width, height } = useSize(frame).value;
  const drawn = useSignal<DrawnScatter | null>(null);
  useEffect(() => {
    if (!canvas.current || width === 0 || height === 0) return;
    const isLine = along === "line" && line !== null;
    const x = isLine
      ? lineAxis(columns, line, width)
      : AXES[along === "line" ? "longitude" : along](columns, width);
    const y = along === "time" ? magnitudeAxis(columns, height) : depthAxis(columns, height);
    const ratio = Math.min(2, devicePixelRatio || 1);
    drawn.value = drawScatter(canvas.current, {
      ...{ columns, indexes, classes, x, y, width, height, ratio },
      theme: theme.value,
    });
  }, [columns, indexes, classes, along, JSON.stringify(line), width, height, theme.value]);
  return { frame, canvas, drawn };
}

const AXES = { time: timeAxis, longitude: longitudeAxis, latitude: latitudeAxis } as const;

function ringAround(
  { x, y }: { readonly x: number; readonly y: number },
  diameter: number,
): Readonly<Record<string, string>> {
  const side = Math.round(diameter) + 10;
  const transform = `translate(${x - side / 2}px, ${y - side / 2}px)`;
  return { width: `${side}px`, height: `${side}px`, transform };
}

/** What runs along a plot's axes; null where no filter does. */
type Dimensions = { readonly x: Dimension | null; readonly y: Dimension };

const TIME_PLOT: Dimensions = { x: "time", y: "magnitude" };
const SECTIONS = {
  longitude: { x: "longitude", y: "depth" },
  latitude: { x: "latitude", y: "depth" },
  line: { x: null, y: "depth" },
} as const satisfies Readonly<Record<string, Dimensions>>;

/** Selects events by a rectangle that is dragged over a plot; a double click takes it away. */
function useScatterBrush(
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
function brushedBy(
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

function placeBrush(element: HTMLElement | null, { x, y }: Brushed): void {
  const plot = element?.parentElement;
  if (!element || !plot) return;
  const { left, right, top, bottom } = SCATTER_INSET;
  const [width, height] = [plot.clientWidth - left - right, plot.clientHeight - top - bottom];
  element.style.left = `${left + x[0] * width}px`;
  element.style.top = `${top + y[0] * height}px`;
  element.style.width = `${(x[1] - x[0]) * width}px`;
  element.style.height = `${(y[1] - y[0]) * height}px`;
}
