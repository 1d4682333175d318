import { useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { Link } from "wouter-preact";
import { call } from "../../api/call.ts";
import { clusterOfPair } from "../../features/merge/clusters/clusters.ts";
import { ClustersPart, type Roles } from "../../features/merge/clusters/clusters-part.tsx";
import { type MergeForm, mergeBodyOf } from "../../features/merge/config/merge-body.ts";
import { SourcesPart, useEntries } from "../../features/merge/config/sources-part.tsx";
import type { AnswerOf, InputOf } from "../../model/operation-types.ts";
import { ErrorNotice } from "../../ui/call/notices.tsx";
import { Field } from "../../ui/form/field.tsx";
import { SubmitRow, useSubmit } from "../../ui/form/submit.tsx";
import { useDraft } from "../../ui/form/use-draft.ts";
import { Empty } from "../../ui/states.tsx";
import { Table } from "../../ui/table.tsx";
import { count, decimal } from "../../ui/text/format.ts";

/** Thresholds of a merge tried on events whose earthquake is known; what is chosen goes into the merge. */
export function Page() {
  return (
    <section class="page">
      <div class="page-head">
        <h1>Evaluate thresholds</h1>
        <Link class="button quiet end" href="/merge">
          Back to the merge
        </Link>
      </div>
      <p class="muted">
        Some catalogues say which earthquake each event is, for example by the ISC’s event id. With
        two of them you see which thresholds find most of the earthquakes, and join the fewest wrong
        ones.
      </p>
      <EvaluationPart />
    </section>
  );
}

const ROLES: Roles = { title: "Event of the pair", first: "first", others: "second" };

const FIELDS: readonly {
  readonly name: keyof EvaluationForm;
  readonly label: string;
  readonly hint: string;
  readonly placeholder?: string;
}[] = [
  {
    name: "truth",
    label: "What names the earthquake",
    hint: "A further attribute of the events; those that have the same value are one earthquake.",
    placeholder: "isc_event_id",
  },
  { name: "timeThresholds", label: "Times to try, s", hint: "With commas between, 20 at most." },
  {
    name: "distanceThresholds",
    label: "Distances to try, km",
    hint: "With commas between, 20 at most.",
  },
];

/** Which thresholds find the earthquakes best, by events that tell which earthquake they are. */
function EvaluationPart() {
  const entries = useEntries();
  const { form } = entries.value;
  const evaluation = useDraft<EvaluationForm>("evaluation", NEW_EVALUATION);
  const answer = useSignal<Evaluation | null>(null);
  const { submit, error, isBusy, problemOf } = useSubmit(async () => {
    const body = evaluationBodyOf(entries.value.form, evaluation.value);
    answer.value = await call("POST /api/merge/evaluate", { body });
  });
  const set = (change: Partial<typeof form>) => {
    entries.value = { ...entries.value, form: { ...entries.value.form, ...change } };
  };
  const choose = ({ timeThreshold, distanceThreshold }: Result) => {
    set({
      timeThreshold: String(timeThreshold),
      distanceThreshold: String(distanceThreshold),
    });
    submit(new Event("submit"));
  };
  return (
    <>
      <form class="columns wide" onSubmit={submit}>
        <SourcesPart
          sources={form.sources}
          problemOf={problemOf}
          onSources={(sources) => set({ sources, priority: "", decided: [] })}
        />
        <section class="panel" aria-label="What is tried">
          <h2>What is tried</h2>
          {FIELDS.map(({ name, ...field }) => (
            <Field
              key={name}
              {...field}
              required
              value={evaluation.value[name]}
              problem={problemOf(name)}
              onValue={(value) => {
                evaluation.value = { ...evaluation.value, [name]: value };
              }}
            />
          ))}
          <ErrorNotice error={error.value} />
          <SubmitRow
            text={isBusy.value ? "Trying…" : "Evaluate"}
            isDisabled={isBusy.value || form.sources.length < 2}
          >
            <span class="muted">Nothing is written.</span>
          </SubmitRow>
        </section>
      </form>
      {answer.value !== null && (
        <Answer
          answer={answer.value}
          isChosen={(one) =>
            one.timeThreshold === Number(form.timeThreshold) &&
            one.distanceThreshold === Number(form.distanceThreshold)
          }
          onChosen={choose}
          sources={form.sources}
          chosen={`${form.timeThreshold} s and ${form.distanceThreshold} km`}
        />
      )}
    </>
  );
}

type AnswerProps = {
  readonly answer: Evaluation;
  readonly isChosen: (result: Result) => boolean;
  readonly onChosen: (result: Result) => void;
  readonly sources: Parameters<typeof ClustersPart>[0]["sources"];
  /** The thresholds of a merge as they are chosen. */
  readonly chosen: string;
};

function Answer({ answer: { results, worst }, isChosen, onChosen, sources, chosen }: AnswerProps) {
  const clusters = useMemo(
    () =>
      worst.map(({ verdict, ...pair }) =>
        clusterOfPair(
          pair,
          verdict === "wrong"
            ? "Wrong: they become one, and are two earthquakes."
            : "Missed: they stay apart, and are one earthquake.",
        ),
      ),
    [worst],
  );
  return (
    <section class="stack" aria-label="Evaluation">
      <h2>How well the thresholds do</h2>
      <p class="muted">
        Right: of the pairs that become one, how many are one earthquake. Found: of the pairs that
        are one earthquake, how many become one. Choose a cell to merge with its thresholds.
      </p>
      <Grid results={results} isChosen={isChosen} onChosen={onChosen} />
      <div class="row">
        <Link class="button primary" href="/merge">
          Merge with {chosen}
        </Link>
      </div>
      <h2>The worst pairs with {chosen}</h2>
      {clusters.length === 0 ? (
        <Empty title="No pair is wrong or missed" text="With these thresholds all are right." />
      ) : (
        <ClustersPart
          key={chosen}
          label="Worst pairs"
          clusters={clusters}
          sources={sources}
          roles={ROLES}
        />
      )}
    </section>
  );
}

type GridProps = {
  readonly results: readonly Result[];
  readonly isChosen: (result: Result) => boolean;
  readonly onChosen: (result: Result) => void;
};

/** Shades of the cells, from the worst to the best. */
const SHADES = 5;

/** How well each pair of thresholds finds the earthquakes: times down, distances across. */
function Grid({ results, isChosen, onChosen }: GridProps) {
  const times = distinct(results.map(({ timeThreshold }) => timeThreshold));
  const distances = distinct(results.map(({ distanceThreshold }) => distanceThreshold));
  const best = bestOf(results);
  const balances = results.map(balanceOf).filter((one) => one !== null);
  const [least, most] = [Math.min(...balances), Math.max(...balances)];
  const shadeOf = (result: Result) => {
    const balance = balanceOf(result);
    if (balance === null || most === least) return undefined;
    return `heat-${Math.round(((balance - least) / (most - least)) * (SHADES - 1))}`;
  };
  return (
    <Table
      label="Precision and recall"
      kind="compact heat"
      columns={["Time", ...distances.map((km) => `${km} km`)]}
    >
      {times.map((seconds) => (
        <tr key={seconds}>
          <th scope="row" class="nowrap">
            {seconds} s
          </th>
          {distances.map((km) => {
            const result = results.find(
              (one) => one.timeThreshold === seconds && one.distanceThreshold === km,
            );
            return (
              <td key={km} class={result && shadeOf(result)}>
                {result && (
                  <button
                    type="button"
                    class="plain"
                    aria-pressed={isChosen(result)}
                    onClick={() => onChosen(result)}
                  >
                    <Cell result={result} isBest={result === best} />
                  </button>
                )}
              </td>
            );
          })}
        </tr>
      ))}
    </Table>
  );
}

type CellProps = { readonly result: Result; readonly isBest: boolean };

function Cell({ result: { precision, recall, pairs, correct, missed }, isBest }: CellProps) {
  return (
    <span title={`${count(correct)} of ${count(pairs)} pairs are right, ${count(missed)} missed`}>
      <strong>{percent(precision)}</strong> right
      <br />
      <strong>{percent(recall)}</strong> found
      {isBest && (
        <>
          <br />
          <span class="badge good">best balance</span>
        </>
      )}
    </span>
  );
}

function distinct(values: readonly number[]): readonly number[] {
  return [...new Set(values)].toSorted((a, b) => a - b);
}

type Body = InputOf<"POST /api/merge/evaluate">["body"];
type Evaluation = AnswerOf<"POST /api/merge/evaluate">;
type Result = Evaluation["results"][number];

/** What is evaluated beside the sources and settings of a merge, as it was typed. */
type EvaluationForm = {
  /** The member of `extra` that names the earthquake. */
  readonly truth: string;
  readonly timeThresholds: string;
  readonly distanceThresholds: string;
};

const NEW_EVALUATION: EvaluationForm = {
  truth: "",
  timeThresholds: "2, 5, 10, 20, 30",
  distanceThresholds: "10, 25, 50, 100",
};

/** The request of a form. */
function evaluationBodyOf(form: MergeForm, evaluation: EvaluationForm): Body {
  const { sourceCatalogues, config } = mergeBodyOf(form, "");
  return {
    sourceCatalogues,
    config,
    truth: evaluation.truth.trim(),
    timeThresholds: numbersOf(evaluation.timeThresholds),
    distanceThresholds: numbersOf(evaluation.distanceThresholds),
  };
}

/** "2, 5 10" → 2, 5, 10. */
function numbersOf(text: string): number[] {
  return text
    .split(/[\s,;]+/)
    .filter((one) => one !== "")
    .map(Number);
}

/** The harmonic mean of precision and recall, 0 to 1; null where either is not known. */
function balanceOf({ precision, recall }: Result): number | null {
  if (precision === null || recall === null) return null;
  return precision + recall === 0 ? 0 : (2 * precision * recall) / (precision + recall);
}

/** The result that balances both best; null without any. */
function bestOf(results: readonly Result[]): Result | null {
  return results.reduce<Result | null>((best, one) => {
    const [own, before] = [balanceOf(one), best === null ? null : balanceOf(best)];
    return own !== null && (before === null || own > before) ? one : best;
  }, null);
}

/** "97.5 %"; a dash where it is not known. */
function percent(share: number | null): string {
  return share === null ? "–" : `${decimal(100 * share, 1)} %`;
}
