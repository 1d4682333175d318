import type { RefObject } from "preact";
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
  type PlotColours,
  TITLE_HEIGHT,
  TITLE_LINE,
  TITLE_SIZE,
} from "#contracts/plots/layout.ts";
import { theme } from "../../ui/style/theme.ts";
import { type LegendEntry, legendOf } from "./chart-legend.ts";
import { colourOf, Marks } from "./chart-marks.tsx";
import type { Axis, Chart, Panel } from "./chart-types.ts";
import { PLOT_FACE } from "./face.ts";
import { placeOn, ticksOn } from "./scale.ts";

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
export function ChartView({ chart, label, width, picture }: ChartViewProps) {
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
