import { useSignal } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { type AnswerTo, analysisAddress, readAnalysis } from "../../api/analysis.ts";
import { useSettings } from "../../api/settings.ts";
import { type Cells, stepsOf } from "../../map/cell-layer.ts";
import { cellSideOf } from "../../map/cell-size.ts";
import { DensityLegend } from "../../map/legend.tsx";
import { LiveMap } from "../../map/live-map.ts";
import { type Bounds, boundsOf } from "../../model/bounds.ts";
import type { Catalogue } from "../../model/catalogue.ts";
import type { WorkState } from "../../model/work-state.ts";
import { ErrorNotice } from "../../ui/call/error-notice.tsx";
import { useCall } from "../../ui/call/use-call.ts";
import { Waiting } from "../../ui/call/waiting.tsx";
import { count } from "../../ui/text/format.ts";
import { theme } from "../../ui/theme.ts";
import type { Change } from "../../ui/use-work-state.ts";
import { withinMap } from "./map-box.ts";
import type { SeenFilters } from "./use-filters.ts";

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
  const asked = {
    catalogue: catalogue.id,
    query: {
      ...(asOf !== null && { asOf }),
      ...withinMap(filters.given, area),
      cell: String(side),
    },
  };
  const inView = useCall(analysisAddress("density", asked), (signal) =>
    readAnalysis("density", asked, signal),
  );
  const cells = useMemo(() => cellsOf(inView.last), [inView.last]);
  return (
    <>
      <p class="notice">
        The map counts the events in squares. Single events, the table and the plots are shown of at
        most {count(most)} events: narrow the filters, or look only at what the map shows.
      </p>
      {inView.error.value !== null && <ErrorNotice error={inView.error.value} />}
      {inView.last === null && inView.error.value === null && <Waiting text="Counting…" />}
      <CellMap cells={cells} state={state} filters={filters} change={change} />
    </>
  );
}

function cellsOf(answer: AnswerTo<"density"> | null): Cells {
  const side = Number(answer?.parameters["cell"] ?? 1);
  return { side, cells: answer?.bins ?? [] };
}

type CellMapProps = Omit<OverviewProps, "asOf" | "catalogue"> & { readonly cells: Cells };

function CellMap({ cells, state, filters, change }: CellMapProps) {
  const tiles = useSettings()?.tiles ?? null;
  const element = useRef<HTMLDivElement>(null);
  const live = useRef<LiveMap | null>(null);
  const isDrawn = useSignal(false);
  // The first cells are of all events: they tell where these lie.
  const whole = useRef<Bounds | null>(null);
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
      onFit: () => map.fit(whole.current),
    });
    live.current = map;
    if (state.map) map.setView(state.map);
    return () => {
      live.current = null;
      map.close();
    };
  }, []);
  useEffect(() => live.current?.setTiles(tiles), [tiles]);
  useEffect(() => {
    live.current?.setCells(cells, theme.value);
    isDrawn.value = cells.cells.length > 0;
    if (whole.current === null && cells.cells.length > 0) {
      whole.current = boundsOfCells(cells);
      if (!state.map) live.current?.fit(whole.current);
    }
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

function boundsOfCells({ side, cells }: Cells): Bounds | null {
  const middle = (edge: number) => edge + side / 2;
  return boundsOf(
    Float32Array.from(cells, ({ latitude }) => middle(latitude)),
    Float32Array.from(cells, ({ longitude }) => middle(longitude)),
    null,
  );
}
