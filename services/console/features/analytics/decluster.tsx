import type { AnalysisQuery } from "../../api/analysis.ts";
import { addressOf } from "../../api/call.ts";
import { startOperation } from "../../api/start-operation.ts";
import type { Catalogue } from "../../model/catalogue.ts";
import { ErrorNotice } from "../../ui/call/error-notice.tsx";
import { Empty } from "../../ui/empty.tsx";
import { Select } from "../../ui/form/select.tsx";
import { SubmitRow } from "../../ui/form/submit-row.tsx";
import { useAttempts } from "../../ui/form/use-attempts.ts";
import { useSubmit } from "../../ui/form/use-submit.ts";
import { DECLUSTER_METHODS, declusterBody, methodIn } from "./decluster-methods.ts";
import { DeclusterOutcome } from "./decluster-outcome.tsx";
import { Elsewhere } from "./elsewhere.tsx";
import { ParameterInput } from "./parameter-input.tsx";
import type { SetParameters } from "./use-parameters.ts";

const DECLUSTER = "POST /api/catalogues/:id/analytics/decluster";

type DeclusterProps = {
  readonly catalogue: Catalogue;
  readonly filters: AnalysisQuery;
  /** The page's address: method, its parameters, and the operation that declusters by them. */
  readonly query: URLSearchParams;
  readonly set: SetParameters;
};

/** Tells main events from foreshocks and aftershocks, and makes catalogues of them. */
export function Decluster({ catalogue, filters, query, set }: DeclusterProps) {
  const { method, typed } = methodIn(query);
  const operation = query.get("operation");
  const attempt = useAttempts();
  const body = declusterBody(method, typed);
  const input = {
    params: { id: catalogue.id },
    query: { asOf: String(catalogue.version), ...filters },
    body,
  };
  const { submit, isBusy, error, problemOf } = useSubmit(async () => {
    const id = await attempt(input, (key) => startOperation(DECLUSTER, input, key));
    set({ operation: id }, "push");
  });
  return (
    <div class="stack">
      <form class="stack" onSubmit={submit}>
        <div class="parameters">
          <Select
            label="Method"
            value={method.value}
            options={DECLUSTER_METHODS}
            onValue={(value) => set({ method: value, operation: "" }, "push")}
          />
          {method.parameters.map((parameter) => (
            <ParameterInput
              key={parameter.name}
              parameter={parameter}
              value={typed[parameter.name] ?? ""}
              problem={problemOf(parameter.name)}
              onValue={(value, how) => set({ [parameter.name]: value, operation: "" }, how)}
            />
          ))}
        </div>
        <SubmitRow text="Decluster" isDisabled={isBusy.value} />
      </form>
      <ErrorNotice error={error.value} />
      <Elsewhere
        catalogue={catalogue}
        filters={filters}
        answer={{ address: addressOf(DECLUSTER, input), body }}
      />
      {operation === null && (
        <Empty
          title="Nothing is declustered yet."
          text="Afterwards you see the numbers of main events, foreshocks and aftershocks, where they are, and can make a catalogue of each. The catalogue itself stays as it is."
        />
      )}
      {operation !== null && (
        <DeclusterOutcome
          key={operation}
          catalogue={catalogue}
          filters={filters}
          operation={operation}
          parameters={method.parameters}
        />
      )}
    </div>
  );
}
