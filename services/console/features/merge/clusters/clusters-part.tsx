import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useMemo, useRef } from "preact/hooks";
import type { Classes } from "../../../drawing/classes.ts";
import { GREY, KIND_COLOURS } from "../../../drawing/colours.ts";
import { EventMap } from "../../../map/event-map.tsx";
import { boundsOf, type MapView, middleOf, widthOf } from "../../../model/bounds.ts";
import { addressOfEvent, columnsOfEvents } from "../../../model/event-columns.ts";
import type { Place } from "../../../model/great-circle.ts";
import { Turning } from "../../../ui/page.tsx";
import { ago, given, magnitudeName, UNKNOWN } from "../../../ui/text/format.ts";
import { UtcTime } from "../../../ui/text/moment.tsx";
import { Where } from "../../../ui/text/where.tsx";
import type { Pair, Source } from "../config/config.ts";
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
        <Turning
          label={`Pages of ${label.toLowerCase()}`}
          page={page}
          size={SHOWN}
          total={clusters.length}
        />
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

type Event = Pair["first"];

/** A cluster is about so wide on the map, pixels; the world is 256 at zoom 0. */
const WIDE = 180;
const WORLD = 256;
/** Closer there is neither coast nor name around it. */
const CLOSEST = 11;

/** Where a map shows places that lie together with their surroundings; null without any. */
export function viewOfPlaces(places: readonly Place[]): MapView | null {
  const box = boundsOf(
    Float32Array.from(places, ({ latitude }) => latitude),
    Float32Array.from(places, ({ longitude }) => longitude),
    null,
  );
  if (box === null) return null;
  const span = Math.max(widthOf(box), box.north - box.south);
  const zoom = Math.min(CLOSEST, Math.log2(((WIDE / WORLD) * 360) / span));
  return { zoom, ...middleOf(box) };
}

/** What the first event of a cluster is, and what the others are. */
export type Roles = { readonly title: string; readonly first: string; readonly others: string };

/** Of two events of which nobody has said yet whether they are one. */
export const PAIR_ROLES: Roles = { title: "Event of the pair", first: "first", others: "second" };

/** All events of some clusters for a map, and lines from the first of each to its others. */
export function drawingOf(
  clusters: readonly { readonly members: readonly Event[] }[],
  { title, first, others }: Roles,
) {
  const events = clusters.flatMap(({ members }) =>
    members.map((event) => ({ ...event, id: event.event_id })),
  );
  const colours: Classes = {
    title,
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

type SourcedEventProps = { readonly event: Event; readonly nameOf: (catalogue: string) => string };

/** An event of a source: the source's label, and the agency's id as the way to the event. */
export function SourcedEvent({ event, nameOf }: SourcedEventProps) {
  const { catalogue_id, event_id, source_id, source } = event;
  return (
    <>
      {source || nameOf(catalogue_id)}{" "}
      {/* Not the router's link, which knows no other tab: what is looked at stays open. */}
      <a
        class="nowrap"
        href={addressOfEvent(catalogue_id, event_id)}
        target="_blank"
        rel="noopener"
        title="Opens in a new tab"
      >
        {source_id ?? event_id.slice(0, 8)}
      </a>
    </>
  );
}
