import { useEffect, useMemo, useRef } from "preact/hooks";
import { analysisAddress, readAnalysis } from "../../api/analysis.ts";
import { type Cells, stepsOf } from "../../map/layers.ts";
import { DensityLegend } from "../../map/legend.tsx";
import { useLiveMap } from "../../map/live-map.tsx";
import { type Bounds, boundsOf, widthOf } from "../../model/bounds.ts";
import { ErrorNotice, useCall, Waiting } from "../../ui/call.tsx";
import { count } from "../../ui/text/format.ts";
import { withinMap } from "./filters/filters.ts";
import { useMapView, type Work } from "./work.ts";

/** How many events lie where, of more events than one answer holds: counted by the service. */
export function Overview({ work }: { readonly work: Work }) {
  const { catalogue, asOf, outsideMap, bounds, most } = work;
  const request = {
    catalogue: catalogue.id,
    query: {
      ...(asOf !== null && { asOf }),
      ...withinMap(outsideMap, bounds.value),
      cell: String(cellSideOf(bounds.value)),
    },
  };
  const { last, error } = useCall(analysisAddress("density", request), (signal) =>
    readAnalysis("density", request, signal),
  );
  const cells = useMemo(
    () => ({ side: Number(last?.parameters["cell"] ?? 1), cells: last?.bins ?? [] }),
    [last],
  );
  return (
    <>
      <p class="notice">
        The map counts the events in squares. Single events, the table and the plots are shown of at
        most {count(most)} events: narrow the filters, or look only at what the map shows.
      </p>
      <ErrorNotice error={error} />
      {last === null && error === null && <Waiting text="Counting…" />}
      <CellMap cells={cells} work={work} />
    </>
  );
}

function CellMap({ cells, work }: { readonly cells: Cells; readonly work: Work }) {
  const { view, onMoved } = useMapView(work);
  // The first cells are of all events: they tell where these lie.
  const whole = useRef<Bounds | null>(null);
  const { map, surface } = useLiveMap({
    label: "Map of numbers of events; arrows move it, + and − zoom, 0 shows all events",
    ...{ view, cells, onMoved },
    whole: () => whole.current,
    start: () => undefined,
  });
  useEffect(() => {
    if (whole.current !== null || cells.cells.length === 0) return;
    whole.current = boundsOfCells(cells);
    // What the address names stays.
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
function cellSideOf(area: Bounds | null): number {
  const [wide, high] = area ? [widthOf(area), area.north - area.south] : [360, 180];
  return SIDES.find((side) => (wide / side) * (high / side) <= MOST) ?? 5;
}
