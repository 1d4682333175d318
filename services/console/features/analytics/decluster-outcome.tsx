import { useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { useLocation } from "wouter-preact";
import type { DeclusterAnswer } from "#contracts/http/analytics/declustering.ts";
import type { AnalysisQuery } from "../../api/analysis.ts";
import { call } from "../../api/call.ts";
import { readColumns } from "../../api/columns.ts";
import { EVENT_ROW, eventRow } from "../../api/event-rows.ts";
import { OperationView } from "../../jobs/operation-view.tsx";
import { useOperation } from "../../jobs/use-operation.ts";
import { EventMap } from "../../map/event-map.tsx";
import type { Catalogue } from "../../model/catalogue.ts";
import type { EventColumns } from "../../model/event-columns.ts";
import { Figure } from "../../plots/chart/figure.tsx";
import { Answered } from "../../ui/call/answered.tsx";
import { ErrorNotice } from "../../ui/call/error-notice.tsx";
import { notice } from "../../ui/call/notices.tsx";
import { useCall } from "../../ui/call/use-call.ts";
import { bound } from "../../ui/form/bound.ts";
import { Field } from "../../ui/form/field.tsx";
import { Select } from "../../ui/form/select.tsx";
import { SubmitRow } from "../../ui/form/submit-row.tsx";
import { useAttempts } from "../../ui/form/use-attempts.ts";
import { useSubmit } from "../../ui/form/use-submit.ts";
import { csvOf } from "../../ui/text/csv.ts";
import { AnalysisResult } from "./analysis-result.tsx";
import { notesOf } from "./notes.ts";
import type { Parameter } from "./parameters.ts";
import {
  cumulativeChart,
  type Label,
  labelsInOrder,
  ROLES,
  type Role,
  readLabels,
  roleClasses,
} from "./roles.ts";

type OutcomeProps = {
  readonly catalogue: Catalogue;
  readonly filters: AnalysisQuery;
  readonly operation: string;
  readonly parameters: readonly Parameter[];
};

/** A declustering as it goes on, then what came of it. */
export function DeclusterOutcome({ catalogue, filters, operation: id, parameters }: OutcomeProps) {
  const { operation } = useOperation(id);
  if (operation?.status !== "succeeded") return <OperationView id={id} />;
  const answer = operation.result as unknown as DeclusterAnswer;
  return (
    <div class="analysis">
      <Declustered
        catalogue={catalogue}
        filters={filters}
        answer={answer}
        notes={notesOf(catalogue, answer, parameters)}
      />
      <div class="stack">
        <AnalysisResult answer={answer} parameters={parameters} />
        <MakeCatalogue catalogue={catalogue} result={answer.result} />
      </div>
    </div>
  );
}

type DeclusteredProps = {
  readonly catalogue: Catalogue;
  readonly filters: AnalysisQuery;
  readonly answer: DeclusterAnswer;
  readonly notes: readonly string[];
};

function Declustered({ catalogue, filters, answer, notes }: DeclusteredProps) {
  const { result, version } = answer;
  const labelled = useCall(result, async (signal) => {
    const query = { ...filters, asOf: String(version) };
    const [columns, labels] = await Promise.all([
      readColumns(catalogue.id, query, [], { signal }),
      readLabels(catalogue.id, result, signal),
    ]);
    return { columns, labels: labelsInOrder(columns, labels) };
  });
  return (
    <Answered call={labelled} waiting="The events and their roles are read…">
      {(read) => <Roles {...read} notes={notes} />}
    </Answered>
  );
}

type RolesProps = {
  readonly columns: EventColumns;
  readonly labels: readonly (Label | null)[];
  readonly notes: readonly string[];
};

/** The events by their roles: on a map, and as they add up over time. */
function Roles({ columns, labels, notes }: RolesProps) {
  const selected = useSignal<number | null>(null);
  const classes = useMemo(() => roleClasses(labels), [labels]);
  const chart = useMemo(() => cumulativeChart(columns, labels, notes), [columns, labels]);
  const csv = () =>
    csvOf(
      [...EVENT_ROW, "cluster", "role"],
      labels.map((label, i) => [...eventRow(columns, i), label?.cluster, label?.role]),
    );
  return (
    <div class="stack">
      <Figure
        chart={chart}
        label="Cumulative number of all events and of main events over time"
        name="declustered"
        csv={csv}
      />
      <div class="role-map">
        <EventMap columns={columns} selected={selected} colours={classes} />
      </div>
    </div>
  );
}

type MakeCatalogueProps = { readonly catalogue: Catalogue; readonly result: string };

/** A catalogue of the events of one role. */
function MakeCatalogue({ catalogue, result }: MakeCatalogueProps) {
  const role = useSignal<Role>("main");
  const name = useSignal(`${catalogue.name}, main events`);
  const [, navigate] = useLocation();
  const attempt = useAttempts(result);
  const { submit, isBusy, error, problemOf } = useSubmit(async () => {
    const input = {
      params: { id: catalogue.id, result },
      body: { name: name.value, role: role.value },
    };
    const { catalogueId } = await attempt(input, (idempotencyKey) =>
      call("POST /api/catalogues/:id/analytics/decluster/:result/catalogue", input, {
        idempotencyKey,
      }),
    );
    notice.done("The catalogue is made; it is not public");
    navigate(`/catalogues/${catalogueId}`);
  });
  return (
    <form class="panel" onSubmit={submit}>
      <h2>Make a catalogue</h2>
      <Select label="Of the" {...bound(role)} options={ROLES} />
      <Field label="Name" required {...bound(name)} problem={problemOf("name")} />
      <ErrorNotice error={error.value} />
      <SubmitRow text="Make it" isDisabled={isBusy.value} />
    </form>
  );
}
