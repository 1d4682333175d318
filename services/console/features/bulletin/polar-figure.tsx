import type { ComponentChildren } from "preact";
import { useRef } from "preact/hooks";
import {
  LETTER_SIZE,
  linesOf,
  NOTE_LINE,
  NOTE_SIZE,
  PLOT_COLOURS,
  PLOT_FACE,
  type PlotColours,
} from "#contracts/plots/layout.ts";
import { Downloads, svgOf } from "../../ui/downloads.tsx";
import { theme } from "../../ui/style/theme.ts";
import { pointAt } from "./polar.ts";

const WIDTH = 400;
const EDGE = 16;
/** Of a line of notes, the part that may be filled: widths of texts are estimates. */
const FILLED = 0.8;
/** The rim's, pixels. */
export const RADIUS = 160;
const MIDDLE_Y = 232;
const NOTES_Y = MIDDLE_Y + RADIUS + 34;
/** Further out than the rim. */
const LETTERS = RADIUS + 14;

const DIRECTIONS = [
  ["N", 0],
  ["E", 90],
  ["S", 180],
  ["W", 270],
] as const;

/** A circle within the rim, with what stands at it. */
export type Ring = { readonly radius: number; readonly text: string };

type PolarFigureProps = {
  readonly title: string;
  /** What is told of it to those who do not see it. */
  readonly label: string;
  /** Of the files. */
  readonly name: string;
  readonly rings: readonly Ring[];
  readonly notes: readonly string[];
  readonly csv: () => string;
  /** What is drawn, around the middle, which is 0, 0. */
  readonly children: (colours: PlotColours) => ComponentChildren;
};

/** Directions around an epicentre, north up, to be seen and to be taken along. */
export function PolarFigure(props: PolarFigureProps) {
  const { title, label, name, rings, notes, csv, children } = props;
  const picture = useRef<SVGSVGElement>(null);
  const colours = PLOT_COLOURS[theme.value];
  const lines = notes.flatMap((note) => linesOf(note, (FILLED * (WIDTH - 2 * EDGE)) / NOTE_SIZE));
  const height = NOTES_Y + lines.length * NOTE_LINE;
  return (
    <div class="stack">
      <svg
        ref={picture}
        class="polar-plot"
        xmlns="http://www.w3.org/2000/svg"
        width={WIDTH}
        height={height}
        viewBox={`0 0 ${WIDTH} ${height}`}
        font-family={PLOT_FACE}
        font-size={LETTER_SIZE}
        fill={colours.ink}
        role="img"
        aria-label={label}
      >
        <rect width={WIDTH} height={height} fill={colours.background} />
        <text x={EDGE} y={25} font-size={15} font-weight={600}>
          {title}
        </text>
        <g transform={`translate(${WIDTH / 2} ${MIDDLE_Y})`}>
          <Grid rings={rings} colours={colours} />
          {children(colours)}
          <RingTexts rings={rings} colours={colours} />
        </g>
        <g fill={colours.muted} font-size={NOTE_SIZE}>
          {lines.map((line, i) => (
            <text key={line} x={EDGE} y={NOTES_Y + i * NOTE_LINE}>
              {line}
            </text>
          ))}
        </g>
      </svg>
      <Downloads
        name={name}
        svg={() => picture.current && svgOf(picture.current)}
        csv={csv}
        isBusy={false}
      />
    </div>
  );
}

type GridProps = { readonly rings: readonly Ring[]; readonly colours: PlotColours };

function Grid({ rings, colours }: GridProps) {
  return (
    <>
      <g fill="none" stroke={colours.grid}>
        {rings.map(({ radius }) => (
          <circle key={radius} r={radius} />
        ))}
        <path d={`M0 ${-RADIUS}V${RADIUS}M${-RADIUS} 0H${RADIUS}`} />
      </g>
      <circle r={RADIUS} fill="none" stroke={colours.muted} />
      {DIRECTIONS.map(([letter, azimuth]) => {
        const [x, y] = pointAt(azimuth, LETTERS);
        return (
          <text key={letter} x={x} y={y + 4} text-anchor="middle">
            {letter}
          </text>
        );
      })}
    </>
  );
}

/** Over what is drawn, with some ground around them. */
function RingTexts({ rings, colours }: GridProps) {
  return (
    <g fill={colours.muted} stroke={colours.background} stroke-width={3} paint-order="stroke">
      {rings.map(({ radius, text }) => (
        <text key={radius} x={3} y={-radius + 12} font-size={NOTE_SIZE}>
          {text}
        </text>
      ))}
    </g>
  );
}
