import { useSignal } from "@preact/signals";
import { useMemo, useRef } from "preact/hooks";
import { useSearch } from "wouter-preact";
import {
  type Analysis,
  type AnalysisQuery,
  analysisAddress,
  type PlotName,
  readAnalysis,
  readPlot,
} from "../api/analysis.ts";
import { type Catalogue, call, share } from "../api/call.ts";
import { changesOfAccount, mayUse } from "../api/session.ts";
import {
  type AnalysisTab,
  AnalyticsNav,
  type AnalyticsTab,
  tabNamed,
} from "../features/analytics/analyses.tsx";
import { AnalysisResult, notesOf } from "../features/analytics/analysis-result.tsx";
import { csvOfList } from "../features/analytics/csv.ts";
import { Decluster } from "../features/analytics/decluster.tsx";
import { DepthSection } from "../features/analytics/depth-section.tsx";
import { Elsewhere } from "../features/analytics/elsewhere.tsx";
import { factsOf } from "../features/analytics/facts.ts";
import {
  filterChange,
  PARAMETERS,
  ParameterInputs,
  type PartProps,
  useSetParameters,
  valuesIn,
} from "../features/analytics/parameters.tsx";
import { FilterBar } from "../features/work/filters/filter-bar.tsx";
import type { Selection } from "../features/work/filters/filters.ts";
import { apiQueryOf, filterCount, searchOf, workStateOf } from "../model/work-state.ts";
import { Figure, RowsTables, usePlotWidth } from "../plots/chart.tsx";
import { ErrorNotice, notice, useAction, useCall, Waiting } from "../ui/call.tsx";
import { Cite } from "../ui/cite.tsx";
import { addressOfBlob, Downloads } from "../ui/downloads.tsx";
import { Form, input } from "../ui/form/form.tsx";
import { problemOf } from "../ui/form/submit.tsx";
import { Button, ButtonLink, Empty, type PageProps, Unread, useTitle } from "../ui/page.tsx";
import { useSavedRegion } from "../ui/saved-regions.tsx";
import { theme } from "../ui/style/theme.ts";
import { versionName } from "../ui/text/format.ts";

/** Statistics of the events that pass the filters, drawn as papers show them. */
export function Page({ params: { id = "" } }: PageProps) {
  const { answer, error, reload } = useCall<Catalogue>(
    `${id} ${changesOfAccount.value}`,
    (signal) => call("GET /api/catalogues/:id", { params: { id } }, { signal }),
  );
  if (error !== null || answer === null) {
    return <Unread title="Analytics" error={error} retry={reload} />;
  }
  return <Analytics catalogue={answer} />;
}

function Analytics({ catalogue }: { readonly catalogue: Catalogue }) {
  const search = useSearch();
  const set = useSetParameters();
  const query = new URLSearchParams(search);
  const state = workStateOf(search);
  const { id, name, version } = catalogue;
  const { asOf } = state;
  const at = Number(asOf ?? version);
  const chosen = query.get("tab") ?? "magnitudes";
  const tab = tabNamed(chosen);
  const moving = useSignal<Selection | undefined>(undefined);
  const isCited = useSignal(false);
  // For its name in the notes below the pictures.
  useSavedRegion(state.filters.region ?? null);
  useTitle(`Analytics of ${name}`);
  return (
    <section class="page">
      <div class="page-head">
        <h1>Analytics of {name}</h1>
        <span class="badge">version {versionName(asOf ?? version)}</span>
        <nav class="row end" aria-label="This catalogue">
          <ButtonLink
            class="quiet"
            href={`/catalogues/${id}${searchOf(state)}`}
            text="Back to the events"
          />
          {share === null && (
            <ButtonLink
              class="quiet"
              href={`/compare?a=${id}${asOf ? `&asOfA=${asOf}` : ""}`}
              text="Compare…"
            />
          )}
          {Number.isInteger(at) && at > 0 && (
            <Button class="quiet" onClick={() => (isCited.value = true)} text="Cite" />
          )}
        </nav>
        {isCited.value && (
          <Cite catalogue={id} version={at} onClose={() => (isCited.value = false)} />
        )}
      </div>
      <FilterBar state={state} moving={moving} change={filterChange(set)} error={null}>
        <Button
          disabled={filterCount(state) === 0}
          onClick={() => filterChange(set)({ filters: {} })}
          text="Clear"
        />
      </FilterBar>
      <div class="analytics">
        <AnalyticsNav chosen={chosen} />
        {tab !== undefined && mayUse(tab.role) ? (
          <div class="stack">
            <h2>{tab.title}</h2>
            <p class="about">{tab.about}</p>
            <TabPart
              key={chosen}
              tab={tab}
              {...{ catalogue, query, set }}
              filters={apiQueryOf(state)}
            />
          </div>
        ) : (
          <p class="notice warning">There is no such analysis: choose one of the list.</p>
        )}
      </div>
    </section>
  );
}

function TabPart({ tab, ...part }: PartProps & { readonly tab: AnalyticsTab }) {
  if (tab.tab === "section") return <DepthSection {...part} />;
  if (tab.tab === "decluster") return <Decluster {...part} />;
  if (tab.analysis === undefined) return null;
  if (tab.needs && !part.query.get(tab.needs)) return <LargestEvent {...part} />;
  return <AnalysisPart tab={tab} {...part} />;
}

/** Asks for the main shock, without which there are no aftershocks; the largest event is a good guess. */
function LargestEvent({ catalogue, filters, set }: PartProps) {
  const { isBusy, run } = useAction();
  const { name, label } = PARAMETERS.mainshock;
  const take = () =>
    run(async () => {
      const { events } = await call("GET /api/catalogues/:id/events/filtered", {
        params: { id: catalogue.id },
        query: { asOf: String(catalogue.version), ...filters, orderBy: "magnitude", limit: 1 },
      });
      const [largest] = events;
      if (largest) set({ [name]: largest.id }, "push");
      else notice.error(new Error("No event passes the filters"));
    });
  return (
    <Form
      class="panel main-shock"
      fields={{
        mainshock: input({
          ...{ label, required: true },
          hint: "Its aftershocks are the events after it, within a radius if you give one.",
        }),
      }}
      action="Show its aftershocks"
      run={async (_, typed) => set(typed, "push")}
    >
      <Button disabled={isBusy.value} onClick={take} text="Take the largest event" />
    </Form>
  );
}

type AnalysisPartProps = PartProps & { readonly tab: AnalysisTab };

/** One analysis: its parameters, its plot, what it found and how. */
function AnalysisPart(props: AnalysisPartProps) {
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
      <ButtonLink href={`/catalogues/${id}`} text="To the catalogue" />
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
