import { useMemo } from "preact/hooks";
import { Link } from "wouter-preact";
import { barsPath, niceTicks } from "#contracts/plots/scale.ts";
import { searchOf } from "../../model/work-state.ts";
import { roundHistogramOf } from "../../plots/histogram.ts";
import { count, events } from "../../ui/text/format.ts";
import { MagnitudesPlot } from "./magnitudes-plot.tsx";
import { ScatterPlot } from "./scatter-plot.tsx";
import { type PlotsProps, QUALITY_COLUMNS } from "./work.ts";

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
    unknown > 0 && `unknown for ${events(unknown)}`,
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
