import { useEffect, useMemo, useRef } from "preact/hooks";
import uPlot from "uplot";
import { withError } from "#contracts/plots/numbers.ts";
import { type AnswerTo, analysisAddress, readAnalysis } from "../../api/analysis.ts";
import { BIN_WIDTH, magnitudeBins } from "../../plots/histogram.ts";
import { useBrush } from "../../plots/use-brush.ts";
import { pause } from "../../ui/call/timers.ts";
import { useCall } from "../../ui/call/use-call.ts";
import { theme } from "../../ui/style/theme.ts";
import { count, decimal, sentence } from "../../ui/text/format.ts";
import { useSize } from "../../ui/use-size.ts";
import { between, nothingAlong } from "./filters/selections.ts";
import type { PlotsProps } from "./panel-props.ts";

/** What the service estimates of the same events. */
type Estimate = NonNullable<AnswerTo<"b-value">["estimate"]>;

/** Numbers of events by magnitude, at once, and Mc and b as the service estimates them. */
export function MagnitudesPlot(props: PlotsProps) {
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
  const { frame, magnitudeAt } = usePlot(bins, estimate);
  const { wasDragged: _, ...brush } = useBrush({
    along: "x",
    onBrush: ({ x }, how) => {
      select(between("magnitude", magnitudeAt(x[0]), magnitudeAt(x[1])), how);
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
      />
      <p class="plot-keys" aria-hidden="true">
        {KEYS.map(({ key, text }) => (
          <span key={key} class={key}>
            {text}
          </span>
        ))}
      </p>
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

/** What the marks of the plot mean; their colours are the plot's (work.css). */
const KEYS = [
  { key: "cumulative", text: "○ of M or larger" },
  { key: "binned", text: "○ in a bin of 0.1" },
  { key: "fitted", text: "— fit from Mc up, with one σ of b" },
] as const;

/** The service is asked when nothing has moved for so long. */
const REST_MS = 300;

type Bins = ReturnType<typeof magnitudeBins>;

function usePlot(bins: Bins, estimate: Estimate | null) {
  const frame = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const size = useSize(frame);
  const isThere = size.value.width > 0;
  useEffect(() => {
    const element = frame.current;
    if (!element || !isThere) return;
    const made = new uPlot(optionsOf(element), [[], [], [], []], element);
    plot.current = made;
    return () => {
      plot.current = null;
      made.destroy();
    };
  }, [isThere, theme.value]);
  useEffect(() => plot.current?.setSize(size.value), [size.value]);
  useEffect(
    () => plot.current?.setData(dataOf(bins, estimate)),
    [isThere, theme.value, bins, estimate],
  );
  /** The magnitude at a share of the frame's width; NaN beyond the plot. */
  const magnitudeAt = (share: number): number => {
    const [made, element] = [plot.current, frame.current];
    if (!made || !element) return Number.NaN;
    const left = made.over.getBoundingClientRect().left - element.getBoundingClientRect().left;
    const at = share * element.clientWidth - left;
    if (at <= 0 || at >= made.over.clientWidth) return Number.NaN;
    // Between two bins, so that the filter takes whole ones.
    return Math.round(made.posToVal(at, "x") / BIN_WIDTH + 0.5) * BIN_WIDTH - BIN_WIDTH / 2;
  };
  return { frame, magnitudeAt };
}

function dataOf(
  { magnitudes, counts, cumulative }: Bins,
  estimate: Estimate | null,
): uPlot.AlignedData {
  const known = (value: number | undefined) => (value ? value : null);
  return [
    [...magnitudes],
    // What is drawn first lies below.
    ...[-1, 1].map((sigmas) => magnitudes.map((at) => expectedAt(at, estimate, sigmas))),
    magnitudes.map((at) => expectedAt(at, estimate, 0)),
    counts.map(known),
    cumulative.map(known),
  ];
}

/** Events of a magnitude or larger by the fit, with b so many standard errors off; null where it does not hold. */
function expectedAt(magnitude: number, estimate: Estimate | null, sigmas: number): number | null {
  if (!estimate || magnitude < estimate.mc - BIN_WIDTH / 2) return null;
  const { n, b, sigma, mc } = estimate;
  const expected = n * 10 ** (-(b + sigmas * sigma) * (magnitude - mc));
  return n * 10 ** (-b * (magnitude - mc)) < 0.5 ? null : expected;
}

const LETTERS = "12px 'Console Sans', system-ui, sans-serif";

function optionsOf(element: HTMLElement): uPlot.Options {
  const colour = (name: string) => themeColour(name, element);
  const [text, line] = [colour("--muted"), colour("--line")];
  const axis = {
    stroke: text,
    font: LETTERS,
    labelFont: LETTERS,
    labelSize: 18,
    grid: { stroke: line, width: 1 },
    ticks: { stroke: line, width: 1 },
  };
  const dots = (stroke: string): uPlot.Series => ({
    stroke,
    paths: () => null,
    points: { show: true, size: 6, width: 1.5, fill: "transparent" },
  });
  const edge: uPlot.Series = { stroke: "transparent", points: { show: false } };
  return {
    width: element.clientWidth,
    height: element.clientHeight,
    legend: { show: false },
    cursor: { show: false },
    scales: {
      x: { time: false },
      y: { distr: 3, range: (_, __, max) => [0.8, Math.max(10, max * 1.4)] },
    },
    axes: [
      { ...axis, label: "Magnitude", size: 32 },
      {
        ...axis,
        label: "Number of events",
        size: 56,
        grid: { ...axis.grid, filter: powersOf },
        ticks: { ...axis.ticks, filter: powersOf },
        filter: powersOf,
        values: (_, at) => at.map((value) => (value === null ? "" : count(value))),
      },
    ],
    series: [
      {},
      edge,
      edge,
      { stroke: colour("--text"), width: 1.5, points: { show: false } },
      dots(colour("--warning")),
      dots(colour("--accent")),
    ],
    bands: [{ series: [1, 2], fill: colour("--accent-ground") }],
  };
}

/** Lines at powers of ten alone: all others would be most of what is seen. */
function powersOf(_: uPlot, at: readonly number[]): (number | null)[] {
  return at.map((value) => (Number.isInteger(Math.log10(value)) ? value : null));
}

/** A colour of the style sheets' scale, for example "--muted", as canvases take it in the theme that is shown. */
function themeColour(name: string, element: Element): string {
  const probe = document.createElement("span");
  probe.style.color = `var(${name})`;
  element.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}
