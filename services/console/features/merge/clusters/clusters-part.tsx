import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useMemo, useRef } from "preact/hooks";
import type { MapView } from "../../../model/map-view.ts";
import { count } from "../../../ui/text/format.ts";
import type { Source } from "../config/merge-body.ts";
import { ClusterEntry } from "./cluster-entry.tsx";
import { ClusterMap, type Roles } from "./cluster-map.tsx";
import { viewOfCluster } from "./cluster-view.ts";
import type { Cluster, ClusterMember } from "./clusters.ts";

/** Entries of a page. */
const SHOWN = 10;

type ClustersPartProps = {
  readonly label: string;
  readonly clusters: readonly Cluster[];
  readonly sources: readonly Source[];
  readonly roles: Roles;
  /** What can be done with each. */
  readonly actionsOf?: (cluster: Cluster) => ComponentChildren;
  /** What can be done with each event of one. */
  readonly memberAction?: (member: ClusterMember) => ComponentChildren;
};

/** Clusters in a list and on a map; what is chosen in one is in both. */
export function ClustersPart(props: ClustersPartProps) {
  const { label, clusters, sources, roles, actionsOf, memberAction } = props;
  const selected = useSignal<number | null>(null);
  const view = useSignal<MapView | null>(null);
  const page = useSignal(0);
  const list = useRef<HTMLOListElement>(null);
  const { owners, firsts } = useMemo(() => indexed(clusters), [clusters]);
  const chosen = selected.value === null ? null : (owners[selected.value] ?? null);
  useEffect(() => {
    if (chosen !== null) page.value = Math.floor(chosen / SHOWN);
  }, [chosen]);
  useEffect(() => {
    list.current?.querySelector('[aria-current="true"]')?.scrollIntoView({ block: "nearest" });
  }, [chosen, page.value]);
  const choose = (index: number, cluster: Cluster) => {
    selected.value = firsts[index] ?? null;
    view.value = viewOfCluster(cluster);
  };
  const from = page.value * SHOWN;
  return (
    <div class="columns wide clusters">
      <section class="stack" aria-label={label}>
        <ol class="cluster-list" ref={list}>
          {clusters.slice(from, from + SHOWN).map((cluster, at) => (
            <ClusterEntry
              key={from + at}
              cluster={cluster}
              sources={sources}
              kept={roles.first}
              isChosen={chosen === from + at}
              onChosen={() => choose(from + at, cluster)}
              memberAction={memberAction}
            >
              {actionsOf?.(cluster)}
            </ClusterEntry>
          ))}
        </ol>
        <Pages
          label={`Pages of ${label.toLowerCase()}`}
          at={page.value}
          all={clusters.length}
          onPage={(next) => {
            page.value = next;
          }}
        />
      </section>
      <div class="cluster-map">
        <ClusterMap clusters={clusters} roles={roles} selected={selected} view={view} />
      </div>
    </div>
  );
}

/** Whose each event is, and which event is the first of each cluster. */
function indexed(clusters: readonly Cluster[]) {
  const owners = clusters.flatMap(({ members }, index) => members.map(() => index));
  const firsts: number[] = [];
  for (const [event, owner] of owners.entries()) firsts[owner] ??= event;
  return { owners, firsts };
}

type PagesProps = {
  readonly label: string;
  readonly at: number;
  readonly all: number;
  readonly onPage: (page: number) => void;
};

function Pages({ label, at, all, onPage }: PagesProps) {
  if (all <= SHOWN) return null;
  const from = at * SHOWN;
  const to = Math.min(all, from + SHOWN);
  return (
    <nav class="row" aria-label={label}>
      <button type="button" disabled={at === 0} onClick={() => onPage(at - 1)}>
        Previous
      </button>
      <button type="button" disabled={to === all} onClick={() => onPage(at + 1)}>
        Next
      </button>
      <span class="muted">
        {count(from + 1)} to {count(to)} of {count(all)}
      </span>
    </nav>
  );
}
