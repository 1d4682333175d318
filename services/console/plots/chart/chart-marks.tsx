import type { PlotColours } from "#contracts/plots/layout.ts";
import type { Mark, Panel } from "./chart-types.ts";
import { bandPath, barsPath, linePath, type Place } from "./paths.ts";
import { placeOn, type Scale } from "./scale.ts";

const DOT = 6;

type MarksProps = {
  readonly panel: Panel;
  readonly x: Scale;
  /** Of the frame, px. */
  readonly wide: number;
  readonly colours: PlotColours;
};

/** The marks of a panel, which has its origin at its upper left. */
export function Marks({ panel: { y, height, marks }, x, wide, colours }: MarksProps) {
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

export function colourOf(
  colour: Exclude<Mark, { readonly kind: "image" }>["colour"],
  { series, ink }: PlotColours,
): string {
  if (colour === "ink") return ink;
  return typeof colour === "number" ? series[colour] : colour;
}
