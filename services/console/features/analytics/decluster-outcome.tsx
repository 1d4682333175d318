import { useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import type { DeclusterAnswer } from "#contracts/http/analytics/decluster.ts";
import type { AnalysisQuery } from "../../api/analysis.ts";
import { readColumns } from "../../api/columns.ts";
import { EVENT_ROW, eventRow } from "../../api/event-rows.ts";
import { OperationView } from "../../jobs/operation-view.tsx";
import { useOperation } from "../../jobs/use-operation.ts";
import { EventMap } from "../../map/event-map.tsx";
import type { Catalogue } from "../../model/catalogue.ts";
import type { EventColumns } from "../../model/event-columns.ts";
import { Figure } from "../../plots/chart/figure.tsx";
import { Answered } from "../../ui/call/answered.tsx";
import { useCall } from "../../ui/call/use-call.ts";
import { csvOf } from "../../ui/text/csv.ts";
import { AnalysisResult } from "./analysis-result.tsx";
import { MakeCatalogue } from "./make-catalogue.tsx";
import { notesOf } from "./notes.ts";
import type { Parameter } from "./parameters.ts";
import { cumulativeChart, type Label, labelsInOrder, readLabels, roleClasses } from "./roles.ts";

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
