import type { ComparisonAnswer } from "#contracts/http/analytics/comparison.ts";
import { type Chart, type Mark, panelOf } from "#contracts/plots/chart.ts";
import { roundedBy, significant } from "#contracts/plots/numbers.ts";
import { linearOver, rangeOf } from "#contracts/plots/scale.ts";
import { call, type InputOf, send } from "../../api/call.ts";
import { has } from "../../api/session.ts";
import { OperationView, useOperation } from "../../jobs/operation.tsx";
import { Figure, Result, RowsTables, type Table } from "../../plots/chart.tsx";
import { Answered, type Loaded, useCall, Waiting } from "../../ui/call.tsx";
import { csvOf } from "../../ui/text/files.ts";
import { count, decimal, UNKNOWN } from "../../ui/text/format.ts";

export type ComparisonBody = InputOf<"POST /api/compare">["body"];

type Names = { readonly a: string; readonly b: string };

/** What was started, and the names of what is compared. */
type Started = {
  readonly started: { readonly answer: ComparisonAnswer } | { readonly operationId: string };
  readonly names: Names;
};

/** Compares, at once or, with many events, as an operation; nothing without a body. */
export function useComparison(body: ComparisonBody | null): Loaded<Started | null> {
  return useCall(JSON.stringify(body), async (signal) => {
    if (body === null) return null;
    const nameOf = async (id: string) =>
      (await call("GET /api/catalogues/:id", { params: { id } }, { signal })).name;
    const start = async () => {
      const response = await send("POST /api/compare", { body }, { signal });
      const answer = await response.json();
      return response.status === 202 ? { operationId: answer.operationId } : { answer };
    };
    const [started, a, b] = await Promise.all([start(), nameOf(body.a), nameOf(body.b)]);
    return { started, names: { a, b } };
  });
}

type ComparisonProps = {
  readonly body: ComparisonBody;
  readonly comparison: Loaded<Started | null>;
};

/** What the comparison finds, or how far it is. */
export function Comparison({ body, comparison }: ComparisonProps) {
  return (
    <Answered call={comparison} waiting="The catalogues are compared…">
      {({ started, names }) =>
        "operationId" in started ? (
          <Followed id={started.operationId} body={body} names={names} />
        ) : (
          <WithPairs answer={started.answer} body={body} names={names} />
        )
      }
    </Answered>
  );
}

type WithPairsProps = {
  readonly answer: ComparisonAnswer;
  readonly body: ComparisonBody;
  readonly names: Names;
};

function Followed({ id, ...of }: Omit<WithPairsProps, "answer"> & { readonly id: string }) {
  const { operation } = useOperation(id);
  if (operation?.status !== "succeeded") return <OperationView id={id} />;
  return <WithPairs answer={operation.result as unknown as ComparisonAnswer} {...of} />;
}

/** The pairs themselves are only in a merge's preview: for editors, of the latest versions. */
function WithPairs({ answer, body, names }: WithPairsProps) {
  const isKnown = has("editor") && !body.asOfA && !body.asOfB && answer.estimate.matched > 0;
  const pairs = useCall(JSON.stringify([isKnown, body]), (signal) =>
    isKnown ? readPairs(body, signal) : Promise.resolve([]),
  );
  if (pairs.answer === null && pairs.error === null) return <Waiting />;
  return <ComparisonResult answer={answer} names={names} pairs={pairs.answer ?? []} />;
}

/** The first pairs of events by time that have a magnitude in both catalogues. */
async function readPairs(
  { a, b, timeThreshold, distanceThreshold }: ComparisonBody,
  signal: AbortSignal,
): Promise<readonly MagnitudePair[]> {
  const preview = await call(
    "POST /api/merge/preview",
    {
      body: {
        sourceCatalogues: [{ id: a }, { id: b }],
        config: { timeThreshold, distanceThreshold, mergeStrategy: "quality" },
      },
    },
    { signal },
  );
  return preview.groups.flatMap(({ members }) => {
    const [x, y] = [a, b].map((id) => members.find((one) => one.catalogue_id === id));
    if (x?.magnitude == null || y?.magnitude == null) return [];
    return [{ idA: x.event_id, idB: y.event_id, x: x.magnitude, y: y.magnitude }];
  });
}

type ComparisonResultProps = {
  readonly answer: ComparisonAnswer;
  readonly names: Names;
  /** Some of the pairs, where they may be seen. */
  readonly pairs: readonly MagnitudePair[];
};

