import type { Signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { type Bounds, boundsOf, type MapView, widthOf } from "../model/bounds.ts";
import { type Cells, stepsOf } from "./layers.ts";
import { DensityLegend } from "./legend.tsx";
import { useLiveMap } from "./live-map.tsx";

type CellMapProps = {
  readonly cells: Cells;
  /** What the map shows; fitted to the first cells where it is null. */
  readonly view: Signal<MapView | null>;
  readonly onMoved: (view: MapView, bounds: Bounds) => void;
};

export function CellMap({ cells, view, onMoved }: CellMapProps) {
  // The first cells are of all events: they tell where these lie.
  const whole = useRef<Bounds | null>(null);
  const { map, surface } = useLiveMap({
    label: "Map of numbers of events; arrows move it, + and − zoom, 0 shows all events",
    view,
    cells,
    onMoved,
    whole: () => whole.current,
    start: () => undefined,
  });
  useEffect(() => {
    if (whole.current !== null || cells.cells.length === 0) return;
    whole.current = boundsOfCells(cells);
    if (view.value === null) map.fit(whole.current);
  }, [cells]);
  return (
    <div class="map-frame overview-map">
      {surface}
      <DensityLegend density={stepsOf(cells)} />
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

const SIDES = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5];
/** So many squares fill what a map shows; fewer are of no use, more are slow. */
const MOST = 40_000;

/** The side of squares that show an area in as much detail as is seen, degrees. */
export function cellSideOf(area: Bounds | null): number {
  const [wide, high] = area ? [widthOf(area), area.north - area.south] : [360, 180];
  return SIDES.find((side) => (wide / side) * (high / side) <= MOST) ?? 5;
}
