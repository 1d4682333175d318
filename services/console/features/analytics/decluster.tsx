import { useSignal } from "@preact/signals";
import { useLocation } from "wouter-preact";
import type { DeclusterAnswer } from "#contracts/http/analytics/declustering.ts";
import { type Chart, type Point, panelOf } from "#contracts/plots/chart.ts";
import {
  type AnswerOf,
  addressOf,
  type Catalogue,
  call,
  callForAll,
  type InputOf,
} from "../../api/call.ts";
import { readColumns } from "../../api/columns.ts";
import type { Classes } from "../../drawing/classes.ts";
import { GREY, KIND_COLOURS } from "../../drawing/colours.ts";
import { OperationView, startOperation, useOperation } from "../../jobs/operation.tsx";
import { EventMap } from "../../map/event-map.tsx";
import type { EventColumns } from "../../model/event-columns.ts";
import { Figure } from "../../plots/chart.tsx";
import { stretchOf, timeBins } from "../../plots/histogram.ts";
import { Answered, ErrorNotice, useCall } from "../../ui/call.tsx";
import { useAttempts } from "../../ui/form/attempts.ts";
import { Select } from "../../ui/form/fields.tsx";
import { choice, Form, input, optionsOf } from "../../ui/form/form.tsx";
import { SubmitRow, useSubmit } from "../../ui/form/submit.tsx";
import { Empty } from "../../ui/page.tsx";
import { csvOf } from "../../ui/text/files.ts";
import { AnalysisResult, notesOf } from "./analysis-result.tsx";
import { EVENT_ROW, eventRow } from "./csv.ts";
import { Elsewhere } from "./elsewhere.tsx";
import {
  PARAMETERS,
  type Parameter,
  ParameterInputs,
  type PartProps,
  valuesIn,
} from "./parameters.tsx";

const DECLUSTER = "POST /api/catalogues/:id/analytics/decluster";

