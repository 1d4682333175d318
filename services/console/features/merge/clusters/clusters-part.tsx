import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { EventMap } from "../../../map/event-map.tsx";
import type { MapView } from "../../../model/bounds.ts";
import { Button } from "../../../ui/page.tsx";
import { given, magnitudeName } from "../../../ui/text/digits.ts";
import { ago, count, UNKNOWN } from "../../../ui/text/format.ts";
import { UtcTime } from "../../../ui/text/moment.tsx";
import { Where } from "../../../ui/text/where.tsx";
import type { Source } from "../config/merge-body.ts";
import { drawingOf, type Roles, SourcedEvent, viewOfPlaces } from "./cluster-view.tsx";
import { type Cluster, type ClusterMember, points, SCORE_MOST, SCORE_PARTS } from "./clusters.ts";

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
  const drawing = useMemo(() => drawingOf(clusters, roles), [clusters]);
  const chosen = selected.value === null ? null : (owners[selected.value] ?? null);
  useEffect(() => {
    if (chosen !== null) page.value = Math.floor(chosen / SHOWN);
  }, [chosen]);
  useEffect(() => {
    list.current?.querySelector('[aria-current="true"]')?.scrollIntoView({ block: "nearest" });
  }, [chosen, page.value]);
  const choose = (index: number, cluster: Cluster) => {
    selected.value = firsts[index] ?? null;
    view.value = viewOfPlaces(cluster.members);
  };
  const from = page.value * SHOWN;
  const { first: kept } = roles;
  return (
    <div class="columns wide clusters">
      <section class="stack" aria-label={label}>
        <ol class="cluster-list" ref={list}>
          {clusters.slice(from, from + SHOWN).map((cluster, at) => {
            const { members, why } = cluster;
            const [first] = members;
            return (
              first && (
                <li
                  key={from + at}
                  class="cluster"
                  aria-current={chosen === from + at ? "true" : undefined}
                >
                  <p class="cluster-head">
                    <button
                      type="button"
                      class="plain link"
                      title="Show it on the map"
                      onClick={() => choose(from + at, cluster)}
                    >
                      <span>
                        <UtcTime at={first.time} length={19} /> UTC
                      </span>
                    </button>
                    <strong>
                      <Where event={first} />
                    </strong>
                    <span class="muted">{ago(first.time)}</span>
                  </p>
                  <p>{why}</p>
                  <ul class="cluster-members">
                    {members.map((member) => (
                      <Member key={member.event_id} member={member} sources={sources} kept={kept}>
                        {memberAction?.(member)}
                      </Member>
                    ))}
                  </ul>
                  {actionsOf?.(cluster)}
                </li>
              )
            );
          })}
        </ol>
        {clusters.length > SHOWN && (
          <nav class="row" aria-label={`Pages of ${label.toLowerCase()}`}>
            <Button disabled={page.value === 0} onClick={() => page.value--} text="Previous" />
            <Button
              disabled={from + SHOWN >= clusters.length}
              onClick={() => page.value++}
              text="Next"
            />
            <span class="muted">
              {count(from + 1)} to {count(Math.min(clusters.length, from + SHOWN))} of{" "}
              {count(clusters.length)}
            </span>
          </nav>
        )}
      </section>
      <div class="cluster-map">
        <EventMap {...drawing} selected={selected} view={view} />
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

type MemberProps = {
  readonly member: ClusterMember;
  readonly sources: readonly Source[];
  /** What is said of the member that is kept. */
  readonly kept: string;
  /** What can be done with it. */
  readonly children: ComponentChildren;
};

/** An event of a source: the source's label, the agency's id as the way to the event, and its score, if it has one. */
function Member({ member, sources, kept, children }: MemberProps) {
  const { depth, shift, isKept, score } = member;
  const deep = given(depth, "depth");
  return (
    <li>
      <div class="cluster-member">
        <span>
          <SourcedEvent
            event={member}
            nameOf={(catalogue) => sources.find(({ id }) => id === catalogue)?.name ?? ""}
          />
        </span>
        {isKept && <span class="badge good">{kept}</span>}
        <strong class="nowrap">{magnitudeName(member.magnitude, null)[0]}</strong>
        <span class="nowrap">{deep === UNKNOWN ? "depth unknown" : `${deep} km deep`}</span>
        {shift !== "" && <span class="muted">{shift}</span>}
        {children}
        {score && (
          <span class="end">
            <span class="nowrap">
              Score <strong>{points(score.total)}</strong> of {SCORE_MOST}
            </span>
          </span>
        )}
      </div>
      {score && (
        <ul class="score-parts">
          {SCORE_PARTS.map(({ name, label, most }) => (
            <li key={name}>
              {label}
              <div>
                <progress value={score.parts[name]} max={most} aria-hidden="true" />
                <span class="nowrap">
                  <strong>{points(score.parts[name])}</strong> of {most}
                </span>
              </div>
            </li>
          ))}
        </ul>
      )}
    </li>
  );
}
