import type { RefObject } from "preact";
import { PLOT_COLOURS, type PlotColours } from "#contracts/plots/colours.ts";
import {
  FRAME_WIDTH,
  LEGEND_LINE,
  LETTER_SIZE,
  legendHeight,
  NOTE_LINE,
  NOTE_SIZE,
  PLOT_MARGINS,
  PLOT_WIDTH,
  TITLE_HEIGHT,
} from "#contracts/plots/layout.ts";
import { linesOf } from "#contracts/plots/text-width.ts";
import { theme } from "../ui/theme.ts";
import { type LegendEntry, legendOf } from "./chart-legend.ts";
import { colourOf, Marks } from "./chart-marks.tsx";
import type { Axis, Chart, Panel } from "./chart-types.ts";
import { placeOn, ticksOn } from "./scale.ts";

const LEFT = PLOT_MARGINS.left;
const GAP = 16;
const AXIS_HEIGHT = 40;

type ChartViewProps = {
  readonly chart: Chart;
  /** What is told of it to those who do not see it. */
  readonly label: string;
  readonly picture: RefObject<SVGSVGElement | null>;
};

/** A chart as SVG that needs nothing around it: what is seen is what is saved. */
export function ChartView({ chart: { title, x, panels, notes }, label, picture }: ChartViewProps) {
  const colours = PLOT_COLOURS[theme.value];
  const legend = legendOf(panels, FRAME_WIDTH);
  const lines = notes.flatMap((note) => linesOf(note, FRAME_WIDTH / NOTE_SIZE));
  let top = TITLE_HEIGHT + legendHeight(legend);
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
      width={PLOT_WIDTH}
      height={height}
      viewBox={`0 0 ${PLOT_WIDTH} ${height}`}
      font-family="system-ui, sans-serif"
      font-size={LETTER_SIZE}
      fill={colours.ink}
      role="img"
      aria-label={label}
    >
      <rect width={PLOT_WIDTH} height={height} fill={colours.background} />
      <text x={LEFT} y={23} font-size={15} font-weight={600}>
        {title}
      </text>
      <g transform={`translate(${LEFT} ${TITLE_HEIGHT})`}>
        {legend.map((entry) => (
          <Key key={`${entry.row} ${entry.x}`} entry={entry} colours={colours} />
        ))}
      </g>
      {panels.map((panel, i) => (
        <g key={panel.y.label} transform={`translate(${LEFT} ${tops[i] ?? 0})`}>
          <Frame panel={panel} x={x} colours={colours} isLast={i === panels.length - 1} />
        </g>
      ))}
      <text x={LEFT + FRAME_WIDTH / 2} y={bottom + 34} text-anchor="middle">
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
  readonly colours: PlotColours;
  readonly isLast: boolean;
};

function Frame({ panel, x, colours, isLast }: FrameProps) {
  const { y, height } = panel;
  const xTicks = ticksOn(x, FRAME_WIDTH / 80).map((tick) => ({
    at: tick.at,
    label: x.text?.(tick.at) ?? tick.label,
    px: placeOn(x, tick.at) * FRAME_WIDTH,
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
          ...yTicks.map(({ py }) => `M0 ${py.toFixed(1)}H${FRAME_WIDTH}`),
        ].join("")}
        stroke={colours.grid}
      />
      <Marks panel={panel} x={x} colours={colours} />
      <rect width={FRAME_WIDTH} height={height} fill="none" stroke={colours.muted} />
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
