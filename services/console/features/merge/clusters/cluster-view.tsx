import type { Classes } from "../../../drawing/classes.ts";
import { GREY, KIND_COLOURS } from "../../../drawing/colours.ts";
import { boundsOf, type MapView, widthOf } from "../../../model/bounds.ts";
import { columnsOfEvents } from "../../../model/event-columns.ts";
import type { Place } from "../../../model/great-circle.ts";
import { addressOfEvent } from "../../../model/page-route.ts";
import type { Pair } from "../config/merge-body.ts";

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
  const middle = box.west + widthOf(box) / 2;
  return {
    zoom,
    latitude: (box.south + box.north) / 2,
    longitude: middle > 180 ? middle - 360 : middle,
  };
}

/** What the first event of a cluster is, and what the others are. */
export type Roles = { readonly title: string; readonly first: string; readonly others: string };

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