/** What two catalogues have in common, and how their magnitudes compare. */
function ComparisonResult({ answer, names, pairs }: ComparisonResultProps) {
  const { estimate, parameters, reference } = answer;
  const thresholds = `${significant(parameters.timeThreshold)} s, ${significant(parameters.distanceThreshold)} km`;
  const notes = [
    `a: ${names.a}, version ${count(answer.a.version)} · b: ${names.b}, version ${count(answer.b.version)}`,
    `Events within ${thresholds} · ${count(estimate.matched)} pairs · ${reference}`,
  ];
  const seen =
    pairs.length > 0 ? [`Discs are ${count(pairs.length)} of the pairs, the first by time`] : [];
  const magnitudes = magnitudesChart(answer, pairs, names, [...notes, ...seen]);
  const matches = matchesChart(answer, notes);
  return (
    <div class="analysis">
      <div class="stack">
        {magnitudes && (
          <Figure
            chart={magnitudes}
            name="compared-magnitudes"
            label="Magnitudes of b by those of a, with regression lines"
            csv={
              pairs.length > 0
                ? () =>
                    csvOf(
                      ["id_a", "id_b", "magnitude_a", "magnitude_b"],
                      pairs.map(({ idA, idB, x, y }) => [idA, idB, x, y]),
                    )
                : null
            }
          />
        )}
        <RowsTables
          tables={[
            linesTable(estimate),
            residualsTable(estimate.residuals),
            ...(answer.series.length > 1 ? [typesTable(answer.series)] : []),
          ]}
        />
        {matches && (
          <Figure
            chart={matches}
            name="compared-numbers"
            label="Events of both catalogues by magnitude, in both and in one alone"
            csv={() =>
              csvOf(
                ["magnitude", "a_matched", "a_unmatched", "b_matched", "b_unmatched"],
                answer.bins.map(({ magnitude, a, b }) => [
                  magnitude,
                  ...[a.matched, a.unmatched, b.matched, b.unmatched],
                ]),
              )
            }
          />
        )}
      </div>
      <ComparisonNumbers answer={answer} names={names} thresholds={thresholds} />
    </div>
  );
}

function ComparisonNumbers(
  props: Pick<ComparisonResultProps, "answer" | "names"> & { readonly thresholds: string },
) {
  const { answer, names, thresholds } = props;
  const { estimate, parameters, reference, warnings, reason } = answer;
  const sideOf = (side: "a" | "b") => {
    const { version, events } = answer[side];
    return `${names[side]}, version ${count(version)}, ${count(events)} events`;
  };
  return (
    <Result
      facts={[
        { name: "In both", text: count(estimate.matched) },
        { name: "In a alone", text: count(estimate.unmatched.a) },
        { name: "In b alone", text: count(estimate.unmatched.b) },
        ...(estimate.nearThreshold === null
          ? []
          : [
              {
                name: "Pairs near a threshold (beyond 80 % of it)",
                text: `${significant(100 * estimate.nearThreshold, 3)} %`,
              },
            ]),
      ]}
      nothing={reason ? `No lines: ${reason}.` : null}
      warnings={warnings.map(({ message }) => message)}
      how={[
        { name: "a", text: sideOf("a") },
        { name: "b", text: sideOf("b") },
        { name: "Method", text: "Pairs as in a merge; differences are b − a" },
        { name: "Thresholds", text: thresholds },
        { name: "Variance of errors, b by a (η)", text: significant(parameters.eta) },
        { name: "Reference", text: reference },
      ]}
    />
  );
}

type Estimate = ComparisonAnswer["estimate"];

function linesTable({ ols, gor, theilSen }: Estimate): Table {
  const lines = [
    ["General orthogonal", gor, null],
    ["Theil–Sen", theilSen, theilSen],
    ["Least squares", ols, null],
  ] as const;
  return {
    label: "Regression lines",
    texts: 1,
    heads: ["Line", "Slope", "95 %", "Intercept", "σ of y"],
    rows: lines.flatMap(([name, line, interval]) =>
      line === null
        ? []
        : [
            [
              name,
              decimal(line.slope, 3),
              interval
                ? `${decimal(interval.slopeLow, 3)} to ${decimal(interval.slopeHigh, 3)}`
                : UNKNOWN,
              decimal(line.intercept, 3),
              significant(line.sigma, 2),
            ],
          ],
    ),
  };
}

