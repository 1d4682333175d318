import type { RefObject } from "preact";
import { useMemo, useRef } from "preact/hooks";
import {
  frameWidth,
  LEGEND_LINE,
  LETTER_SIZE,
  legendHeight,
  linesOf,
  NOTE_LINE,
  NOTE_SIZE,
  PLOT_COLOURS,
  PLOT_MARGINS,
  PLOT_WIDTHS,
  type PlotColours,
  TITLE_HEIGHT,
  TITLE_LINE,
  TITLE_SIZE,
} from "#contracts/plots/layout.ts";
import { Downloads, svgOf } from "../../ui/downloads.tsx";
import { theme } from "../../ui/style/theme.ts";
import { useSize } from "../../ui/use-size.ts";
import { type LegendEntry, legendOf } from "./chart-legend.ts";
import type { Axis, Chart, Mark, Panel } from "./chart-types.ts";
import { bandPath, barsPath, linePath, type Place } from "./paths.ts";
import { placeOn, type Scale, ticksOn } from "./scale.ts";

type FigureProps = {
  /** A function where it depends on how wide its frame is, px. */
  readonly chart: Chart | ((wide: number) => Chart);
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
  const drawn = useMemo(
    () => (typeof chart === "function" ? chart(frameWidth(width)) : chart),
    [chart, width],
  );
  return (
    <div class="stack" aria-busy={isBusy}>
      <div class="plot-frame" ref={frame}>
        {width > 0 && <ChartView {...{ chart: drawn, label, width, picture }} />}
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

const LEFT = PLOT_MARGINS.left;
/** Across, also where a plot is narrow. */
const LEAST_TICKS = 4.5;
const GAP = 16;
const AXIS_HEIGHT = 40;

type ChartViewProps = {
  readonly chart: Chart;
  /** What is told of it to those who do not see it. */
  readonly label: string;
  /** Of the whole picture, px. */
  readonly width: number;
  readonly picture: RefObject<SVGSVGElement | null>;
};

/** A chart as SVG that needs nothing around it: what is seen is what is saved. */
function ChartView({ chart, label, width, picture }: ChartViewProps) {
  const { title, x, panels, notes } = chart;
  const wide = frameWidth(width);
  const colours = PLOT_COLOURS[theme.value];
  const legend = legendOf(panels, wide);
  const lines = notes.flatMap((note) => linesOf(note, wide / NOTE_SIZE));
  const titles = linesOf(title, wide / TITLE_SIZE);
  const head = TITLE_HEIGHT + (titles.length - 1) * TITLE_LINE;
  let top = head + legendHeight(legend);
  const tops = panels.map(({ height }) => {
    const at = top;
    top += height + GAP;
    return at;
  });
  const bottom = top - GAP;
  const height = bottom + AXIS_HEIGHT + lines.length * NOTE_LINE + 10;
  return (
    <svg
      ref={picture}
      class="plot"
      xmlns="http://www.w3.org/2000/svg"
      width={width}
      height={height}
      viewBox={`0 0 ${width} ${height}`}
      font-family={PLOT_FACE}
      text-rendering="geometricPrecision"
      font-size={LETTER_SIZE}
      fill={colours.ink}
      role="img"
      aria-label={label}
    >
      <rect width={width} height={height} fill={colours.background} />
      <g font-size={TITLE_SIZE} font-weight={600}>
        {titles.map((line, i) => (
          <text key={line} x={LEFT} y={23 + i * TITLE_LINE}>
            {line}
          </text>
        ))}
      </g>
      <g transform={`translate(${LEFT} ${head})`}>
        {legend.map((entry) => (
          <Key key={`${entry.row} ${entry.x}`} entry={entry} colours={colours} />
        ))}
      </g>
      {panels.map((panel, i) => (
        <g key={panel.y.label} transform={`translate(${LEFT} ${tops[i] ?? 0})`}>
          <Frame {...{ panel, x, wide, colours }} isLast={i === panels.length - 1} />
        </g>
      ))}
      <text x={LEFT + wide / 2} y={bottom + 34} text-anchor="middle">
        {x.label}
      </text>
      <Notes lines={lines} top={bottom + AXIS_HEIGHT} colour={colours.muted} />
    </svg>
  );
}

type NotesProps = {
  readonly lines: readonly string[];
  readonly top: number;
  readonly colour: string;
};

function Notes({ lines, top, colour }: NotesProps) {
  return (
    <g fill={colour} font-size={NOTE_SIZE}>
      {lines.map((line, i) => (
        <text key={line} x={LEFT} y={top + 12 + i * NOTE_LINE}>
          {line}
        </text>
      ))}
    </g>
  );
}

type FrameProps = {
  readonly panel: Panel;
  readonly x: Axis;
  /** Px. */
  readonly wide: number;
  readonly colours: PlotColours;
  readonly isLast: boolean;
};

function Frame({ panel, x, wide, colours, isLast }: FrameProps) {
  const { y, height } = panel;
  const xTicks = ticksOn(x, Math.max(wide / 80, LEAST_TICKS)).map((tick) => ({
    at: tick.at,
    label: x.text?.(tick.at) ?? tick.label,
    px: placeOn(x, tick.at) * wide,
  }));
  const yTicks = ticksOn(y, height / 36).map((tick) => ({
    at: tick.at,
    label: y.text?.(tick.at) ?? tick.label,
    py: (1 - placeOn(y, tick.at)) * height,
  }));
  return (
    <>
      <path
        d={[
          ...xTicks.map(({ px }) => `M${px.toFixed(1)} 0V${height}`),
          ...yTicks.map(({ py }) => `M0 ${py.toFixed(1)}H${wide}`),
        ].join("")}
        stroke={colours.grid}
      />
      <Marks {...{ panel, x, wide, colours }} />
      <rect width={wide} height={height} fill="none" stroke={colours.muted} />
      {yTicks.map(({ at, label, py }) => (
        <text key={at} x={-7} y={py + 4} text-anchor="end">
          {label}
        </text>
      ))}
      {isLast &&
        xTicks.map(({ at, label, px }) => (
          <text key={at} x={px} y={height + 16} text-anchor="middle">
            {label}
          </text>
        ))}
      <text transform={`translate(-56 ${height / 2}) rotate(-90)`} text-anchor="middle">
        {y.label}
      </text>
    </>
  );
}

type KeyProps = { readonly entry: LegendEntry; readonly colours: PlotColours };

function Key({ entry, colours }: KeyProps) {
  const { name, kind, x, row, isDashed } = entry;
  const colour = colourOf(entry.colour, colours);
  const isLine = kind === "line" || kind === "rule";
  return (
    <g transform={`translate(${x} ${row * LEGEND_LINE})`}>
      {isLine && (
        <path
          d="M0 6H18"
          stroke={colour}
          stroke-width={1.8}
          stroke-dasharray={isDashed ? "5 4" : kind === "rule" ? "2 3" : undefined}
        />
      )}
      {kind === "discs" && <circle cx={9} cy={6} r={4.5} fill={colour} stroke={colours.muted} />}
      {(kind === "band" || kind === "bars") && (
        <rect width={18} height={12} fill={colour} fill-opacity={kind === "band" ? 0.3 : 1} />
      )}
      <text x={24} y={10}>
        {name}
      </text>
    </g>
  );
}

const DOT = 6;

type MarksProps = {
  readonly panel: Panel;
  readonly x: Scale;
  /** Of the frame, px. */
  readonly wide: number;
  readonly colours: PlotColours;
};

/** The marks of a panel, which has its origin at its upper left. */
function Marks({ panel: { y, height, marks }, x, wide, colours }: MarksProps) {
  const px = (value: number) => placeOn(x, value) * wide;
  const py = (value: number) => (1 - placeOn(y, value)) * height;
  const placeOf = (at: number, value: number | null): Place =>
    value === null || Number.isNaN(value) ? null : [px(at), py(value)];
  return (
    <>
      {marks.map((mark, i) => (
        <g key={i}>{drawMark(mark, { px, py, placeOf, wide, height, colours })}</g>
      ))}
    </>
  );
}

type Drawing = {
  readonly px: (x: number) => number;
  readonly py: (y: number) => number;
  readonly placeOf: (x: number, y: number | null) => Place;
  readonly wide: number;
  readonly height: number;
  readonly colours: PlotColours;
};

function drawMark(mark: Mark, { px, py, placeOf, wide, height, colours }: Drawing) {
  if (mark.kind === "image") return <ImageMark {...{ mark, wide, height }} />;
  const colour = colourOf(mark.colour, colours);
  switch (mark.kind) {
    case "line": {
      const places = mark.points.map(([at, value]) => placeOf(at, value));
      return (
        <>
          <path
            d={linePath(places)}
            fill="none"
            stroke={colour}
            stroke-width={1.8}
            stroke-dasharray={mark.isDashed ? "5 4" : undefined}
          />
          {mark.hasDots && <Dots places={places} fill={colour} ring={colours.background} />}
        </>
      );
    }
    case "band": {
      const upper = mark.points.map(([at, , high]) => placeOf(at, high));
      const lower = mark.points.map(([at, low]) => placeOf(at, low));
      return <path d={bandPath(upper, lower)} fill={colour} fill-opacity={0.22} />;
    }
    case "bars": {
      const bars = mark.bars.map(([from, to, value]) => [px(from), px(to), py(value)] as const);
      return <path d={barsPath(bars, height)} fill={colour} />;
    }
    case "discs": {
      const places = mark.points.map(([at, value]) => placeOf(at, value));
      return (
        <Dots
          places={places}
          fill={mark.isHollow ? "none" : colour}
          ring={mark.isHollow ? colour : colours.ink}
          {...(mark.diameters && { diameters: mark.diameters })}
        />
      );
    }
    case "rule":
      return <RuleMark x={px(mark.x)} height={height} colour={colour} />;
  }
}

type MarkOf<K extends Mark["kind"]> = Extract<Mark, { readonly kind: K }>;
type ImageMarkProps = {
  readonly mark: MarkOf<"image">;
  readonly wide: number;
  readonly height: number;
};

function ImageMark({ mark: { href, reach }, wide, height }: ImageMarkProps) {
  const [across, high] = [wide + 2 * reach, height + 2 * reach];
  return <image href={href} x={-reach} y={-reach} width={across} height={high} />;
}

type RuleMarkProps = { readonly x: number; readonly height: number; readonly colour: string };

function RuleMark({ x, height, colour }: RuleMarkProps) {
  const path = linePath([
    [x, 0],
    [x, height],
  ]);
  return <path d={path} stroke={colour} stroke-width={1.2} stroke-dasharray="2 3" />;
}

type DotsProps = {
  readonly places: readonly Place[];
  readonly fill: string;
  readonly ring: string;
  readonly diameters?: ArrayLike<number>;
};

function Dots({ places, fill, ring, diameters }: DotsProps) {
  return (
    <g fill={fill} stroke={ring} stroke-width={0.8}>
      {places.map(
        (place, i) =>
          place && (
            <circle
              key={i}
              cx={place[0].toFixed(1)}
              cy={place[1].toFixed(1)}
              r={(diameters?.[i] ?? DOT) / 2}
            />
          ),
      )}
    </g>
  );
}

function colourOf(
  colour: Exclude<Mark, { readonly kind: "image" }>["colour"],
  { series, ink }: PlotColours,
): string {
  if (colour === "ink") return ink;
  return typeof colour === "number" ? series[colour] : colour;
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

/** The letters of plots: the console's own, then those of the service's plots, which programs may have. */
export const PLOT_FACE = `"Console Sans", "Source Sans 3", "Segoe UI", Helvetica, Arial, sans-serif`;
