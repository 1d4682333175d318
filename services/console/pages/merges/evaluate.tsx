import { useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { type AnswerOf, call } from "../../api/call.ts";
import { clusterOfPair } from "../../features/merge/clusters/clusters.ts";
import { ClustersPart, PAIR_ROLES } from "../../features/merge/clusters/clusters-part.tsx";
import { type MergeForm, mergeBodyOf } from "../../features/merge/config/config.ts";
import { SourcesPart, useEntries } from "../../features/merge/config/sources-part.tsx";
import { input, typedAtFirst, useForm } from "../../ui/form/form.tsx";
import { SubmitRow } from "../../ui/form/submit.tsx";
import { useDraft } from "../../ui/form/use-draft.ts";
import { ButtonLink, Empty, Frame, Panel } from "../../ui/page.tsx";
import { Table } from "../../ui/table.tsx";
import { count, decimal } from "../../ui/text/format.ts";

const NUMBERS = { hint: "With commas between, 20 at most.", required: true } as const;

/** What is evaluated beside the sources and settings of a merge. */
const FIELDS = {
  truth: input({
    label: "What names the earthquake",
    hint: "A further attribute of the events; those that have the same value are one earthquake.",
    placeholder: "isc_event_id",
    required: true,
  }),
  timeThresholds: input(
    { ...NUMBERS, label: "Times to try, s", start: "2, 5, 10, 20, 30" },
    numbersOf,
  ),
  distanceThresholds: input(
    { ...NUMBERS, label: "Distances to try, km", start: "10, 25, 50, 100" },
    numbersOf,
  ),
};
const AT_FIRST = typedAtFirst(FIELDS);

/** Thresholds of a merge tried on events whose earthquake is known; what is chosen goes into the merge. */
export function Page() {
  const entries = useEntries();
  const { form } = entries.value;
  const answer = useSignal<Evaluation | null>(null);
  const { problemOf, names, field, ...submission } = useForm(
    {
      fields: FIELDS,
      run: (_, values) => {
        const { sourceCatalogues, config } = mergeBodyOf(entries.value.form, "");
        return call("POST /api/merge/evaluate", { body: { sourceCatalogues, config, ...values } });
      },
      after: (found) => {
        answer.value = found;
      },
    },
    useDraft("evaluation", AT_FIRST),
  );
  const set = (change: Partial<typeof form>) => {
    entries.value = { ...entries.value, form: { ...entries.value.form, ...change } };
  };
  const choose = ({ timeThreshold, distanceThreshold }: Result) => {
    set({
      timeThreshold: String(timeThreshold),
      distanceThreshold: String(distanceThreshold),
    });
    submission.submit(new Event("submit"));
  };
  return (
    <Frame
      title="Evaluate thresholds"
      back={["/merge", "Back to the merge"]}
      intro="Some catalogues say which earthquake each event is, for example by the ISC’s event id. With two of them you see which thresholds find most of the earthquakes, and join the fewest wrong ones."
    >
      <form class="columns wide" onSubmit={submission.submit}>
        <SourcesPart
          sources={form.sources}
          problemOf={problemOf}
          onSources={(sources) => set({ sources, priority: "", decided: [] })}
        />
        <Panel title="What is tried" aria-label="What is tried">
          {names.map(field)}
          <SubmitRow
            of={submission}
            text="Evaluate"
            busy="Trying…"
            isDisabled={form.sources.length < 2}
          >
            <span class="muted">Nothing is written.</span>
          </SubmitRow>
        </Panel>
      </form>
      {answer.value !== null && <Answer answer={answer.value} form={form} onChosen={choose} />}
    </Frame>
  );
}

type AnswerProps = {
  readonly answer: Evaluation;
  /** The thresholds of a merge as they are chosen. */
  readonly form: MergeForm;
  readonly onChosen: (result: Result) => void;
};

function Answer({ answer: { results, worst }, form, onChosen }: AnswerProps) {
  const chosen = `${form.timeThreshold} s and ${form.distanceThreshold} km`;
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
    <Panel class="stack" aria-label="Evaluation" title="How well the thresholds do">
      <p class="muted">
        Right: of the pairs that become one, how many are one earthquake. Found: of the pairs that
        are one earthquake, how many become one. Choose a cell to merge with its thresholds.
      </p>
      <Grid results={results} form={form} onChosen={onChosen} />
      <div class="row">
        <ButtonLink class="primary" href="/merge" text={`Merge with ${chosen}`} />
      </div>
      <h2>The worst pairs with {chosen}</h2>
      {clusters.length === 0 ? (
        <Empty title="No pair is wrong or missed" text="With these thresholds all are right." />
      ) : (
        <ClustersPart
          key={chosen}
          label="Worst pairs"
          clusters={clusters}
          sources={form.sources}
          roles={PAIR_ROLES}
        />
      )}
    </Panel>
  );
}

/** Shades of the cells, from the worst to the best. */
const SHADES = 5;

type GridProps = Omit<AnswerProps, "answer"> & { readonly results: readonly Result[] };

/** How well each pair of thresholds finds the earthquakes: times down, distances across. */
function Grid({ results, form, onChosen }: GridProps) {
  const distances = distinct(results.map(({ distanceThreshold }) => distanceThreshold));
  const balances = results.map(balanceOf).filter((one) => one !== null);
  const [least, most] = [Math.min(...balances), Math.max(...balances)];
  const best = results.find((one) => balanceOf(one) === most);
  const at = (seconds: number, km: number) =>
    results.find((one) => one.timeThreshold === seconds && one.distanceThreshold === km);
  const shadeOf = (result: Result | undefined) => {
    const balance = result ? balanceOf(result) : null;
    if (balance === null || most === least) return undefined;
    return `heat-${Math.round(((balance - least) / (most - least)) * (SHADES - 1))}`;
  };
  const cell = (result: Result | undefined) => {
    if (!result) return null;
    const { precision, recall, pairs, correct, missed } = result;
    return (
      <button
        type="button"
        class="plain"
        aria-pressed={
          result.timeThreshold === Number(form.timeThreshold) &&
          result.distanceThreshold === Number(form.distanceThreshold)
        }
        onClick={() => onChosen(result)}
      >
        <span
          title={`${count(correct)} of ${count(pairs)} pairs are right, ${count(missed)} missed`}
        >
          <strong>{percent(precision)}</strong> right
          <br />
          <strong>{percent(recall)}</strong> found
          {result === best && (
            <>
              <br />
              <span class="badge good">best balance</span>
            </>
          )}
        </span>
      </button>
    );
  };
  return (
    <Table
      label="Precision and recall"
      kind="compact heat"
      rows={distinct(results.map(({ timeThreshold }) => timeThreshold))}
      columns={[
        { head: "Time", class: "nowrap", isRowHead: true, cell: (seconds) => `${seconds} s` },
        ...distances.map((km) => ({
          head: `${km} km`,
          attributes: (seconds: number) => ({ class: shadeOf(at(seconds, km)) }),
          cell: (seconds: number) => cell(at(seconds, km)),
        })),
      ]}
    />
  );
}

function distinct(values: readonly number[]): readonly number[] {
  return [...new Set(values)].toSorted((a, b) => a - b);
}

type Evaluation = AnswerOf<"POST /api/merge/evaluate">;
type Result = Evaluation["results"][number];

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

/** "97.5 %"; a dash where it is not known. */
function percent(share: number | null): string {
  return share === null ? "–" : `${decimal(100 * share, 1)} %`;
}
