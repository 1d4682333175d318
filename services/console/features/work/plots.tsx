import { useSignal } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { Link } from "wouter-preact";
import { type Chart, type Mark, PANEL_INSET } from "#contracts/plots/chart.ts";
import { withError } from "#contracts/plots/numbers.ts";
import { barsPath, linearOver, niceTicks } from "#contracts/plots/scale.ts";
import { type AnswerTo, analysisAddress, readAnalysis } from "../../api/analysis.ts";
import { diameterOf, MAX_DISCS } from "../../drawing/discs.ts";
import { searchOf } from "../../model/work-state.ts";
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
import { BIN_WIDTH, magnitudeBins, roundHistogramOf } from "../../plots/histogram.ts";
import { type Brushed, type Stretch, useBrush } from "../../plots/use-brush.ts";
import { useCall } from "../../ui/call.tsx";
import { bound, Segmented } from "../../ui/form/fields.tsx";
import { useSize } from "../../ui/listen.ts";
import { theme } from "../../ui/style/theme.ts";
import { count, counted, decimal, sentence } from "../../ui/text/format.ts";
import { pause } from "../../ui/timers.ts";
import {
  between,
  type Dimension,
  nothingAlong,
  type Selection,
  selectedAlong,
} from "./filters/filters.ts";
import { type PlotsProps, QUALITY_COLUMNS, type Shown } from "./work.ts";

/** One plot of the events that pass the filters, and where more is told of it. */
export function Plots(props: PlotsProps) {
  const { tab, catalogue, state, filters } = props;
  return (
    <div class="side-plot">
      {tab === "magnitudes" ? (
        <MagnitudesPlot {...props} />
      ) : tab === "quality" ? (
        <QualityPlot {...props} />
      ) : (
        <ScatterPlot {...props} kind={tab} />
      )}
      <p>
        <Link href={`/catalogues/${catalogue.id}/analytics${searchOf({ ...state, filters })}`}>
          Open in the analytics
        </Link>
      </p>
    </div>
  );
}

const NAMES: Readonly<Record<(typeof QUALITY_COLUMNS)[number], string>> = {
  azimuthal_gap: "Azimuthal gap, °",
  standard_error: "RMS of the residuals, s",
  used_station_count: "Stations used",
  magnitude_uncertainty: "Uncertainty of the magnitude",
};

/** How well the events are known: a histogram for each measure. */
function QualityPlot({ columns, indexes }: PlotsProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: without it the keyboard cannot scroll.
    <section class="histograms" aria-label="Quality by measures" tabIndex={0}>
      {QUALITY_COLUMNS.map((name) => (
        <Measure key={name} title={NAMES[name]} values={columns.numbers(name)} indexes={indexes} />
      ))}
    </section>
  );
}

type MeasureProps = {
  readonly title: string;
  /** Undefined until it has come. */
  readonly values: Float32Array | undefined;
  readonly indexes: Uint32Array | null;
};

const WIDTH = 320;
/** For the number at the highest bar. */
const TOP = 16;
const HEIGHT = 132;
const AXIS = 18;
const MOST_BINS = 32;

function Measure({ title, values, indexes }: MeasureProps) {
  const drawn = useMemo(
    () => values && roundHistogramOf(values, indexes, MOST_BINS),
    [values, indexes],
  );
  if (!drawn) return null;
  const { from, to, counts, known, unknown, median } = drawn;
  const most = Math.max(1, ...counts);
  const bar = WIDTH / counts.length;
  const bars = counts.map((n, i) => {
    return [i * bar, (i + 1) * bar, HEIGHT - (n / most) * (HEIGHT - TOP), HEIGHT] as const;
  });
  const x = (value: number) => ((value - from) / (to - from)) * WIDTH;
  const texts = [
    known > 0 && `median ${round(median ?? 0)}`,
    unknown > 0 && `unknown for ${counted(unknown, "event")}`,
  ].filter(Boolean);
  return (
    <figure>
      <figcaption>
        <strong>{title}</strong> <span class="muted small">{texts.join(", ")}</span>
      </figcaption>
      {known > 0 && (
        <svg class="bars" viewBox={`0 0 ${WIDTH} ${HEIGHT + AXIS}`} aria-hidden="true">
          <path class="some" d={barsPath(bars, bar)} />
          <line x1={0} x2={WIDTH} y1={HEIGHT} y2={HEIGHT} />
          {niceTicks(from, to, 6).map((tick) => (
            <text key={tick} x={x(tick)} y={HEIGHT + AXIS - 3} text-anchor={anchorOf(x(tick))}>
              {round(tick)}
            </text>
          ))}
          <text x={0} y={11}>
            {count(most)}
          </text>
        </svg>
      )}
    </figure>
  );
}

function anchorOf(x: number): "start" | "middle" | "end" {
  return x < 10 ? "start" : x > WIDTH - 10 ? "end" : "middle";
}

function round(value: number): string {
  return String(Number(value.toPrecision(3)));
}

/** What the service estimates of the same events. */
type Estimate = NonNullable<AnswerTo<"b-value">["estimate"]>;

