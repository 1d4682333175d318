import { useMemo } from "preact/hooks";
import {
  type Analysis,
  type AnalysisQuery,
  analysisAddress,
  readAnalysis,
} from "../../api/analysis.ts";
import { CallError } from "../../api/call-error.ts";
import type { Catalogue } from "../../model/catalogue.ts";
import { Figure } from "../../plots/figure.tsx";
import { RowsTable } from "../../plots/rows-table.tsx";
import { ErrorNotice } from "../../ui/call/error-notice.tsx";
import { useCall } from "../../ui/call/use-call.ts";
import { Waiting } from "../../ui/call/waiting.tsx";
import type { AnalysisTab } from "./analyses.ts";
import { AnalysisResult } from "./analysis-result.tsx";
import { factsOf } from "./facts.ts";
import { csvOfList } from "./list-csv.ts";
import { notesOf } from "./notes.ts";
import { ParameterInput } from "./parameter-input.tsx";
import type { Parameter } from "./parameters.ts";
import { ServicePlot } from "./service-plot.tsx";
import type { SetParameters } from "./use-parameters.ts";

type AnalysisPartProps = {
  readonly catalogue: Catalogue;
  readonly analysis: AnalysisTab;
  readonly filters: AnalysisQuery;
  /** The page's address, in which the parameters stand. */
  readonly query: URLSearchParams;
  readonly set: SetParameters;
};

/** One analysis: its parameters, its plot, what it found and how. */
export function AnalysisPart({ catalogue, analysis, filters, query, set }: AnalysisPartProps) {
  const { parameters, title, fixed, list, picture } = analysis;
  const values = valuesIn(query, parameters);
  const request = {
    catalogue: catalogue.id,
    query: { asOf: String(catalogue.version), ...filters, ...fixed, ...values },
  };
  const address = analysisAddress(analysis.analysis, request);
  const { answer, last, error, reload } = useCall<Analysis>(address, (signal) =>
    readAnalysis(analysis.analysis, request, signal),
  );
  const current = answer.value ?? last;
  const isStale = answer.value === null;
  const problems = error.value instanceof CallError ? error.value.fields : [];
  const drawing = useMemo(
    () =>
      current !== null && typeof picture !== "string"
        ? picture(current, notesOf(catalogue, current, parameters))
        : null,
    [current],
  );
  const csv = current === null ? null : csvOfList(current, list);
  const saved = {
    label: current === null ? title : labelOf(title, current),
    csv: csv === null ? null : () => csv,
    json: address,
  };
  return (
    <div class="analysis">
      <div class="stack">
        <div class="parameters">
          {parameters.map((parameter) => (
            <ParameterInput
              key={parameter.name}
              parameter={parameter}
              value={values[parameter.name] ?? ""}
              problem={problems.find(({ field }) => field === parameter.name)?.message}
              onValue={(value, how) => set({ [parameter.name]: value }, how)}
            />
          ))}
        </div>
        {error.value !== null && <ErrorNotice error={error.value} retry={reload} />}
        {typeof picture === "string" && error.value === null && (
          <ServicePlot
            catalogue={catalogue.id}
            plot={picture}
            query={request.query}
            isReady={!isStale}
            {...saved}
          />
        )}
        {drawing && error.value === null && (
          <>
            <Figure chart={drawing.chart} name={analysis.tab} isBusy={isStale} {...saved} />
            {drawing.table && <RowsTable table={drawing.table} />}
          </>
        )}
        {current !== null && drawing === null && typeof picture !== "string" && !isStale && (
          <p class="notice warning">{current.reason ?? "There is nothing to be drawn."}</p>
        )}
      </div>
      {error.value === null &&
        (current === null ? (
          <Waiting />
        ) : (
          <AnalysisResult answer={current} parameters={parameters} />
        ))}
    </div>
  );
}

/** Parameters of the address, else their first options. */
function valuesIn(query: URLSearchParams, parameters: readonly Parameter[]): AnalysisQuery {
  return Object.fromEntries(
    parameters.flatMap(({ name, options }) => {
      const value = query.get(name) || options?.[0]?.value;
      return value ? [[name, value]] : [];
    }),
  );
}

function labelOf(title: string, { method, estimate, reason }: Analysis): string {
  if (estimate === null) return `${title}: ${reason ?? "no estimate"}`;
  const facts = factsOf(method, estimate).map(({ name, text }) => `${name} ${text}`);
  return `${title}: ${facts.join(", ")}`;
}
