import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { ErrorNotice } from "../../ui/error-notice.tsx";
import { Field } from "../../ui/field.tsx";
import { Select } from "../../ui/select.tsx";
import { theme } from "../../ui/theme.ts";
import { useCall } from "../../ui/use-call.ts";
import { Waiting } from "../../ui/waiting.tsx";
import type { AnalysisTab, Parameter } from "./analyses.ts";
import { type Analysis, type AnalysisQuery, analysisAddress, readAnalysis } from "./analysis.ts";
import { Downloads } from "./downloads.tsx";
import { factsOf } from "./facts.ts";
import { Found } from "./found.tsx";
import type { Catalogue } from "./page.tsx";

/** After this pause in typing the analysis is asked for. */
const PAUSE_MS = 400;

type AnalysisPartProps = {
  readonly catalogue: Catalogue;
  readonly analysis: AnalysisTab;
  readonly filters: AnalysisQuery;
  /** The page's address, in which the parameters stand. */
  readonly query: URLSearchParams;
  readonly onQuery: (query: URLSearchParams) => void;
};

/** One analysis: its parameters, its plot, what it found and how. */
export function AnalysisPart({ catalogue, analysis, filters, query, onQuery }: AnalysisPartProps) {
  const { parameters, plot } = analysis;
  const given = Object.fromEntries(
    parameters.flatMap(({ name }) => {
      const value = query.get(name);
      return value ? [[name, value]] : [];
    }),
  );
  const asked = { asOf: String(catalogue.version), ...filters, ...given };
  const address = analysisAddress(catalogue.id, analysis.analysis, asked);
  const { answer, error } = useCall<Analysis>(address, (signal) => readAnalysis(address, signal));
  const set = (name: string, value: string) => {
    const next = new URLSearchParams(query);
    if (value === "") next.delete(name);
    else next.set(name, value);
    onQuery(next);
  };
  const picture = analysisAddress(catalogue.id, `${plot}.svg`, { ...asked, theme: theme.value });
  const found = answer.value;
  return (
    <div class="analysis">
      <div class="stack">
        <div class="filter-fields">
          {parameters.map((parameter) => (
            <ParameterInput
              key={parameter.name}
              parameter={parameter}
              value={given[parameter.name] ?? ""}
              onValue={(value) => set(parameter.name, value)}
            />
          ))}
        </div>
        {error.value !== null ? (
          <ErrorNotice error={error.value} />
        ) : (
          <img
            class="plot"
            src={picture}
            width={720}
            height={480}
            alt={found ? altOf(analysis.title, found) : analysis.title}
          />
        )}
        {found && error.value === null && (
          <Downloads
            catalogue={catalogue.id}
            plot={plot}
            query={asked}
            answer={found}
            json={address}
          />
        )}
      </div>
      {error.value === null && (found === null ? <Waiting /> : <Found answer={found} />)}
    </div>
  );
}

function altOf(title: string, { estimate, reason }: Analysis): string {
  if (estimate === null) return `${title}: ${reason ?? "no estimate"}`;
  const facts = factsOf(estimate).map(({ name, text }) => `${name} ${text}`);
  return `${title}: ${facts.join(", ")}`;
}

type ParameterInputProps = {
  readonly parameter: Parameter;
  readonly value: string;
  readonly onValue: (value: string) => void;
};

function ParameterInput({ parameter, value, onValue }: ParameterInputProps) {
  const { label, options, unit, placeholder } = parameter;
  const typed = useSignal(value);
  useEffect(() => {
    typed.value = value;
  }, [value]);
  useEffect(() => {
    if (typed.value === value) return;
    const timer = setTimeout(() => onValue(typed.value), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [typed.value]);
  if (options) return <Select label={label} value={value} options={options} onValue={onValue} />;
  return (
    <Field
      label={label}
      unit={unit ?? ""}
      value={typed.value}
      onValue={(text) => {
        typed.value = text;
      }}
      {...(placeholder && { placeholder })}
    />
  );
}