/** Numbers of events by magnitude, at once, and Mc and b as the service estimates them. */
function MagnitudesPlot(props: PlotsProps) {
  const { catalogue, columns, indexes, filters, select, stopSelecting } = props;
  const bins = useMemo(() => magnitudeBins(columns.magnitude, indexes), [columns, indexes]);
  const request = {
    catalogue: catalogue.id,
    query: { asOf: String(columns.version), ...filters },
  };
  const analysis = useCall(analysisAddress("b-value", request), async (signal) => {
    await pause(REST_MS, signal);
    return readAnalysis("b-value", request, signal);
  });
  const answer = analysis.answer;
  const estimate = answer?.estimate ?? null;
  const frame = useRef<HTMLDivElement>(null);
  const { width, height } = useSize(frame).value;
  const chart = useMemo(() => chartOf(bins, estimate, height), [bins, estimate, height]);
  const { wasDragged: _, ...brush } = useBrush({
    along: "x",
    inset: PANEL_INSET,
    onBrush: ({ x }, how) => {
      const [from, to] = valuesAlong(chart.x, x);
      select(between("magnitude", betweenBins(from), betweenBins(to)), how);
    },
    onCancel: stopSelecting,
  });
  return (
    <>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: by keyboard, the filters' fields choose. */}
      <div
        ref={frame}
        class="magnitudes-plot"
        aria-hidden="true"
        title="Drag to choose a range of magnitudes; a double click takes it away"
        {...brush}
        onDblClick={() => select(nothingAlong("magnitude"), "chosen")}
      >
        {width > 0 && <ChartView chart={chart} label="" width={width} />}
      </div>
      <p aria-live="polite">
        {estimate ? (
          <>
            <strong>
              Mc {decimal(estimate.mc, 1)}, b {withError(estimate.b, estimate.sigma)}
            </strong>{" "}
            of {count(estimate.n)} events from Mc up
          </>
        ) : (
          (answer?.reason ?? (analysis.error === null ? "…" : "b cannot be estimated now."))
        )}
        {bins.unknown > 0 && `; ${count(bins.unknown)} without a magnitude`}
      </p>
      {answer?.warnings.map(({ code, message }) => (
        <p key={code} class="notice warning">
          {sentence(message)}
        </p>
      ))}
    </>
  );
}

/** The service is asked when nothing has moved for so long. */
const REST_MS = 300;

type Bins = ReturnType<typeof magnitudeBins>;

/** So that the filter takes whole bins. */
function betweenBins(magnitude: number): number {
  return Math.round(magnitude / BIN_WIDTH + 0.5) * BIN_WIDTH - BIN_WIDTH / 2;
}

/** Of the legend in two rows, px. */
const LEGEND = 38;

/** @param height of all, px */
function chartOf(
  { magnitudes, counts, cumulative }: Bins,
  estimate: Estimate | null,
  height: number,
): Chart {
  const known = (n: number | undefined) => n || null;
  const by = (countAt: (magnitude: number, i: number) => number | null) =>
    magnitudes.map((at, i) => [at, countAt(at, i)] as const);
  const dots = { kind: "discs", isHollow: true } as const;
  const marks: readonly Mark[] = [
    {
      ...{ kind: "band", colour: 0 },
      points: magnitudes.map((at) => [
        ...([at, expectedAt(at, estimate, 1), expectedAt(at, estimate, -1)] as const),
      ]),
    },
    {
      ...{ kind: "line", colour: "ink", name: "fit from Mc up, with one σ of b" },
      points: by((at) => expectedAt(at, estimate, 0)),
    },
    { ...dots, colour: 1, name: "in a bin of 0.1", points: by((_, i) => known(counts[i])) },
    { ...dots, colour: 0, name: "of M or larger", points: by((_, i) => known(cumulative[i])) },
  ];
  const most = Math.max(10, ...cumulative.map((n) => n * 1.4));
  const y = { kind: "log", from: 0.8, to: most, label: "Number of events" } as const;
  const { top, bottom } = PANEL_INSET;
  return {
    title: "",
    x: { ...linearOver(magnitudes), label: "Magnitude" },
    panels: [{ y, height: Math.max(1, height - top - bottom - LEGEND), marks }],
    notes: [],
  };
}

/** Events of a magnitude or larger by the fit, with b so many standard errors off; null where it does not hold. */
function expectedAt(magnitude: number, estimate: Estimate | null, sigmas: number): number | null {
  if (!estimate || magnitude < estimate.mc - BIN_WIDTH / 2) return null;
  const { n, b, sigma, mc } = estimate;
  const expected = n * 10 ** (-(b + sigmas * sigma) * (magnitude - mc));
  return n * 10 ** (-b * (magnitude - mc)) < 0.5 ? null : expected;
}

type Along = "longitude" | "latitude" | "line";
type ScatterPlotProps = Shown & { readonly kind: "time" | "section" };

/** Magnitudes along time, or depths along longitude or latitude; the chosen event has a ring, and a click chooses. */
function ScatterPlot(props: ScatterPlotProps) {
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
