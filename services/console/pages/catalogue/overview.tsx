import { useSignal } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { useSettings } from "../../api/settings.ts";
import { type Cells, stepsOf } from "../../map/cell-layer.ts";
import { cellSideOf } from "../../map/cell-size.ts";
import type { Bounds } from "../../map/fit.ts";
import { DensityLegend } from "../../map/legend.tsx";
import { LiveMap } from "../../map/live-map.ts";
import { ErrorNotice } from "../../ui/error-notice.tsx";
import { count } from "../../ui/format.ts";
import { theme } from "../../ui/theme.ts";
import { useCall } from "../../ui/use-call.ts";
import { type Analysis, analysisAddress, readAnalysis } from "../analytics/analysis.ts";
import { FilterBar } from "./filter-bar.tsx";
import { withinMap } from "./map-box.ts";
import type { Catalogue } from "./page.tsx";
import { Shown } from "./shown.tsx";
import type { WorkState } from "./url-state.ts";
import type { SeenFilters } from "./use-filters.ts";
import type { Change } from "./use-work-state.ts";

type OverviewProps = {
  readonly catalogue: Catalogue;
  readonly asOf: string | null;
  readonly state: WorkState;
  readonly filters: SeenFilters;
  readonly change: Change;
};

/** How many events lie where, of more events than one answer holds: counted by the service. */
export function Overview({ catalogue, asOf, state, filters, change }: OverviewProps) {
  const most = useSettings()?.limits.maxColumnEvents ?? 0;
  const area = filters.bounds.value;
  const side = cellSideOf(area);
  const address = analysisAddress(catalogue.id, "density", {
    ...(asOf !== null && { asOf }),
    ...withinMap(filters.given, area),
    cell: String(side),
  });
  const inView = useCall<Analysis>(address, (signal) => readAnalysis(address, signal));
  const whole = analysisAddress(catalogue.id, "summary", {
    ...(asOf !== null && { asOf }),
    ...filters.all,
  });
  const summary = useCall<Analysis>(whole, (signal) => readAnalysis(whole, signal));
  const found = summary.last?.input.events ?? catalogue.event_count;
  const cells = useMemo(() => cellsOf(inView.last), [inView.last]);
  return (
    <>
      <FilterBar state={state} moving={filters.moving} change={change}>
        <Shown
          found={found}
          all={catalogue.event_count}
          state={state}
          change={change}
          isMoving={false}
        />
      </FilterBar>
      <p class="notice">
        The map counts the events in squares. Single events, the table and the plots are shown of at
        most {count(most)} events: narrow the filters, or look only at what the map shows.
      </p>
      {inView.error.value !== null && <ErrorNotice error={inView.error.value} />}
      <CellMap
        cells={cells}
        state={state}
        filters={filters}
        change={change}
        catalogue={catalogue}
      />
    </>
  );
}

function cellsOf(answer: Analysis | null): Cells {
  const side = Number(answer?.parameters["cell"] ?? 1);
  return { side, cells: (answer?.bins ?? []) as unknown as Cells["cells"] };
}

type CellMapProps = Omit<OverviewProps, "asOf"> & { readonly cells: Cells };

function CellMap({ cells, catalogue, state, filters, change }: CellMapProps) {
  const tiles = useSettings()?.tiles ?? null;
  const element = useRef<HTMLDivElement>(null);
  const live = useRef<LiveMap | null>(null);
  const isDrawn = useSignal(false);
  useEffect(() => {
    if (!element.current) return;
    const map = new LiveMap(element.current, {
      onDrawn: () => undefined,
      onPointed: () => undefined,
      onChosen: () => undefined,
      onMoved: (view, bounds) => {
        filters.bounds.value = bounds;
        change({ map: view }, "replace");
      },
      onFit: () => map.fit(boxOf(catalogue)),
    });
    live.current = map;
    if (state.map) map.setView(state.map);
    else map.fit(boxOf(catalogue));
    return () => {
      live.current = null;
      map.close();
    };
  }, []);
  useEffect(() => live.current?.setTiles(tiles), [tiles]);
  useEffect(() => {
    live.current?.setCells(cells, theme.value);
    isDrawn.value = cells.cells.length > 0;
  }, [cells, theme.value]);
  return (
    <div class="map-frame overview-map">
      <section
        ref={element}
        class="map"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the map is moved by keys.
        tabIndex={0}
        aria-label="Map of numbers of events; arrows move it, + and − zoom, 0 shows all events"
        data-drawn={isDrawn.value ? "cells" : undefined}
      />
      <DensityLegend density={stepsOf(cells, theme.value)} theme={theme.value} />
    </div>
  );
}

function boxOf(catalogue: Catalogue): Bounds | null {
  const { min_latitude, max_latitude, min_longitude, max_longitude } = catalogue;
  if (min_latitude === null || max_latitude === null) return null;
  if (min_longitude === null || max_longitude === null) return null;
  return { south: min_latitude, north: max_latitude, west: min_longitude, east: max_longitude };
}
