import { useSignal } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { Link, useSearchParams } from "wouter-preact";
import { call } from "../../api/call.ts";
import {
  type Cluster,
  clustersOfDecided,
  clustersOfGroups,
  clustersOfPairs,
} from "../../features/merge/clusters/clusters.ts";
import {
  ClustersPart,
  PAIR_ROLES,
  type Roles,
} from "../../features/merge/clusters/clusters-part.tsx";
import {
  type Decided,
  type MergeAccess,
  type MergeForm,
  mergeBodyOf,
  type Pair,
  type Preview,
  verdictOf,
  withVerdict,
} from "../../features/merge/config/config.ts";
import { ConfigPart } from "../../features/merge/config/config-part.tsx";
import { NO_ENTRIES, SourcesPart, useEntries } from "../../features/merge/config/sources-part.tsx";
import { usePreview } from "../../features/merge/config/use-preview.ts";
import { MergeCountsLine, OperationView, startOperation } from "../../jobs/operation.tsx";
import { READERS } from "../../ui/access.tsx";
import { useAttempts } from "../../ui/form/attempts.ts";
import { bound, Field, Segmented, Select } from "../../ui/form/fields.tsx";
import { nameProblem, refusedFields, SubmitRow, useSubmit } from "../../ui/form/submit.tsx";
import { Button, Empty, Frame, Panel, Steps } from "../../ui/page.tsx";
import { count, counted } from "../../ui/text/format.ts";

type List = {
  readonly label: string;
  readonly nothing: { readonly title: string; readonly text: string };
  readonly clustersOf: (preview: Preview, form: MergeForm) => readonly Cluster[];
  readonly rolesOf: (form: MergeForm) => Roles;
};

/** The lists of a preview. */
const LISTS = {
  ambiguous: {
    label: "Doubtful pairs",
    nothing: {
      title: "No doubtful pairs",
      text: "None is a little beyond the thresholds, and no magnitudes in a group differ by more than 1.",
    },
    clustersOf: clustersOfPairs,
    rolesOf: () => PAIR_ROLES,
  },
  groups: {
    label: "Groups",
    nothing: {
      title: "No two events are the same earthquake",
      text: "By these thresholds all events stay. Larger ones find more duplicates.",
    },
    clustersOf: ({ groups }, { mergeStrategy }) => clustersOfGroups(groups, mergeStrategy),
    // Of means, which are none of the events, the rest comes from the nearest.
    rolesOf: ({ mergeStrategy }) =>
      mergeStrategy === "average"
        ? { title: "Event of the group", first: "nearest to the mean", others: "others" }
        : { title: "Event of the group", first: "kept", others: "goes into it" },
  },
  decided: {
    label: "Decided pairs",
    nothing: {
      title: "Nothing is decided any more",
      text: "All pairs are as the thresholds have them.",
    },
    clustersOf: (_, { decided }) => clustersOfDecided(decided),
    rolesOf: () => PAIR_ROLES,
  },
} as const satisfies Readonly<Record<string, List>>;
type Listed = keyof typeof LISTS;

const VERDICTS = [
  { value: "undecided", text: "undecided" },
  { value: "same", text: "same earthquake" },
  { value: "different", text: "different" },
] as const;

/** Groups, and pairs, in one answer (`MERGE_LIMITS`). */
const MOST_LISTED = 1_000;

type PreviewPartProps = {
  readonly preview: Preview;
  /** What it was made of. */
  readonly form: MergeForm;
  readonly onDecided: (decided: readonly Decided[]) => void;
  /** Makes it again, where something has been decided since; false where nothing has. */
  readonly again: false | { readonly isBusy: boolean; readonly run: (event: Event) => void };
};

