import { type Signal, useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { Bounds } from "../../model/bounds.ts";
import type { MapView } from "../../model/map-view.ts";
import type { WorkState } from "../../model/work-state.ts";
import type { Change } from "../../ui/use-work-state.ts";
import type { SeenFilters } from "./filters/use-filters.ts";

type OwnedView = {
  readonly view: Signal<MapView | null>;
  /** To be told of each move of the map. */
  readonly moved: (view: MapView, bounds: Bounds) => void;
};

/** What the map shows, kept in the address; Back and Forward move the map. */
export function useMapView(
  { map }: WorkState,
  { bounds: seen }: SeenFilters,
  change: Change,
): OwnedView {
  const view = useSignal<MapView | null>(map);
  // What this page itself wrote comes back later, when the map may be elsewhere already.
  const written = useRef(JSON.stringify(map));
  const key = JSON.stringify(map);
  useEffect(() => {
    if (key === written.current) return;
    written.current = key;
    if (map) view.value = map;
  }, [key]);
  const last = useRef<string | null>(null);
  const moved = (now: MapView, bounds: Bounds) => {
    seen.value = bounds;
    const text = JSON.stringify(now);
    const isFirst = last.current === null;
    // The first view is made by fitting; it is nobody's choice. Neither is the map's size.
    if (!isFirst && text !== last.current && text !== written.current) {
      written.current = text;
      change({ map: now }, "replace");
    }
    last.current = text;
  };
  return { view, moved };
}
