import { useMemo, useRef } from "preact/hooks";
import { Link } from "wouter-preact";
import {
  type Analysis,
  type AnalysisQuery,
  analysisAddress,
  type PlotName,
  readAnalysis,
  readPlot,
} from "../../api/analysis.ts";
import { Figure, RowsTables, usePlotWidth } from "../../plots/chart.tsx";
import { ErrorNotice, useCall, Waiting } from "../../ui/call.tsx";
import { addressOfBlob, Downloads } from "../../ui/downloads.tsx";
import { problemOf } from "../../ui/form/submit.tsx";
import { Empty } from "../../ui/page.tsx";
import { theme } from "../../ui/style/theme.ts";
import type { AnalysisTab } from "./analyses.tsx";
import { AnalysisResult, notesOf } from "./analysis-result.tsx";
import { csvOfList } from "./csv.ts";
import { Elsewhere } from "./elsewhere.tsx";
import { factsOf } from "./facts.ts";
import { ParameterInputs, type PartProps, valuesIn } from "./parameters.tsx";

type AnalysisPartProps = PartProps & { readonly tab: AnalysisTab };

/** One analysis: its parameters, its plot, what it found and how. */
export function AnalysisPart(props: AnalysisPartProps) {
  const { catalogue, tab, filters, query, set } = props;
  const { parameters, fixed, analysis } = tab;
  const values = valuesIn(query, parameters);
  const request = {
    catalogue: catalogue.id,
    query: { asOf: String(catalogue.version), ...filters, ...fixed?.(values), ...values },
  };
  const address = analysisAddress(analysis, request);
  const { answer, last, error, reload } = useCall<Analysis>(address, (signal) =>
    readAnalysis(analysis, request, signal),
  );
  const drawn = { catalogue, tab, answer: last, isStale: answer === null };
  return (
    <div class="analysis">
      <div class="stack">
        <ParameterInputs
          {...{ parameters, values, set }}
          problemOf={(name) => problemOf(error, name)}
        />
        <ErrorNotice error={error} retry={reload} />
        {error === null && <AnalysisFigure {...drawn} query={request.query} json={address} />}
        <Elsewhere catalogue={catalogue} filters={filters} answer={{ address }} />
      </div>
      {error === null &&
        (last === null ? <Waiting /> : <AnalysisResult answer={last} parameters={parameters} />)}
    </div>
  );
}

type AnalysisFigureProps = Pick<AnalysisPartProps, "catalogue" | "tab"> & {
  /** Null before the first. */
  readonly answer: Analysis | null;
  /** Whether another answer is on its way. */
  readonly isStale: boolean;
  readonly query: AnalysisQuery;
  /** The address of the answer. */
  readonly json: string;
};

/** An analysis as a plot, drawn here or by the service, or why there is none. */
function AnalysisFigure(props: AnalysisFigureProps) {
  const { catalogue, tab, answer, isStale, query, json } = props;
  const { title, parameters, list = "bins", picture } = tab;
  const drawing = useMemo(
    () =>
      answer !== null && typeof picture !== "string"
        ? picture(answer, notesOf(catalogue, answer, parameters))
        : null,
    [answer],
  );
  const csv = answer === null ? null : csvOfList(answer, list);
  const label = answer === null ? title : labelOf(title, answer);
  const saved = { label, csv: csv === null ? null : () => csv, json };
  if (answer?.input.events === 0) return <NoEvents catalogue={catalogue} />;
  if (typeof picture === "string") {
    const plot = { catalogue: catalogue.id, plot: picture, query, isReady: !isStale };
    return <ServicePlot {...plot} {...saved} />;
  }
  if (drawing === null) {
    if (answer === null || isStale) return null;
    return <p class="notice warning">{answer.reason ?? "There is nothing to be drawn."}</p>;
  }
  return (
    <>
      <Figure chart={drawing.chart} name={tab.tab} isBusy={isStale} {...saved} />
      {drawing.table && <RowsTables tables={[drawing.table]} />}
    </>
  );
}

/** There is nothing to analyse: why, and what to do. */
function NoEvents({ catalogue: { id, event_count } }: Pick<AnalysisPartProps, "catalogue">) {
  return event_count > 0 ? (
    <Empty
      title="No event passes the filters."
      text="Widen or clear them above: the analysis follows."
    />
  ) : (
    <Empty
      title="This catalogue has no events yet."
      text="Once it has some, they are analysed here."
    >
      <Link class="button" href={`/catalogues/${id}`}>
        To the catalogue
      </Link>
    </Empty>
  );
}

function labelOf(title: string, { method, estimate, reason }: Analysis): string {
  if (estimate === null) return `${title}: ${reason ?? "no estimate"}`;
  const facts = factsOf(method, estimate).map(({ name, text }) => `${name} ${text}`);
  return `${title}: ${facts.join(", ")}`;
}

type ServicePlotProps = Pick<Parameters<typeof Figure>[0], "label" | "csv" | "json"> & {
  readonly catalogue: string;
  readonly plot: PlotName;
  readonly query: AnalysisQuery;
  /** Whether the numbers have come: the service has them kept then, and draws at once. */
  readonly isReady: boolean;
};

type Picture = { readonly blob: Blob; readonly address: string; readonly width: number };

/** A plot as the service draws it: in pixels, since an SVG would take other letters than its own. */
function ServicePlot(props: ServicePlotProps) {
  const { catalogue, plot, query, isReady, label, ...saved } = props;
  const frame = useRef<HTMLDivElement>(null);
  const width = usePlotWidth(frame);
  const isAsked = isReady && width > 0;
  const request = { catalogue, query: { ...query, theme: theme.value, width: String(width) } };
  const inPixels = { catalogue, query: { ...request.query, scale: "2" } };
  const {
    answer: picture,
    last,
    error,
    reload,
  } = useCall<Picture | null>(isAsked ? JSON.stringify([plot, request]) : "", async (signal) => {
    if (!isAsked) return null;
    const blob = await (await readPlot(plot, "png", inPixels, signal)).blob();
    return { blob, address: await addressOfBlob(blob), width };
  });
  const drawn = useRef<Picture | null>(null);
  const shown = last ?? drawn.current;
  drawn.current = shown;
  const isRefused = error !== null && isReady;
  return (
    <div class="stack" aria-busy={!picture}>
      <div class="plot-frame" ref={frame}>
        {isRefused && <ErrorNotice error={error} retry={reload} />}
        {!isRefused && shown === null && <Waiting />}
        {!isRefused && shown && (
          <img class="plot" src={shown.address} width={shown.width} alt={label} />
        )}
      </div>
      <Downloads
        name={plot}
        svg={async () => (await readPlot(plot, "svg", request)).text()}
        {...(picture && { png: async () => picture.blob })}
        {...saved}
        isBusy={!picture}
      />
    </div>
  );
}
