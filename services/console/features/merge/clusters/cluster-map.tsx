import type { Signal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import type { Classes } from "../../../drawing/classes.ts";
import { GREY, KIND_COLOURS } from "../../../drawing/colours.ts";
import { EventMap } from "../../../map/event-map.tsx";
import { columnsOfEvents } from "../../../model/columns-of-events.ts";
import type { MapView } from "../../../model/map-view.ts";
import type { Cluster } from "./clusters.ts";

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
export function ClusterMap({ clusters, roles, selected, view }: ClusterMapProps) {
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