/** What the merge would do, and the pairs that a person should look at. */
function PreviewPart({ preview, form, onDecided, again }: PreviewPartProps) {
  const listed = useSignal<Listed>(preview.ambiguous.length > 0 ? "ambiguous" : "groups");
  const counts = listedCounts(preview);
  const { sources, decided } = form;
  const { label, nothing, clustersOf, rolesOf }: List = LISTS[listed.value];
  const clusters = useMemo(
    () => clustersOf(preview, form),
    [preview, listed.value, listed.value === "decided" ? decided : null],
  );
  const nameOf = ({ source_id: id, event_id }: Pair["first"]) => id ?? event_id.slice(0, 8);
  const section = useRef<HTMLElement>(null);
  useEffect(() => section.current?.scrollIntoView({ block: "start" }), []);
  return (
    <section class="stack merge-preview" aria-label="Preview" ref={section}>
      <h2>Preview</h2>
      <MergeCountsLine counts={preview} />
      {again && (
        <div class="notice" role="status">
          <span>
            {decided.length === 0
              ? "Nothing is decided any more."
              : `${counted(decided.length, "pair")} decided. The merge does as you say.`}
          </span>
          <Button
            disabled={again.isBusy}
            onClick={again.run}
            text={again.isBusy ? "Looking…" : "Preview again"}
          />
        </div>
      )}
      <Segmented
        legend="What is listed"
        hasHiddenLegend
        value={listed.value}
        options={[
          { value: "ambiguous", text: `Doubtful pairs (${counts.ambiguous})` },
          { value: "groups", text: `Groups (${counts.groups})` },
          ...(decided.length > 0 || listed.value === "decided"
            ? [{ value: "decided" as const, text: `Decided (${count(decided.length)})` }]
            : []),
        ]}
        onValue={(value) => {
          listed.value = value;
        }}
      />
      {preview.truncated && (
        <p class="muted">
          At most {count(MOST_LISTED)} of each are listed; the merge takes all of them.
        </p>
      )}
      {clusters.length === 0 ? (
        <Empty {...nothing} />
      ) : (
        <>
          {listed.value === "ambiguous" && (
            <p class="muted">
              Pairs that stay apart although they are within one and a half times the thresholds,
              and pairs that become one although their magnitudes differ by more than 1. What you
              decide here holds whatever the thresholds, and in all later refreshes of the merge.
            </p>
          )}
          <ClustersPart
            key={label}
            label={label}
            clusters={clusters}
            sources={sources}
            roles={rolesOf(form)}
            actionsOf={({ pair }) =>
              pair && (
                <Segmented
                  legend={`What ${nameOf(pair.first)} and ${nameOf(pair.second)} are`}
                  hasHiddenLegend
                  value={verdictOf(decided, pair) ?? "undecided"}
                  options={VERDICTS}
                  onValue={(value) => {
                    const verdict = value === "undecided" ? null : value;
                    onDecided(withVerdict(decided, pair, verdict));
                  }}
                />
              )
            }
          />
        </>
      )}
    </section>
  );
}

const STEPS = ["Sources", "Thresholds", "Preview", "Merge"];

const LEAST_SOURCES = 2;

/** The operation stands in the address, so that its progress is found again after a reload. */
export function Page() {
  const [query, setQuery] = useSearchParams();
  const operation = query.get("operation");
  return (
    <Frame title="Merge catalogues" back={operation !== null && ["/merge", "Another merge"]}>
      {operation === null ? (
        <MergeWizard onStarted={(id) => setQuery({ operation: id })} />
      ) : (
        <>
          <Steps names={STEPS} at={STEPS.length - 1} />
          <OperationView key={operation} id={operation} />
        </>
      )}
    </Frame>
  );
}

/** Nothing is merged before its preview has been seen. */
function MergeWizard({ onStarted }: { readonly onStarted: (operation: string) => void }) {
  const { entries, preview, set, decide, again, ...submission } = usePreviewed();
  const { submit, error, isBusy, problemOf } = submission;
  const { form, name } = entries.value;
  const hasSources = form.sources.length >= LEAST_SOURCES;
  return (
    <>
      <Steps names={STEPS} at={stepOf(hasSources, preview.value !== null, name)} />
      <form class="columns wide" onSubmit={submit}>
        <SourcesPart
          sources={form.sources}
          problemOf={problemOf}
          onSources={(sources) => set({ sources, priority: "", decided: [] })}
        />
        <div class="stack">
          <ConfigPart
            form={form}
            labels={form.sources.map(({ label }) => label)}
            set={set}
            problemOf={problemOf}
            refused={refusedFields(error.value)}
          />
          <p class="muted">
            If the events tell which earthquake they are,{" "}
            <Link href="/merge/evaluate">evaluate thresholds</Link> by that.
          </p>
          <SubmitRow
            of={submission}
            text="Preview"
            busy="Looking for pairs…"
            class={preview.value === null ? "primary" : ""}
            isDisabled={!hasSources}
          >
            <span class="muted">
              {hasSources
                ? "Nothing is written before you have seen it."
                : "Choose at least two catalogues."}
            </span>
          </SubmitRow>
        </div>
      </form>
      {preview.value !== null && (
        <>
          <PreviewPart
            preview={preview.value}
            form={form}
            onDecided={decide}
            again={again.value && { isBusy: isBusy.value, run: submit }}
          />
          <RunPart
            form={form}
            name={name}
            onName={(typed) => (entries.value = { ...entries.value, name: typed })}
            onStarted={(operation) => {
              entries.value = NO_ENTRIES;
              onStarted(operation);
            }}
          />
        </>
      )}
    </>
  );
}

