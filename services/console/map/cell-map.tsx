import type { Signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { type Bounds, boundsOf } from "../model/bounds.ts";
import type { MapView } from "../model/map-view.ts";
import { theme } from "../ui/style/theme.ts";
import { type Cells, stepsOf } from "./cell-layer.ts";
import { DensityLegend } from "./legend.tsx";
import { useLiveMap, useViewOf } from "./use-live-map.tsx";

type CellMapProps = {
  readonly cells: Cells;
  /** What the map shows; fitted to the first cells where it is null. */
  readonly view: Signal<MapView | null>;
  readonly onMoved: (view: MapView, bounds: Bounds) => void;
};

/** Numbers of events in squares. */
export function CellMap({ cells, view, onMoved }: CellMapProps) {
  const isEmpty = cells.cells.length === 0;
  // The first cells are of all events: they tell where these lie.
  const whole = useRef<Bounds | null>(null);
  const { live, surface } = useLiveMap({
    label: "Map of numbers of events; arrows move it, + and − zoom, 0 shows all events",
    start: (map) => view.value && map.setView(view.value),
    drawn: isEmpty ? undefined : "cells",
    onMoved: (now, bounds) => {
      view.value = now;
      onMoved(now, bounds);
    },
    whole: () => whole.current,
  });
  useEffect(() => {
    live.current?.setCells(cells, theme.value);
    if (whole.current !== null || isEmpty) return;
    whole.current = boundsOfCells(cells);
    if (view.value === null) live.current?.fit(whole.current);
  }, [cells, theme.value]);
  useViewOf(live, view);
  return (
    <div class="map-frame overview-map">
      {surface}
      <DensityLegend density={stepsOf(cells, theme.value)} theme={theme.value} />
    </div>
  );
}

function boundsOfCells({ side, cells }: Cells): Bounds | null {
  const middle = (edge: number) => edge + side / 2;
  return boundsOf(
    Float32Array.from(cells, ({ latitude }) => middle(latitude)),
    Float32Array.from(cells, ({ longitude }) => middle(longitude)),
    null,
  );
}
