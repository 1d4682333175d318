import { useSignal } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { Link } from "wouter-preact";
import { call } from "../../api/call.ts";
import { nameProblem } from "../../api/name-problem.ts";
import { startOperation } from "../../jobs/operation.ts";
import { MergeCountsLine } from "../../jobs/outcome.tsx";
import { READERS } from "../../ui/access.tsx";
import { ErrorNotice } from "../../ui/call/notices.tsx";
import { useAttempts } from "../../ui/form/attempts.ts";
import { bound, Field } from "../../ui/form/field.tsx";
import { Select } from "../../ui/form/inputs.tsx";
import { Segmented } from "../../ui/form/segmented.tsx";
import { refusedFields, SubmitRow, useSubmit } from "../../ui/form/submit.tsx";
import { Empty } from "../../ui/states.tsx";
import { count, counted } from "../../ui/text/format.ts";
import { Steps } from "../../ui/ways.tsx";
import {
  type Cluster,
  clustersOfDecided,
  clustersOfGroups,
  clustersOfPairs,
} from "./clusters/clusters.ts";
import { ClustersPart, type Roles } from "./clusters/clusters-part.tsx";
import { ConfigPart } from "./config/config-part.tsx";
import { type Decided, type Verdict, verdictOf, withVerdict } from "./config/decided.ts";
import {
  type MergeAccess,
  type MergeForm,
  mergeBodyOf,
  type Pair,
  type Preview,
} from "./config/merge-body.ts";
import { NO_ENTRIES, SourcesPart, useEntries } from "./config/sources-part.tsx";

/** Which of a preview's lists. */
type Listed = "ambiguous" | "groups" | "decided";

const PAIR_ROLES: Roles = { title: "Event of the pair", first: "first", others: "second" };
const GROUP_ROLES: Roles = { title: "Event of the group", first: "kept", others: "goes into it" };
/** Of means, which are none of the events: the rest comes from the nearest. */
const MEAN_ROLES: Roles = {
  title: "Event of the group",
  first: "nearest to the mean",
  others: "others",
};

const LABELS: Readonly<Record<Listed, string>> = {
  ambiguous: "Doubtful pairs",
  groups: "Groups",
  decided: "Decided pairs",
};

const NOTHING: Readonly<Record<Listed, { readonly title: string; readonly text: string }>> = {
  ambiguous: {
    title: "No doubtful pairs",
    text: "None is a little beyond the thresholds, and no magnitudes in a group differ by more than 1.",
  },
  groups: {
    title: "No two events are the same earthquake",
    text: "By these thresholds all events stay. Larger ones find more duplicates.",
  },
  decided: {
    title: "Nothing is decided any more",
    text: "All pairs are as the thresholds have them.",
  },
};

type ListedPartProps = {
  readonly listed: Listed;
  readonly preview: Preview;
  readonly form: MergeForm;
  readonly onDecided: (decided: readonly Decided[]) => void;
};

/** One of a preview's lists, with its map. */
function ListedPart({ listed, preview, form, onDecided }: ListedPartProps) {
  const { sources, decided } = form;
  const clusters = useMemo(
    () => clustersOf(listed, preview, form),
    [preview, listed === "decided" ? decided : null],
  );
  if (clusters.length === 0) return <Empty {...NOTHING[listed]} />;
  const verdict = ({ pair }: Cluster) =>
    pair && (
      <PairVerdict
        pair={pair}
        verdict={verdictOf(decided, pair)}
        onVerdict={(type) => onDecided(withVerdict(decided, pair, type))}
      />
    );
  return (
    <>
      {listed === "ambiguous" && (
        <p class="muted">
          Pairs that stay apart although they are within one and a half times the thresholds, and
          pairs that become one although their magnitudes differ by more than 1. What you decide
          here holds whatever the thresholds, and in all later refreshes of the merge.
        </p>
      )}
      <ClustersPart
        label={LABELS[listed]}
        clusters={clusters}
        sources={sources}
        roles={rolesOf(listed, form)}
        actionsOf={verdict}
      />
    </>
  );
}

function clustersOf(listed: Listed, preview: Preview, form: MergeForm): readonly Cluster[] {
  switch (listed) {
    case "groups":
      return clustersOfGroups(preview.groups, form.mergeStrategy);
    case "ambiguous":
      return clustersOfPairs(preview, form);
    case "decided":
      return clustersOfDecided(form.decided);
  }
}

function rolesOf(listed: Listed, { mergeStrategy }: MergeForm): Roles {
  if (listed !== "groups") return PAIR_ROLES;
  return mergeStrategy === "average" ? MEAN_ROLES : GROUP_ROLES;
}

type PairVerdictProps = {
  readonly pair: Pair;
  readonly verdict: Verdict | null;
  readonly onVerdict: (verdict: Verdict | null) => void;
};

