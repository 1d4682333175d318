import { useMemo } from "preact/hooks";
import { Empty } from "../../ui/empty.tsx";
import { Segmented } from "../../ui/form/segmented.tsx";
import type { Roles } from "./clusters/cluster-map.tsx";
import {
  type Cluster,
  clustersOfDecided,
  clustersOfGroups,
  clustersOfPairs,
} from "./clusters/clusters.ts";
import { ClustersPart } from "./clusters/clusters-part.tsx";
import { type Decided, type Verdict, verdictOf, withVerdict } from "./config/decided.ts";
import type { MergeForm, Pair, Preview } from "./config/merge-body.ts";

/** Which of a preview's lists. */
export type Listed = "ambiguous" | "groups" | "decided";

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
export function ListedPart({ listed, preview, form, onDecided }: ListedPartProps) {
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
