import { useSignal } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { type Chart, PANEL_INSET } from "#contracts/plots/chart.ts";
import { diameterOf, MAX_DISCS } from "../../drawing/discs.ts";
import { ChartView } from "../../plots/chart.tsx";
import {
  drawEvents,
  type EventPlot,
  magnitudeAxis,
  placeIn,
  sectionOf,
  sharesAlong,
  timeAxis,
  valuesAlong,
} from "../../plots/event-plot.ts";
import { type Brushed, type Stretch, useBrush } from "../../plots/use-brush.ts";
import { bound, Segmented } from "../../ui/form/fields.tsx";
import { theme } from "../../ui/style/theme.ts";
import { count } from "../../ui/text/format.ts";
import { useSize } from "../../ui/use-size.ts";
import {
  between,
  type Dimension,
  nothingAlong,
  type Selection,
  selectedAlong,
} from "./filters/filters.ts";
import type { Shown } from "./work.ts";

type Along = "longitude" | "latitude" | "line";
type ScatterPlotProps = Shown & { readonly kind: "time" | "section" };

/** Magnitudes along time, or depths along longitude or latitude; the chosen event has a ring, and a click chooses. */
export function ScatterPlot(props: ScatterPlotProps) {
  const { columns, indexes, selected, kind, filters } = props;
  const { line } = props.state;
  const along = useSignal<Along>(line ? "line" : "longitude");
  const lineKey = JSON.stringify(line);
  useEffect(() => {
    along.value = line ? "line" : along.value === "line" ? "longitude" : along.value;
  }, [lineKey]);
  const plotted = kind === "time" ? kind : along.value;
  const { frame, canvas, eventAt, width, drawn } = useScatter(props, plotted);
  const dimensions = DIMENSIONS[plotted];
  const { x: across, y: upwards } = dimensions;
  const { wasDragged, ...brush } = useBrush({
    inset: PANEL_INSET,
    onBrush: ({ x, y }, how) => {
      if (drawn === null) return;
      const chosen = across && between(across, ...valuesAlong(drawn.x, x));
      props.select({ ...chosen, ...between(upwards, ...valuesAlong(drawn.y, turned(y))) }, how);
    },
    onCancel: props.stopSelecting,
  });
  const brushed = brushedBy(dimensions, filters, drawn);
  const chosen = selected.value;
  const place = drawn && chosen !== null ? placeIn({ ...drawn, inset: PANEL_INSET }, chosen) : null;
  const ring = place && !Number.isNaN(place.x) && !Number.isNaN(place.y) ? place : null;
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
        {drawn && (
          <div aria-hidden="true">
            <ChartView chart={drawn.chart} label="" width={width} />
          </div>
        )}
        <canvas
          ref={canvas}
          role="img"
          aria-label={`${what} of ${events} events`}
          title="Drag to choose a part; a double click takes the choice away"
          {...brush}
          onDblClick={() =>
            props.select(
              { ...(across && nothingAlong(across)), ...nothingAlong(upwards) },
              "chosen",
            )
          }
          onClick={({ offsetX, offsetY }) => {
            if (!wasDragged()) selected.value = eventAt.current?.(offsetX, offsetY) ?? null;
          }}
        />
        {drawn && brushed && <span class="scatter-brush" style={boxOf(brushed, drawn)} />}
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
function useScatter({ columns, indexes, classes, state: { line } }: Shown, along: Along | "time") {
  const frame = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const { width, height } = useSize(frame).value;
  const eventAt = useRef<ReturnType<typeof drawEvents> | null>(null);
  const axes = useMemo(() => {
    if (along === "time") return { x: timeAxis(columns), y: magnitudeAxis(columns) };
    return sectionOf(columns, along === "line" ? (line ?? "longitude") : along);
  }, [columns, along, JSON.stringify(line)]);
  const { left, right, top, bottom } = PANEL_INSET;
  const plot = { x: axes.x, y: axes.y, wide: width - left - right, height: height - top - bottom };
  const isThere = plot.wide > 0 && plot.height > 0;
  useEffect(() => {
    if (!canvas.current || !isThere) return;
    eventAt.current = drawEvents(canvas.current, {
      ...{ columns, indexes, classes, ...plot, inset: PANEL_INSET, theme: theme.value },
      ...{ ratio: Math.min(2, devicePixelRatio || 1), scale: DISC_SCALE, most: MAX_DISCS },
    });
  }, [columns, indexes, classes, axes, width, height, theme.value]);
  const panel = { y: plot.y, height: plot.height, marks: [] };
  const chart = useMemo(
    (): Chart => ({ title: "", x: plot.x, panels: [panel], notes: [] }),
    [axes, height],
  );
  return { frame, canvas, eventAt, width, drawn: isThere ? { ...plot, chart } : null };
}

/** Plots are smaller than maps, and so are their discs. */
const DISC_SCALE = 0.6;

function ringAround({ x, y }: ReturnType<typeof placeIn>, diameter: number) {
  const side = Math.round(diameter) + 10;
  const transform = `translate(${x - side / 2}px, ${y - side / 2}px)`;
  return { width: `${side}px`, height: `${side}px`, transform };
}

/** What runs along a plot's axes; null where no filter does. */
type Dimensions = { readonly x: Dimension | null; readonly y: Dimension };

const DIMENSIONS: Readonly<Record<Along | "time", Dimensions>> = {
  time: { x: "time", y: "magnitude" },
  longitude: { x: "longitude", y: "depth" },
  latitude: { x: "latitude", y: "depth" },
  line: { x: null, y: "depth" },
};

/** From the bottom up in place of from the top down. */
function turned([from, to]: Stretch): Stretch {
  return [1 - to, 1 - from];
}

const OPEN: Stretch = [Number.NaN, Number.NaN];

/** The part of a plot that the filters let through; null where they say nothing of it. */
function brushedBy(
  dimensions: Dimensions,
  filters: Selection,
  drawn: Pick<EventPlot, "x" | "y"> | null,
): Brushed | null {
  const x = dimensions.x ? selectedAlong(dimensions.x, filters) : OPEN;
  const y = selectedAlong(dimensions.y, filters);
  const isOpen = [...x, ...y].every(Number.isNaN);
  // Over the date line it is in two parts, of which no rectangle tells.
  if (drawn === null || isOpen || x[0] > x[1]) return null;
  return { x: sharesAlong(drawn.x, x), y: turned(sharesAlong(drawn.y, y)) };
}

function boxOf({ x, y }: Brushed, { wide, height }: Pick<EventPlot, "wide" | "height">) {
  return {
    left: `${PANEL_INSET.left + x[0] * wide}px`,
    top: `${PANEL_INSET.top + y[0] * height}px`,
    width: `${(x[1] - x[0]) * wide}px`,
    height: `${(y[1] - y[0]) * height}px`,
  };
}
