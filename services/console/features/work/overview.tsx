import { type Signal, useSignal } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { type AnswerTo, analysisAddress, readAnalysis } from "../../api/analysis.ts";
import { useSettings } from "../../api/settings.ts";
import { CellMap, cellSideOf } from "../../map/cell-map.tsx";
import type { Cells } from "../../map/layers.ts";
import type { Bounds, MapView } from "../../model/bounds.ts";
import type { Catalogue } from "../../model/operation-types.ts";
import type { WorkState } from "../../model/work-state.ts";
import { ErrorNotice } from "../../ui/call/notices.tsx";
import { useCall } from "../../ui/call/use-call.ts";
import { Waiting } from "../../ui/states.tsx";
import { count } from "../../ui/text/format.ts";
import type { Change } from "../../ui/use-work-state.ts";
import { type SeenFilters, withinMap } from "./filters/use-filters.ts";
import { USUAL_MOST } from "./use-events.ts";

type OverviewProps = {
  readonly catalogue: Catalogue;
  readonly asOf: string | null;
  readonly state: WorkState;
  readonly filters: SeenFilters;
  readonly change: Change;
};

/** How many events lie where, of more events than one answer holds: counted by the service. */
export function Overview({ catalogue, asOf, state, filters, change }: OverviewProps) {
  const { view, moved } = useMapView(state, filters, change);
  const most = useSettings()?.limits.maxColumnEvents ?? USUAL_MOST;
  const area = filters.bounds.value;
  const side = cellSideOf(area);
  const request = {
    catalogue: catalogue.id,
    query: {
      ...(asOf !== null && { asOf }),
      ...withinMap(filters.outsideMap, area),
      cell: String(side),
    },
  };
  const inView = useCall(analysisAddress("density", request), (signal) =>
    readAnalysis("density", request, signal),
  );
  const cells = useMemo(() => cellsOf(inView.last), [inView.last]);
  return (
    <>
      <p class="notice">
        The map counts the events in squares. Single events, the table and the plots are shown of at
        most {count(most)} events: narrow the filters, or look only at what the map shows.
      </p>
      <ErrorNotice error={inView.error} />
      {inView.last === null && inView.error === null && <Waiting text="Counting…" />}
      <CellMap cells={cells} view={view} onMoved={moved} />
    </>
  );
}

function cellsOf(answer: AnswerTo<"density"> | null): Cells {
  const side = Number(answer?.parameters["cell"] ?? 1);
  return { side, cells: answer?.bins ?? [] };
}

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