/** What a person says of a pair. */
function PairVerdict({ pair: { first, second }, verdict, onVerdict }: PairVerdictProps) {
  const nameOf = ({ source_id: id, event_id }: Pair["first"]) => id ?? event_id.slice(0, 8);
  return (
    <Segmented
      legend={`What ${nameOf(first)} and ${nameOf(second)} are`}
      hasHiddenLegend
      value={verdict ?? "undecided"}
      options={[
        { value: "undecided", text: "undecided" },
        { value: "same", text: "same earthquake" },
        { value: "different", text: "different" },
      ]}
      onValue={(value) => onVerdict(value === "undecided" ? null : value)}
    />
  );
}

/** Groups, and pairs, in one answer. */
const MERGE_PREVIEW_MOST = 1_000;

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
  const { decided } = form;
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
          <button type="button" disabled={again.isBusy} onClick={again.run}>
            {again.isBusy ? "Looking…" : "Preview again"}
          </button>
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
          At most {count(MERGE_PREVIEW_MOST)} of each are listed; the merge takes all of them.
        </p>
      )}
      <ListedPart
        key={listed.value}
        listed={listed.value}
        preview={preview}
        form={form}
        onDecided={onDecided}
      />
    </section>
  );
}

export const STEPS = ["Sources", "Thresholds", "Preview", "Merge"];

const LEAST_SOURCES = 2;

type MergeWizardProps = { readonly onStarted: (operation: string) => void };

/** Nothing is merged before its preview has been seen. */
export function MergeWizard({ onStarted }: MergeWizardProps) {
  const { entries, preview, set, decide, again, submit, error, isBusy, problemOf } = usePreview();
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
          <ErrorNotice error={error.value} />
          <div class="row">
            <button
              type="submit"
              class={preview.value === null ? "primary" : undefined}
              disabled={isBusy.value || !hasSources}
            >
              {isBusy.value ? "Looking for pairs…" : "Preview"}
            </button>
            <span class="muted">
              {hasSources
                ? "Nothing is written before you have seen it."
                : "Choose at least two catalogues."}
            </span>
          </div>
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

/** What is entered, and its preview, which another entry makes void. */
function usePreview() {
  const entries = useEntries();
  const preview = useSignal<Preview | null>(null);
  /** Something has been decided since the preview was made. */
  const again = useSignal(false);
  const abort = useRef(new AbortController());
  const { form, name, isPreviewed } = entries.value;
  const { submit, error, isBusy, problemOf } = useSubmit(async () => {
    abort.current = new AbortController();
    const { signal } = abort.current;
    const body = mergeBodyOf(form, "");
    try {
      preview.value = await call("POST /api/merge/preview", { body }, { signal });
      again.value = false;
      entries.value = { ...entries.value, isPreviewed: true };
    } catch (reason) {
      if (!signal.aborted) throw reason;
    }
  });
  useEffect(() => {
    if (isPreviewed) submit(new Event("submit"));
    return () => abort.current.abort();
  }, []);
  const set = (change: Partial<MergeForm>) => {
    abort.current.abort();
    entries.value = { name, form: { ...form, ...change }, isPreviewed: false };
    preview.value = null;
  };
  // The preview stays in sight: others are decided in it.
  const decide = (decided: readonly Decided[]) => {
    entries.value = { ...entries.value, form: { ...form, decided } };
    again.value = true;
  };
  return { entries, preview, set, decide, again, submit, error, isBusy, problemOf };
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
  const { submit, error, isBusy, problemOf } = useSubmit(async () => {
    const body = mergeBodyOf(form, name, access.value);
    onStarted(await attempt(body, (key) => startOperation("POST /api/merge", { body }, key)));
  });
  return (
    <section class="panel" aria-label="Merged catalogue">
      <h2>Merged catalogue</h2>
      <div class="columns">
        <form onSubmit={submit}>
          <Field
            label="Name"
            required
            value={name}
            problem={problemOf("name") ?? nameProblem(error.value)}
            onValue={onName}
          />
          <Select
            label="Access"
            {...bound(access)}
            options={ACCESSES}
            hint={access.value === "" ? AS_SOURCES : READERS[access.value]}
            problem={problemOf("access")}
          />
          <ErrorNotice error={error.value} />
          <SubmitRow text={isBusy.value ? "Starting…" : "Merge"} isDisabled={isBusy.value} />
        </form>
        <p class="muted">
          Each event of the new catalogue names the events that it stands for, where they come from
          and how they scored. The sources stay as they are.
        </p>
      </div>
    </section>
  );
}

type ListedCounts = { readonly ambiguous: string; readonly groups: string };

/**
 * How many groups and pairs there are, and how many of them are listed. Of the groups the service
 * counts all; of the pairs it says only whether something is missing, in one word for both lists.
 */
function listedCounts({
  ambiguous,
  groups,
  duplicateGroups,
  truncated,
}: Pick<Preview, "ambiguous" | "groups" | "duplicateGroups" | "truncated">): ListedCounts {
  const areGroupsCut = groups.length < duplicateGroups;
  const pairs = count(ambiguous.length);
  return {
    groups: areGroupsCut
      ? `${count(groups.length)} of ${count(duplicateGroups)}`
      : count(groups.length),
    ambiguous: !truncated
      ? pairs
      : areGroupsCut
        ? `${pairs}${ambiguous.length < groups.length ? "" : " or more"}`
        : `more than ${pairs}`,
  };
}
