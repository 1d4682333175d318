import { type Signal, useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useMemo, useRef } from "preact/hooks";
import type { Classes } from "../../../drawing/classes.ts";
import { GREY, KIND_COLOURS } from "../../../drawing/colours.ts";
import { EventMap } from "../../../map/event-map.tsx";
import type { MapView } from "../../../model/bounds.ts";
import { columnsOfEvents } from "../../../model/event-columns.ts";
import { addressOfEvent } from "../../../model/page-route.ts";
import { given, magnitudeName } from "../../../ui/text/digits.ts";
import { ago, count, UNKNOWN } from "../../../ui/text/format.ts";
import { UtcTime } from "../../../ui/text/moment.tsx";
import { Where } from "../../../ui/text/where.tsx";
import type { Pair, Source } from "../config/merge-body.ts";
import { viewOfCluster } from "./cluster-view.ts";
import {
  type Cluster,
  type ClusterMember,
  points,
  SCORE_MOST,
  SCORE_PARTS,
  type ScoreParts,
} from "./clusters.ts";

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

type ClusterEntryProps = {
  readonly cluster: Cluster;
  readonly sources: readonly Source[];
  /** What is said of the member that is kept. */
  readonly kept: string;
  readonly isChosen: boolean;
  readonly onChosen: () => void;
  /** What can be done with one of its events. */
  readonly memberAction?: ((member: ClusterMember) => ComponentChildren) | undefined;
  /** What can be done with it. */
  readonly children?: ComponentChildren;
};

/** Events that belong together: when and where, each with its score, and why they are here. */
function ClusterEntry(props: ClusterEntryProps) {
  const { cluster, sources, kept, isChosen, onChosen, memberAction, children } = props;
  const [first] = cluster.members;
  if (first === undefined) return null;
  return (
    <li class="cluster" aria-current={isChosen ? "true" : undefined}>
      <p class="cluster-head">
        <button type="button" class="plain link" title="Show it on the map" onClick={onChosen}>
          <span>
            <UtcTime at={first.time} length={19} /> UTC
          </span>
        </button>
        <strong>
          <Where event={first} />
        </strong>
        <span class="muted">{ago(first.time)}</span>
      </p>
      <p>{cluster.why}</p>
      <ul class="cluster-members">
        {cluster.members.map((member) => (
          <Member key={member.event_id} member={member} sources={sources} kept={kept}>
            {memberAction?.(member)}
          </Member>
        ))}
      </ul>
      {children}
    </li>
  );
}

type MemberProps = {
  readonly member: ClusterMember;
  readonly sources: readonly Source[];
  readonly kept: string;
  readonly children: ComponentChildren;
};

function Member({ member, sources, kept, children }: MemberProps) {
  const { magnitude, depth, shift, isKept, score } = member;
  const [name] = magnitudeName(magnitude, null);
  const deep = given(depth, "depth");
  return (
    <li>
      <div class="cluster-member">
        <MemberName member={member} sources={sources} />
        {isKept && <span class="badge good">{kept}</span>}
        <strong class="nowrap">{name}</strong>
        <span class="nowrap">{deep === UNKNOWN ? "depth unknown" : `${deep} km deep`}</span>
        {shift !== "" && <span class="muted">{shift}</span>}
        {children}
        {score && (
          <span class="end">
            <ScoreTotal total={score.total} />
          </span>
        )}
      </div>
      {score && <ScoreBars parts={score.parts} />}
    </li>
  );
}

/** What each part gives to a score, in points and as bars. */
function ScoreBars({ parts }: { readonly parts: ScoreParts }) {
  return (
    <ul class="score-parts">
      {SCORE_PARTS.map(({ name, label, most }) => (
        <li key={name}>
          {label}
          <div>
            <progress value={parts[name]} max={most} aria-hidden="true" />
            <span class="nowrap">
              <strong>{points(parts[name])}</strong> of {most}
            </span>
          </div>
        </li>
      ))}
    </ul>
  );
}

/** "Score 74.3 of 100". */
function ScoreTotal({ total }: { readonly total: number }) {
  return (
    <span class="nowrap">
      Score <strong>{points(total)}</strong> of {SCORE_MOST}
    </span>
  );
}

/** What the first event of a cluster is, and what the others are. */
export type Roles = { readonly title: string; readonly first: string; readonly others: string };

type ClusterMapProps = {
  readonly clusters: readonly Cluster[];
  readonly roles: Roles;
  /** Index of an event, counted over all clusters. */
  readonly selected: Signal<number | null>;
  readonly view: Signal<MapView | null>;
};

/** All events of the clusters, and lines from the first of each to its others. */
function ClusterMap({ clusters, roles, selected, view }: ClusterMapProps) {
  const drawing = useMemo(() => drawingOf(clusters, roles), [clusters]);
  return (
    <EventMap
      columns={drawing.columns}
      selected={selected}
      view={view}
      colours={drawing.colours}
      lines={drawing.lines}
    />
  );
}

function drawingOf(clusters: readonly Cluster[], { title, first, others }: Roles) {
  const events = clusters.flatMap(({ members }) =>
    members.map((event) => ({ ...event, id: event.event_id })),
  );
  const colours: Classes = {
    title,
    isLocal: false,
    classes: [first, others].map((label, i) => ({ label, colour: KIND_COLOURS[i] ?? GREY })),
    classOf: Uint8Array.from(
      clusters.flatMap(({ members }) => members.map((_, index) => Math.min(1, index))),
    ),
  };
  const lines = clusters.flatMap(({ members: [from, ...rest] }) =>
    from ? rest.map((to) => [from, to] as const) : [],
  );
  return { columns: columnsOfEvents(0, events), colours, lines };
}

type NamedMember = Pair["first"];

type MemberNameProps = { readonly member: NamedMember; readonly sources: readonly Source[] };

/** An event of a source: the source's label, and the agency's id as the way to the event. */
function MemberName({ member, sources }: MemberNameProps) {
  const { catalogue_id, event_id, source_id, source } = member;
  const name = source || sources.find(({ id }) => id === catalogue_id)?.name;
  return (
    <span>
      {name} {/* Not the router's link, which knows no other tab: the preview stays open. */}
      <a
        class="nowrap"
        href={addressOfEvent(catalogue_id, event_id)}
        target="_blank"
        rel="noopener"
        title="Opens in a new tab"
      >
        {source_id ?? event_id.slice(0, 8)}
      </a>
    </span>
  );
}