/** What is entered, and its preview. */
function usePreviewed() {
  const entries = useEntries();
  /** Something has been decided since the preview was made. */
  const again = useSignal(false);
  const { form, name, isPreviewed } = entries.value;
  const { clear, ...previewed } = usePreview(async (signal) => {
    const preview = await call(
      "POST /api/merge/preview",
      { body: mergeBodyOf(form, "") },
      { signal },
    );
    again.value = false;
    entries.value = { ...entries.value, isPreviewed: true };
    return preview;
  });
  useEffect(() => {
    if (isPreviewed) previewed.submit(new Event("submit"));
  }, []);
  const set = (change: Partial<MergeForm>) => {
    clear();
    entries.value = { name, form: { ...form, ...change }, isPreviewed: false };
  };
  // The preview stays in sight: others are decided in it.
  const decide = (decided: readonly Decided[]) => {
    entries.value = { ...entries.value, form: { ...form, decided } };
    again.value = true;
  };
  return { ...previewed, entries, set, decide, again };
}

/** Each step begins when the one before has what it needs. */
function stepOf(hasSources: boolean, hasPreview: boolean, name: string): number {
  if (!hasSources) return 0;
  if (!hasPreview) return 1;
  return name.trim() === "" ? 2 : 3;
}

type RunPartProps = {
  readonly onStarted: (operation: string) => void;
  readonly form: MergeForm;
  readonly name: string;
  readonly onName: (name: string) => void;
};

const AS_SOURCES = "Restricted where one of its sources is, else internal.";

const ACCESSES: readonly { readonly value: MergeAccess; readonly text: string }[] = [
  { value: "", text: "as its sources" },
  ...Object.keys(READERS).map((access) => ({ value: access as MergeAccess, text: access })),
];

/** Names the new catalogue, says who reads it, and merges. */
function RunPart({ form, name, onName, onStarted }: RunPartProps) {
  const access = useSignal<MergeAccess>("");
  const attempt = useAttempts();
  const submission = useSubmit(async () => {
    const body = mergeBodyOf(form, name, access.value);
    onStarted(await attempt(body, (key) => startOperation("POST /api/merge", { body }, key)));
  });
  return (
    <Panel title="Merged catalogue" aria-label="Merged catalogue">
      <div class="columns">
        <form onSubmit={submission.submit}>
          <Field
            label="Name"
            required
            value={name}
            problem={submission.problemOf("name") ?? nameProblem(submission.error.value)}
            onValue={onName}
          />
          <Select
            label="Access"
            {...bound(access)}
            options={ACCESSES}
            hint={access.value === "" ? AS_SOURCES : READERS[access.value]}
            problem={submission.problemOf("access")}
          />
          <SubmitRow of={submission} text="Merge" busy="Starting…" />
        </form>
        <p class="muted">
          Each event of the new catalogue names the events that it stands for, where they come from
          and how they scored. The sources stay as they are.
        </p>
      </div>
    </Panel>
  );
}

/**
 * How many groups and pairs there are, and how many of them are listed. Of the groups the service
 * counts all; of the pairs it says only whether something is missing, in one word for both lists.
 */
function listedCounts({ ambiguous, groups, duplicateGroups, truncated }: Preview) {
  const areGroupsCut = groups.length < duplicateGroups;
  const listed = count(groups.length);
  const pairs = count(ambiguous.length);
  const hasMore = ambiguous.length >= groups.length;
  return {
    groups: areGroupsCut ? `${listed} of ${count(duplicateGroups)}` : listed,
    ambiguous: !truncated
      ? pairs
      : areGroupsCut
        ? `${pairs}${hasMore ? " or more" : ""}`
        : `more than ${pairs}`,
  };
}