function residualsTable(residuals: Estimate["residuals"]): Table {
  const rows = [
    ["Time, s", residuals.time],
    ["Distance, km", residuals.distance],
    ["Depth, km", residuals.depth],
    ["Magnitude", residuals.magnitude],
  ] as const;
  return {
    label: "Differences",
    texts: 1,
    heads: ["b − a", "Pairs", "Median", "σ", "5 %", "95 %"],
    rows: rows.flatMap(([name, spread]) => {
      if (spread === null) return [];
      const { n, median, sigma, p05, p95 } = spread;
      const text = (value: number) => (sigma > 0 ? roundedBy(sigma, value) : significant(value, 3));
      return [[name, count(n), ...[median, sigma, p05, p95].map(text)]];
    }),
  };
}

/** By the types of the magnitudes in a and in b, which need not agree. */
function typesTable(series: ComparisonAnswer["series"]): Table {
  return {
    label: "By magnitude types",
    texts: 2,
    heads: ["Type in a", "Type in b", "Pairs", "Median of b − a", "Slope", "Intercept"],
    rows: series.map(({ types, n, magnitude, gor }) => [
      types.a ?? UNKNOWN,
      types.b ?? UNKNOWN,
      count(n),
      decimal(magnitude.median, 2),
      decimal(gor?.slope, 3),
      decimal(gor?.intercept, 3),
    ]),
  };
}

/** The magnitudes of an earthquake in both catalogues, with its events there. */
type MagnitudePair = {
  readonly idA: string;
  readonly idB: string;
  readonly x: number;
  readonly y: number;
};

const LINES = [
  { key: "gor", name: "General orthogonal", colour: 1 },
  { key: "theilSen", name: "Theil–Sen", colour: 2 },
  { key: "ols", name: "Least squares", colour: 3 },
] as const;

/** Magnitudes of b by those of a, with the lines as far as these reach. */
function magnitudesChart(
  { estimate }: Pick<ComparisonAnswer, "estimate">,
  pairs: readonly MagnitudePair[],
  { a, b }: Names,
  notes: readonly string[],
): Chart | null {
  const { range } = estimate;
  const all = rangeOf([
    ...pairs.flatMap(({ x, y }) => [x, y]),
    ...(range ? [range.min, range.max] : []),
  ]);
  if (all === null) return null;
  const axis = linearOver(all);
  const diagonal = [axis.from, axis.to].map((at) => [at, at] as const);
  const points = pairs.map(({ x, y }) => [x, y] as const);
  const discs: Mark = { kind: "discs", name: "Pairs of events", colour: 0, points };
  return {
    title: "Magnitudes of both",
    notes,
    x: { ...axis, label: `a: ${a}` },
    panels: [
      {
        height: 420,
        y: { ...axis, label: `b: ${b}` },
        marks: [
          { kind: "line", name: "y = x", colour: "ink", isDashed: true, points: diagonal },
          ...(pairs.length > 0 ? [discs] : []),
          ...linesOf(estimate),
        ],
      },
    ],
  };
}

function linesOf({ range, ...estimate }: ComparisonAnswer["estimate"]): readonly Mark[] {
  if (range === null) return [];
  return LINES.flatMap(({ key, name, colour }): readonly Mark[] => {
    const line = estimate[key];
    if (line === null) return [];
    const at = (x: number) => [x, line.intercept + line.slope * x] as const;
    return [{ kind: "line", name, colour, points: [at(range.min), at(range.max)] }];
  });
}

/** How many events of each magnitude the other catalogue has too. */
function matchesChart(
  { bins }: Pick<ComparisonAnswer, "bins">,
  notes: readonly string[],
): Chart | null {
  if (bins.length === 0) return null;
  const barsOf = (count: (bin: ComparisonAnswer["bins"][number]) => number) =>
    bins.map((bin) => [bin.magnitude - HALF_BIN, bin.magnitude + HALF_BIN, count(bin)] as const);
  const barsIn = (of: "a" | "b", isNamed: boolean) => {
    const all = barsOf((bin) => bin[of].matched + bin[of].unmatched);
    const both = barsOf((bin) => bin[of].matched);
    return panelOf(
      `Events of ${of}`,
      150,
      { kind: "bars", ...(isNamed && { name: "in one alone" }), colour: 1, bars: all },
      { kind: "bars", ...(isNamed && { name: "in both" }), colour: 0, bars: both },
    );
  };
  return {
    title: "Events that both have, by magnitude",
    notes,
    x: { ...linearOver(bins.map(({ magnitude }) => magnitude)), label: "Magnitude" },
    panels: [barsIn("a", true), barsIn("b", false)],
  };
}

/** Half of the bins' width, magnitude units. */
const HALF_BIN = 0.05;
