import { useSignal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import type { Classes } from "../../../drawing/classes.ts";
import { GREY, KIND_COLOURS } from "../../../drawing/colours.ts";
import { EventMap } from "../../../map/event-map.tsx";
import { columnsOfEvents } from "../../../model/columns-of-events.ts";
import { outlineOf } from "../../../model/error-ellipse.ts";
import type { MapView } from "../../../model/map-view.ts";
import { viewOfPlaces } from "../clusters/cluster-view.ts";
import type { ReviewPair } from "./queue.ts";
import type { Solutions } from "./solutions.ts";

type PairMapProps = {
  readonly pair: ReviewPair;
  /** Null before they are read. */
  readonly solutions: Solutions | null;
};

const ROLES: Classes = {
  title: "Event of the pair",
  isLocal: false,
  classes: ["first", "second"].map((label, i) => ({ label, colour: KIND_COLOURS[i] ?? GREY })),
  classOf: Uint8Array.of(0, 1),
};

/** Both solutions of a pair with their error ellipses, and the line between them. */
export function PairMap({ pair, solutions }: PairMapProps) {
  const { first, second } = pair;
  const selected = useSignal<number | null>(null);
  const view = useSignal<MapView | null>(null);
  const columns = useMemo(
    () =>
      columnsOfEvents(
        0,
        [first, second].map((event) => ({ ...event, id: event.event_id })),
      ),
    [pair.id],
  );
  const lines = useMemo(() => [[first, second]], [pair.id]);
  const ellipses = useMemo(
    () =>
      (solutions ?? []).flatMap((one) => (one?.ellipse ? [outlineOf(one.event, one.ellipse)] : [])),
    [solutions],
  );
  useEffect(() => {
    view.value = viewOfPlaces([first, second, ...ellipses.flat()]);
  }, [pair.id, ellipses]);
  return (
    <EventMap
      columns={columns}
      selected={selected}
      view={view}
      colours={ROLES}
      lines={lines}
      ellipse={ellipses}
    />
  );
}
