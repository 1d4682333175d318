import { useSignal } from "@preact/signals";
import { useLocation } from "wouter-preact";
import { call, send } from "../../api/call.ts";
import { ErrorNotice } from "../../ui/error-notice.tsx";
import { Field } from "../../ui/field.tsx";
import { notice } from "../../ui/notices.tsx";
import { Select } from "../../ui/select.tsx";
import { useSubmit } from "../../ui/use-submit.ts";
import { OperationView } from "../operations/operation-view.tsx";
import { useOperation } from "../operations/use-operation.ts";
import type { Analysis, AnalysisQuery } from "./analysis.ts";
import { Found } from "./found.tsx";
import type { Catalogue } from "./page.tsx";

const METHODS = [
  { value: "gardner-knopoff", text: "Gardner–Knopoff windows" },
  { value: "reasenberg", text: "Reasenberg" },
  { value: "nearest-neighbour", text: "Nearest neighbour" },
] as const;
type Method = (typeof METHODS)[number]["value"];

type DeclusterProps = { readonly catalogue: Catalogue; readonly filters: AnalysisQuery };

/** Tells main events from foreshocks and aftershocks, and makes catalogues of them. */
export function Decluster({ catalogue, filters }: DeclusterProps) {
  const method = useSignal<Method>("gardner-knopoff");
  const operation = useSignal<string | null>(null);
  const { submit, isBusy, error } = useSubmit(async () => {
    operation.value = null;
    const response = await send(
      "POST /api/catalogues/:id/analytics/decluster",
      {
        params: { id: catalogue.id },
        query: { asOf: String(catalogue.version), ...filters },
        body: { method: method.value },
      },
      { inBackground: true, idempotencyKey: crypto.randomUUID() },
    );
    const { operationId } = (await response.json()) as { operationId: string };
    operation.value = operationId;
  });
  return (
    <div class="stack">
      <form class="row" onSubmit={submit}>
        <Select
          label="Method"
          value={method.value}
          options={METHODS}
          onValue={(value) => {
            method.value = value;
          }}
        />
        <button type="submit" class="primary" disabled={isBusy.value}>
          Decluster
        </button>
      </form>
      {error.value !== null && <ErrorNotice error={error.value} />}
      {operation.value !== null && (
        <Outcome key={operation.value} catalogue={catalogue} operation={operation.value} />
      )}
    </div>
  );
}

type Answer = Analysis & { readonly result: string };
type OutcomeProps = { readonly catalogue: Catalogue; readonly operation: string };

function Outcome({ catalogue, operation: id }: OutcomeProps) {
  const { operation } = useOperation(id);
  if (operation?.status !== "succeeded") return <OperationView id={id} />;
  const answer = operation.result as unknown as Answer;
  return (
    <>
      <Found answer={answer} />
      <MakeCatalogue catalogue={catalogue} result={answer.result} />
    </>
  );
}

const ROLES = [
  { value: "main", text: "main events" },
  { value: "fore", text: "foreshocks" },
  { value: "after", text: "aftershocks" },
] as const;
type Role = (typeof ROLES)[number]["value"];

type MakeCatalogueProps = { readonly catalogue: Catalogue; readonly result: string };

function MakeCatalogue({ catalogue, result }: MakeCatalogueProps) {
  const role = useSignal<Role>("main");
  const name = useSignal(`${catalogue.name}, main events`);
  const [, navigate] = useLocation();
  const { submit, isBusy, error, problemOf } = useSubmit(async () => {
    const { catalogueId } = await call(
      "POST /api/catalogues/:id/analytics/decluster/:result/catalogue",
      { params: { id: catalogue.id, result }, body: { name: name.value, role: role.value } },
      { idempotencyKey: crypto.randomUUID() },
    );
    notice.done("The catalogue is made; it is private");
    navigate(`/catalogues/${catalogueId}`);
  });
  return (
    <form class="panel" onSubmit={submit}>
      <h2>Make a catalogue</h2>
      <Select
        label="Of the"
        value={role.value}
        options={ROLES}
        onValue={(value) => {
          role.value = value;
        }}
      />
      <Field
        label="Name"
        required
        value={name.value}
        onValue={(value) => {
          name.value = value;
        }}
        problem={problemOf("name")}
      />
      {error.value !== null && <ErrorNotice error={error.value} />}
      <div class="row">
        <button type="submit" class="primary" disabled={isBusy.value}>
          Make it
        </button>
      </div>
    </form>
  );
}