/** Tells main events from foreshocks and aftershocks, and makes catalogues of them; the address has the method and the operation too. */
export function Decluster({ catalogue, filters, query, set }: PartProps) {
  const [first] = DECLUSTER_METHODS;
  const method = DECLUSTER_METHODS.find(({ value }) => value === query.get("method")) ?? first;
  const typed = valuesIn(query, method.parameters);
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
        <ParameterInputs
          parameters={method.parameters}
          values={typed}
          problemOf={problemOf}
          set={(values, how) => set({ ...values, operation: "" }, how)}
        >
          <Select
            label="Method"
            value={method.value}
            options={DECLUSTER_METHODS}
            onValue={(value) => set({ method: value, operation: "" }, "push")}
          />
        </ParameterInputs>
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

type DeclusterBody = InputOf<typeof DECLUSTER>["body"];

type Method = {
  readonly value: DeclusterBody["method"];
  readonly text: string;
  readonly parameters: readonly Parameter[];
};

/** The methods with their parameters; placeholders are the API's defaults. */
const DECLUSTER_METHODS: readonly [Method, ...Method[]] = [
  {
    value: "gardner-knopoff",
    text: "Gardner–Knopoff windows",
    parameters: [
      {
        name: "window",
        label: "Window",
        options: optionsOf({
          "": "Gardner & Knopoff, fitted",
          "gk-table": "Gardner & Knopoff, table",
          uhrhammer: "Uhrhammer",
          gruenthal: "Grünthal",
        }),
      },
      {
        name: "foreshockFraction",
        label: "Before the main event",
        unit: "of the window, 0 to 1",
        placeholder: "1",
      },
      {
        name: "linked",
        label: "Aftershocks have aftershocks of their own",
        options: optionsOf({ "": "No", true: "Yes" }),
      },
    ],
  },
  {
    value: "reasenberg",
    text: "Reasenberg",
    parameters: [
      { name: "tau0", label: "τ0", unit: "days", placeholder: "1" },
      { name: "tauMin", label: "τ min", unit: "days", placeholder: "1" },
      { name: "tauMax", label: "τ max", unit: "days", placeholder: "10" },
      { name: "p", label: "Probability p", placeholder: "0.95" },
      { name: "xk", label: "xk", placeholder: "0.5" },
      { name: "xmeff", label: "Effective magnitude", placeholder: "lowest" },
      { name: "rfact", label: "rfact", unit: "crack radii", placeholder: "10" },
    ],
  },
  {
    value: "nearest-neighbour",
    text: "Nearest neighbour",
    parameters: [PARAMETERS.df, PARAMETERS.b, PARAMETERS.threshold],
  },
];

/** What is sent: numbers as numbers; what is none goes as it was typed, and the service says so. */
function declusterBody(
  { value, parameters }: Method,
  typed: Readonly<Record<string, string>>,
): DeclusterBody {
  const values = parameters.flatMap(({ name, options }): [string, string | number | boolean][] => {
    const text = typed[name];
    if (!text) return [];
    if (text === "true") return [[name, true]];
    const number = Number(text);
    return [[name, options || Number.isNaN(number) ? text : number]];
  });
  return { method: value, ...Object.fromEntries(values) } as DeclusterBody;
}

type OutcomeProps = Pick<PartProps, "catalogue" | "filters"> & {
  readonly operation: string;
  readonly parameters: readonly Parameter[];
};

/** A declustering as it goes on, then what came of it. */
function DeclusterOutcome(props: OutcomeProps) {
  const { catalogue, parameters } = props;
  const { operation } = useOperation(props.operation);
  if (operation?.status !== "succeeded") return <OperationView id={props.operation} />;
  const answer = operation.result as unknown as DeclusterAnswer;
  return (
    <div class="analysis">
      <Roles {...props} answer={answer} />
      <div class="stack">
        <AnalysisResult answer={answer} parameters={parameters} />
        <MakeCatalogue catalogue={catalogue} result={answer.result} />
      </div>
    </div>
  );
}

/** The events by their roles: on a map, and as they add up over time. */
function Roles(props: OutcomeProps & { readonly answer: DeclusterAnswer }) {
  const { catalogue, filters, parameters, answer } = props;
  const { result, version } = answer;
  const selected = useSignal<number | null>(null);
  const labelled = useCall(result, async (signal) => {
    const query = { ...filters, asOf: String(version) };
    const [columns, read] = await Promise.all([
      readColumns(catalogue.id, query, [], { signal }),
      callForAll(
        LABELS,
        { params: { id: catalogue.id, result }, query: { limit: PAGE } },
        { signal },
      ),
    ]);
    if (columns.total !== undefined) throw new Error("These are more events than a page can show");
    const byId = new Map(read.answer.events.map((label) => [label.id, label]));
    const labels = Array.from({ length: columns.count }, (_, i) => {
      return byId.get(columns.idOf(i)) ?? null;
    });
    const csv = () =>
      csvOf(
        [...EVENT_ROW, "cluster", "role"],
        labels.map((label, i) => [...eventRow(columns, i), label?.cluster, label?.role]),
      );
    const notes = notesOf(catalogue, answer, parameters);
    const chart = cumulativeChart(columns, labels, notes);
    return { columns, colours: roleClasses(labels), chart, csv };
  });
  return (
    <Answered call={labelled} waiting="The events and their roles are read…">
      {({ columns, colours, chart, csv }) => (
        <div class="stack">
          <Figure
            chart={chart}
            label="Cumulative number of all events and of main events over time"
            name="declustered"
            csv={csv}
          />
          <div class="role-map">
            <EventMap columns={columns} selected={selected} colours={colours} />
          </div>
        </div>
      )}
    </Answered>
  );
}

/** A catalogue of the events of one role. */
function MakeCatalogue(props: { readonly catalogue: Catalogue; readonly result: string }) {
  const { catalogue, result } = props;
  const [, navigate] = useLocation();
  return (
    <Form
      class="panel"
      above={<h2>Make a catalogue</h2>}
      fields={{
        role: choice("Of the", ROLES),
        name: input({ label: "Name", required: true, start: `${catalogue.name}, main events` }),
      }}
      action="Make it"
      run={(options, body) =>
        call(
          "POST /api/catalogues/:id/analytics/decluster/:result/catalogue",
          { params: { id: catalogue.id, result }, body },
          options,
        )
      }
      done="The catalogue is made; it is not public"
      after={({ catalogueId }) => navigate(`/catalogues/${catalogueId}`)}
    />
  );
}

const LABELS = "GET /api/catalogues/:id/analytics/decluster/:result/events";
type Label = AnswerOf<typeof LABELS>["events"][number];

const ROLES = optionsOf<Label["role"]>({
  main: "main events",
  fore: "foreshocks",
  after: "aftershocks",
});

/** As many as one answer holds. */
const PAGE = 10_000;

/** Classes of the events by their role; the last is of those that were not declustered. */
function roleClasses(labels: readonly (Label | null)[]): Classes {
  const unknown = ROLES.length;
  return {
    title: "Role",
    classes: [
      ...ROLES.map(({ text }, i) => ({ label: text, colour: KIND_COLOURS[i] ?? GREY })),
      ...(labels.includes(null) ? [{ label: "without one", colour: GREY }] : []),
    ],
    classOf: Uint8Array.from(labels, (label) =>
      label === null ? unknown : ROLES.findIndex(({ value }) => value === label.role),
    ),
  };
}

/** Parts of the time axis after each of which the events so far are told. */
const STEPS = 600;

/** How many events, and how many main ones, there have been up to each time. */
function cumulativeChart(
  { time }: Pick<EventColumns, "time">,
  labels: readonly (Label | null)[],
  notes: readonly string[],
): Chart {
  const [from, to] = stretchOf(time);
  const sums = (isMeant: (label: Label) => boolean) => {
    const indexes = labels.flatMap((label, i) => (label && isMeant(label) ? [i] : []));
    const counts = timeBins(time, Uint32Array.from(indexes), [from, to], STEPS);
    let sum = 0;
    const points = Array.from(counts, (n, i): Point => {
      sum += n;
      return [from + ((i + 1) / STEPS) * (to - from), sum];
    });
    return [[from, 0] as const, ...points];
  };
  const all = { kind: "line", name: "All events", colour: 0, points: sums(() => true) } as const;
  const main = sums(({ role }) => role === "main");
  return {
    title: "Cumulative number of events",
    notes,
    x: { kind: "time", from, to, label: "Time, UTC" },
    panels: [panelOf("Events", 280, all, { ...all, name: "Main events", colour: 1, points: main })],
  };
}
