import { useMemo, useRef } from "preact/hooks";
import { type Chart, type Mark, PANEL_INSET } from "#contracts/plots/chart.ts";
import { withError } from "#contracts/plots/numbers.ts";
import { linearOver } from "#contracts/plots/scale.ts";
import { type AnswerTo, analysisAddress, readAnalysis } from "../../api/analysis.ts";
import { ChartView } from "../../plots/chart.tsx";
import { valuesAlong } from "../../plots/event-plot.ts";
import { BIN_WIDTH, magnitudeBins } from "../../plots/histogram.ts";
import { useBrush } from "../../plots/use-brush.ts";
import { useCall } from "../../ui/call.tsx";
import { count, decimal, sentence } from "../../ui/text/format.ts";
import { pause } from "../../ui/timers.ts";
import { useSize } from "../../ui/use-size.ts";
import { between, nothingAlong } from "./filters/filters.ts";
import type { PlotsProps } from "./work.ts";

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
