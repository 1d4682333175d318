import { useSignal } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { MergeCountsLine } from "../../jobs/merge-counts.tsx";
import { Empty } from "../../ui/empty.tsx";
import { Segmented } from "../../ui/form/segmented.tsx";
import { count } from "../../ui/text/format.ts";
import type { Roles } from "./cluster-map.tsx";
import { clustersOfGroups, clustersOfPairs } from "./clusters.ts";
import { ClustersPart } from "./clusters-part.tsx";
import { listedCounts } from "./listed-counts.ts";
import type { MergeForm, Preview } from "./merge-body.ts";

/** Groups, and pairs, in one answer. */
const MERGE_PREVIEW_MOST = 1_000;

const PAIR_ROLES: Roles = { title: "Event of the pair", first: "first", others: "second" };
const GROUP_ROLES: Roles = { title: "Event of the group", first: "kept", others: "goes into it" };
/** Of means, which are none of the events: the rest comes from the nearest. */
const MEAN_ROLES: Roles = {
  title: "Event of the group",
  first: "nearest to the mean",
  others: "others",
};

type PreviewPartProps = {
  readonly preview: Preview;
  /** What it was made of. */
  readonly form: MergeForm;
};

/** What the merge would do, and the pairs that a person should look at. */
export function PreviewPart({ preview, form }: PreviewPartProps) {
  const tab = useSignal<Tab>(preview.ambiguous.length > 0 ? "ambiguous" : "groups");
  const counts = listedCounts(preview);
  const section = useRef<HTMLElement>(null);
  useEffect(() => section.current?.scrollIntoView({ block: "start" }), []);
  return (
    <section class="stack merge-preview" aria-label="Preview" ref={section}>
      <h2>Preview</h2>
      <MergeCountsLine counts={preview} />
      <Segmented
        legend="What is listed"
        hasHiddenLegend
        value={tab.value}
        options={[
          { value: "ambiguous", text: `Doubtful pairs (${counts.ambiguous})` },
          { value: "groups", text: `Groups (${counts.groups})` },
        ]}
        onValue={(value) => {
          tab.value = value;
        }}
      />
      {preview.truncated && (
        <p class="muted">
          At most {count(MERGE_PREVIEW_MOST)} of each are listed; the merge takes all of them.
        </p>
      )}
      <Listed key={tab.value} tab={tab.value} preview={preview} form={form} />
    </section>
  );
}

type Tab = "ambiguous" | "groups";

function Listed({ tab, preview, form }: PreviewPartProps & { readonly tab: Tab }) {
  const clusters = useMemo(
    () =>
      tab === "groups"
        ? clustersOfGroups(preview.groups, form.mergeStrategy)
        : clustersOfPairs(preview, form),
    [preview],
  );
  const { sources } = form;
  if (tab === "groups") {
    if (clusters.length === 0) {
      return (
        <Empty
          title="No two events are the same earthquake"
          text="By these thresholds all events stay. Larger ones find more duplicates."
        />
      );
    }
    const roles = form.mergeStrategy === "average" ? MEAN_ROLES : GROUP_ROLES;
    return <ClustersPart label="Groups" clusters={clusters} sources={sources} roles={roles} />;
  }
  if (clusters.length === 0) {
    return (
      <Empty
        title="No doubtful pairs"
        text="None is a little beyond the thresholds, and no magnitudes in a group differ by more than 1."
      />
    );
  }
  return (
    <>
      <p class="muted">
        Pairs that stay apart although they are within one and a half times the thresholds, and
        pairs that become one although their magnitudes differ by more than 1.
      </p>
      <ClustersPart
        label="Doubtful pairs"
        clusters={clusters}
        sources={sources}
        roles={PAIR_ROLES}
      />
    </>
  );
}
